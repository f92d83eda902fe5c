// What is known to send prompts, in one list. Pure.
import type { VisibleCommand } from '../presentation/commands.ts';
import { describeStatus } from '../presentation/statusText.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { assistantSenders } from './assistantSenders.ts';
import type { JudgedAssistant } from './assistantSenders.ts';
import { editorSenders } from './editorSenders.ts';
import type { EditorReading } from './editorSenders.ts';
import { extensionSenders } from './extensionSenders.ts';
import type { InstalledExtension } from './extensionSenders.ts';
import { programSenders } from './programs.ts';
import { reachOf } from './reach.ts';
import type { Reach } from './reach.ts';
import { VERDICT_ORDER } from './sender.ts';
import type { Group, Sender } from './sender.ts';

export interface MapFacts {
  readonly status: ProxyStatus;
  /** Undefined before the editor was read for the first time. */
  readonly editor: EditorReading | undefined;
  /** Without this extension itself. */
  readonly extensions: readonly InstalledExtension[];
  readonly assistants: readonly JudgedAssistant[];
  /** The ids of programs found on this computer: see `findPrograms`. */
  readonly programs: readonly string[];
  /** The names of the access keys for assistants. */
  readonly keyNames: readonly string[];
}

export interface PromptMap {
  readonly reach: Reach;
  /** What helps while nothing reaches the backend; null if nothing has to be done. */
  readonly remedy: VisibleCommand | null;
  /** By group; the worst of each group first. */
  readonly senders: readonly Sender[];
}

const GROUPS: readonly Group[] = ['editor', 'extensions', 'commandLine'];

export function promptMap({ status, editor, extensions, assistants, programs, keyNames }: MapFacts): PromptMap {
  const reach = reachOf(status);
  const installed = new Set(extensions.map(({ id }) => id.toLowerCase()));
  const covered = assistants.flatMap(({ assistant }) => assistant.extension ?? []);
  const senders = [
    ...editorSenders(editor, reach),
    ...assistantSenders(assistants, reach, (id) => installed.has(id.toLowerCase())),
    ...extensionSenders(extensions, covered),
    ...programSenders(programs, keyNames),
  ];
  const rank = ({ verdict }: Sender) => VERDICT_ORDER.indexOf(verdict);
  const works = reach.kind === 'enclave' || reach.kind === 'development';
  return {
    reach,
    remedy: works ? null : describeStatus(status).remedy,
    senders: GROUPS.flatMap((group) =>
      senders.filter((sender) => sender.group === group).toSorted((a, b) => rank(a) - rank(b)),
    ),
  };
}
