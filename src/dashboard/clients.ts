// Names of clients, and the clients as the dashboard lists them. Pure.
import type { Assistant } from '../assistants/adapters/assistant.ts';
import { describeConfigState, isDoubtful } from '../assistants/adapters/configState.ts';
import { hasOurEntry } from '../assistants/assistantService.ts';
import type { AssistantState } from '../assistants/assistantService.ts';
import { isSameName, visibleKeys } from '../keys/accessKeys.ts';
import type { AccessKey } from '../keys/accessKeys.ts';
import { capitalized } from '../presentation/text.ts';
import type { Tone } from '../presentation/text.ts';
import { DIRECT, UNKNOWN } from '../shared/usage.ts';
import type { AssistantAction, ClientConfig, ClientRow } from './model.ts';

/** The name of the extension itself: VS Code's chat, and its own checks. */
export const OWN = 'Sealed Proxy in VS Code';

type NamedKey = Pick<AccessKey, 'id' | 'name' | 'origin'>;

/**
 * The name of a caller, as `RequestRecord` has it.
 * @param keys the valid access keys
 * @param formerName the name of the key if it was revoked; empty if that is not known
 */
export function clientName(caller: string, keys: readonly NamedKey[], formerName = ''): string {
  if (caller === DIRECT) return 'API key sent by the client';
  if (caller === UNKNOWN) return 'No valid key';
  const known = keys.find(({ id }) => id === caller);
  if (known !== undefined) return known.origin === 'own' ? OWN : known.name;
  return formerName === '' ? 'Revoked key' : `${formerName} (revoked)`;
}

/** What an action on an assistant has shown. */
export interface ActionResult {
  /** Sentences; empty if the user cancelled. */
  readonly message: string;
  /** Only of a check: whether the assistant cannot use the proxy. Then it is not shown as ready. */
  readonly checkFailed?: boolean;
}

export type ListedAssistant = Pick<AssistantState, 'configState' | 'judgement' | 'undoable'> & {
  readonly assistant: Pick<Assistant, 'id' | 'name'>;
};

/**
 * One row for each client: an assistant and the access key that was made for it are one.
 * @param results of the last actions, by the assistant's id
 */
export function clientRows(
  keys: readonly AccessKey[],
  assistants: readonly ListedAssistant[],
  results: ReadonlyMap<string, ActionResult>,
): readonly ClientRow[] {
  const visible = visibleKeys(keys);
  const keyOf = ({ assistant }: ListedAssistant) =>
    visible.find(({ origin, name }) => origin === 'assistant' && isSameName(name, assistant.name));
  const listed = assistants
    .map((state) => ({ state, key: keyOf(state) }))
    .filter(({ state, key }) => key !== undefined || isListed(state));
  const others = visible.filter((key) => !listed.some((row) => row.key === key));
  return [
    ...listed.map(({ state, key }) => ({
      name: state.assistant.name,
      key: key === undefined ? null : withoutSecret(key),
      config: configOf(state, results.get(state.assistant.id)),
    })),
    ...others.map((key) => ({ name: key.name, key: withoutSecret(key), config: null })),
  ];
}

/** Each field by its name: the key itself must not get into the web view. */
function withoutSecret({ id, origin, createdAt, firstUsedAt, lastUsedAt }: AccessKey): ClientRow['key'] {
  return { id, origin, createdAt, firstUsedAt, lastUsedAt };
}

/** Those that are connected, were connected, or cannot be read. */
function isListed(state: ListedAssistant): boolean {
  return hasOurEntry(state) || state.configState.kind === 'refused';
}

function configOf(state: ListedAssistant, result: ActionResult = { message: '' }): ClientConfig {
  const { assistant, configState, judgement, undoable } = state;
  const actions: AssistantAction[] = [];
  if (configState.kind === 'current') actions.push('check');
  if (configState.kind === 'outdated') actions.push('repair');
  if (undoable) actions.push('undo');
  return {
    id: assistant.id,
    tone: result.checkFailed === true ? 'warning' : toneOf(state),
    state: capitalized(describeConfigState(configState, judgement) || 'not connected'),
    actions,
    note: result.message === '' && isDoubtful(configState, judgement) ? judgement.sentence : result.message,
  };
}

/** Good only for an assistant all of whose prompts are known to go to the proxy. */
export function toneOf({ configState, judgement }: Pick<ListedAssistant, 'configState' | 'judgement'>): Tone {
  switch (configState.kind) {
    case 'current':
      if (configState.uncompared === true) return 'neutral';
      return judgement.kind === 'sealed' ? 'good' : 'warning';
    case 'outdated':
      return 'warning';
    case 'refused':
      return 'error';
    case 'other':
    case 'absent':
      return 'neutral';
  }
}
