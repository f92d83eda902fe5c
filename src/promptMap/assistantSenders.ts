// The assistants that Sealed Proxy can configure, as senders. Pure.
import type { Assistant } from '../assistants/adapters/assistant.ts';
import { CUSTOM_ENDPOINT } from '../assistants/adapters/customEndpoint.ts';
import type { AssistantState } from '../assistants/assistantService.ts';
import { describeSource } from '../assistants/judge.ts';
import type { Destination, Remedy, Route } from '../assistants/judging/judgement.ts';
import { joined } from '../presentation/text.ts';
import type { Fact } from '../presentation/text.ts';
import type { Reach } from './reach.ts';
import type { Sender, SenderVerdict } from './sender.ts';
import { throughProxy } from './throughProxy.ts';

/** What is known of an assistant that Sealed Proxy can configure. */
export interface JudgedAssistant extends Pick<AssistantState, 'configState' | 'detected' | 'judgement'> {
  readonly assistant: Pick<Assistant, 'id' | 'name' | 'extension'>;
}

/** @param isInstalled whether this editor has the extension with this ID */
export function assistantSenders(
  assistants: readonly JudgedAssistant[],
  reach: Reach,
  isInstalled: (extension: string) => boolean,
): readonly Sender[] {
  return assistants.flatMap((judged): Sender[] => {
    const { assistant, configState, detected, judgement } = judged;
    const { id, name, extension } = assistant;
    const hasExtension = extension !== undefined && isInstalled(extension);
    // The editor has its list of Custom Endpoints whether or not anyone uses it.
    const isInUse = detected && id !== CUSTOM_ENDPOINT;
    if (!isInUse && configState.kind === 'absent' && !hasExtension) return [];
    const { verdict, addition } = verdictOf(judged, reach);
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

const OFF_HERE = 'Its requests fail unless another window runs Sealed Proxy.';

function verdictOf(
  { configState, judgement: { kind } }: JudgedAssistant,
  reach: Reach,
): { readonly verdict: SenderVerdict; readonly addition: string } {
  // While the proxy does not run, the address in our entry cannot be checked.
  const isConnected = configState.kind === 'current';
  if (kind === 'unknown' && isConnected && reach.kind === 'otherProgram') return throughProxy(reach);
  if (isConnected && configState.uncompared === true && reach.kind === 'nothing') {
    const addition = reach.cause === 'offHere' ? OFF_HERE : throughProxy(reach).addition;
    return { verdict: 'unknown', addition };
  }
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
