// The section Side Prompts: where VS Code sends each one now, and what sealing would change. Pure.
import type { EditorFacts } from '../chat/sidePrompts/facts.ts';
import { withUserSettings } from '../chat/sidePrompts/facts.ts';
import { judgeSidePrompts, recommendedChanges, turningOffChanges } from '../chat/sidePrompts/judge.ts';
import { withoutChats } from '../chat/sidePrompts/mark.ts';
import type { SealingModels } from '../chat/sidePrompts/proposal.ts';
import type { EditorReading } from '../promptMap/editorSenders.ts';
import type { SidePromptsSection } from './model.ts';

interface SealingFacts {
  /** Undefined while Sealed Proxy offers no models. */
  readonly recommended: SealingModels | undefined;
  /** The number of models that Sealed Proxy offers. */
  readonly offered: number;
  /** The number of settings with a previous value to restore. */
  readonly undoable: number;
}

export function sidePromptsSection(
  { facts, prompts }: EditorReading,
  { recommended, offered, undoable }: SealingFacts,
): SidePromptsSection {
  const changes = recommended === undefined ? [] : recommendedChanges(facts, recommended);
  const sealed = withUserSettings(facts, changes);
  const turnedOff = new Set<string>(turningOffChanges(facts).map(({ key }) => key));
  const after = new Map(judgeSidePrompts(sealed).map(({ title, mark }) => [title, mark]));
  return {
    rows: withoutChats(prompts).map(({ title, reason, mark, settings }) => ({
      title,
      reason,
      now: mark,
      after: (recommended && after.get(title)) ?? null,
      canTurnOff: settings.some((key) => turnedOff.has(key)),
      settings: settings.map((key) => ({ key, now: valueOf(facts, key), after: valueOf(sealed, key) })),
    })),
    recommended:
      recommended === undefined ? null : { utility: recommended.utility.name, agent: recommended.agent.name },
    hasChoice: offered > 1,
    changes: changes.length,
    canUndo: undoable > 0,
  };
}

function valueOf({ setting }: EditorFacts, key: string): unknown {
  return setting(key)?.value;
}
