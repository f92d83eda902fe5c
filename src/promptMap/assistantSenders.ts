// The assistants that Sealed Proxy can configure, as senders. Pure.
import type { Destination, Judgement, Remedy, Route } from '../assistants/judgement.ts';
import { describeSource } from '../assistants/judging/judge.ts';
import type { Fact, SenderVerdict } from '../dashboard/model.ts';
import { joined } from '../presentation/text.ts';
import { throughProxy } from './reach.ts';
import type { Reach } from './reach.ts';
import type { Sender } from './sender.ts';

export interface JudgedAssistant {
  readonly id: string;
  readonly name: string;
  /** The ID of its VS Code extension, if it has one. */
  readonly extension: string | undefined;
  /** It is in use on this computer, or was configured. */
  readonly isPresent: boolean;
  /** Its configuration has our entry. While the proxy does not run, the address in it cannot be checked. */
  readonly isConnected: boolean;
  readonly judgement: Judgement;
}

/** @param isInstalled whether this editor has the extension with this ID */
export function assistantSenders(
  assistants: readonly JudgedAssistant[],
  reach: Reach,
  isInstalled: (extension: string) => boolean,
): readonly Sender[] {
  return assistants.flatMap((assistant): Sender[] => {
    const { id, name, extension, isPresent, judgement } = assistant;
    const hasExtension = extension !== undefined && isInstalled(extension);
    if (!isPresent && !hasExtension) return [];
    const { verdict, addition } = verdictOf(assistant, reach);
    const { remedy } = judgement;
    return [
      {
        id: `assistant:${id}`,
        name,
        group: hasExtension ? 'extensions' : id === CUSTOM_ENDPOINT ? 'editor' : 'commandLine',
        verdict,
        sentence: joined(judgement.sentence, addition),
        details: judgement.routes.map(routeFact),
        ...(remedy !== undefined && isPossible(remedy) ? { remedy: { kind: 'assistant', assistant: id, remedy } } : {}),
      },
    ];
  });
}

/** The one that is a part of the editor. */
const CUSTOM_ENDPOINT = 'custom-endpoint';

function verdictOf(
  { isConnected, judgement: { kind } }: JudgedAssistant,
  reach: Reach,
): { readonly verdict: SenderVerdict; readonly addition: string } {
  if (kind === 'unknown' && isConnected && reach.kind === 'otherProgram') return throughProxy(reach);
  if (kind === 'elsewhere' || kind === 'unknown') return { verdict: kind, addition: '' };
  const through = throughProxy(reach);
  if (kind === 'sealed') return through;
  // A part goes elsewhere; without a verified enclave, nothing of the rest is sealed.
  return { ...through, verdict: through.verdict === 'sealed' ? 'partly' : 'elsewhere' };
}

/** No button can change a variable of the user's environment. */
function isPossible(remedy: Remedy): boolean {
  return remedy.kind !== 'open' || remedy.source.kind !== 'variable';
}

function routeFact({ prompts, destination, source }: Route): Fact {
  const by = source === undefined ? '' : ` (${describeSource(source)})`;
  return { name: prompts, value: `${destinationText(destination)}${by}` };
}

function destinationText(destination: Destination): string {
  switch (destination.kind) {
    case 'sealed':
      return 'To Sealed Proxy';
    case 'off':
      return 'Not sent';
    case 'elsewhere':
      return destination.through === 'httpProxy'
        ? `Through the HTTP proxy ${destination.recipient}, which can read them`
        : `To ${destination.recipient}`;
    case 'unknown':
      return 'Unknown';
  }
}
