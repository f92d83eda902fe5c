// Names of clients, and the access keys and assistants as the dashboard lists them. Pure.
import type { AssistantAction, AssistantRow, ClientsSection, KeyRow, Tone } from '../../dashboard/model.ts';
import { visibleKeys } from '../../keys/accessKeys.ts';
import type { AccessKey, KeyOrigin } from '../../keys/accessKeys.ts';
import { LONGEST_NAME, asPlain } from '../../shared/escape.ts';
import { DIRECT, UNKNOWN } from '../../shared/usage.ts';
import { capitalized } from '../text.ts';

const OWN = "VS Code's chat and connection checks";
const ORIGINS: Readonly<Record<KeyOrigin, string>> = {
  user: 'Created by you',
  client: 'Allowed by you for an extension',
  assistant: 'Connected assistant',
  terminal: 'Terminals of VS Code',
  own: 'Sealed Proxy itself',
};

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
  if (known !== undefined) return known.origin === 'own' ? OWN : asPlain(known.name, LONGEST_NAME);
  return formerName === '' ? 'Revoked key' : `${asPlain(formerName, LONGEST_NAME)} (revoked)`;
}

/** In the result of a check that failed: its assistant is not shown as ready. */
export const CANNOT_USE = 'cannot use the proxy.';

/** An assistant as a plain value; the words are the caller's. */
export interface AssistantFacts {
  readonly id: string;
  readonly name: string;
  readonly state: 'current' | 'outdated' | 'other' | 'refused' | 'absent';
  /** In a few words; may be empty. */
  readonly description: string;
  /** Where its prompts go; `notCompared`: that is not known while the proxy does not run. */
  readonly sealing: 'sealed' | 'partly' | 'elsewhere' | 'unknown' | 'notCompared';
  readonly undoable: boolean;
  /** The result of the last action, in sentences. */
  readonly note: string;
}

export function clientsSection(keys: readonly AccessKey[], assistants: readonly AssistantFacts[]): ClientsSection {
  return { keys: visibleKeys(keys).map(keyRow), assistants: assistants.filter(isListed).map(assistantRow) };
}

function keyRow({ id, name, origin, createdAt, lastUsedAt }: AccessKey): KeyRow {
  return { id, name: asPlain(name, LONGEST_NAME), origin: ORIGINS[origin], createdAt, lastUsedAt, revocable: true };
}

/** Those that are connected, were connected, or cannot be read. */
function isListed({ state, undoable }: AssistantFacts): boolean {
  return undoable || state === 'current' || state === 'outdated' || state === 'refused';
}

function assistantRow({ id, name, state, description, sealing, undoable, note }: AssistantFacts): AssistantRow {
  const actions: AssistantAction[] = [];
  if (state === 'current') actions.push('check');
  if (state === 'outdated') actions.push('repair');
  if (undoable) actions.push('undo');
  return {
    id,
    name,
    tone: state === 'current' && note.includes(CANNOT_USE) ? 'warning' : toneOf(state, sealing),
    state: capitalized(asPlain(description) || 'not connected'),
    actions,
    note: asPlain(note, 500),
  };
}

function toneOf(state: AssistantFacts['state'], sealing: AssistantFacts['sealing']): Tone {
  switch (state) {
    case 'current':
      if (sealing === 'notCompared') return 'neutral';
      return sealing === 'sealed' ? 'good' : 'warning';
    case 'outdated':
      return 'warning';
    case 'refused':
      return 'error';
    case 'other':
    case 'absent':
      return 'neutral';
  }
}
