// The agents that speak a dialect, and the tools that a scripted model calls in them.
import type { Bench, Command } from './bench.ts';
import { modulesOf } from './releases.ts';
import type { Call } from './script.ts';
import { CODEX_OPTIONS, claude, codex } from './terminals.ts';

export interface Agent {
  /** The ID of the assistant. */
  readonly id: string;
  /** The tool that only its main requests offer. */
  readonly editTool: string;
  /** A user message that asks for a summary of the conversation. */
  readonly asksForSummary: RegExp;
  read(path: string): Call;
  /** Replaces a line of a file. */
  edit(path: string, from: string, to: string): Call;
  run(command: string): Call;
  start(task: string): Command;
  /** Goes on with the latest conversation. */
  resume(task: string): Command;
}

const TOOLS = ['--allowedTools', 'Read,Edit,Bash'];

/**
 * Codex offers its freeform tool for patches only to models that it knows. The backend does not offer this one, so the
 * configured model replaces it.
 */
const PATCHING = [...CODEX_OPTIONS, '--model', 'gpt-5.5'];

export const AGENTS: readonly Agent[] = [
  {
    id: 'claude-code',
    editTool: 'Edit',
    asksForSummary: /create a detailed summary/i,
    read: (file_path) => ({ name: 'Read', arguments: { file_path } }),
    edit: (file_path, old_string, new_string) => ({ name: 'Edit', arguments: { file_path, old_string, new_string } }),
    run: (command) => ({ name: 'Bash', arguments: { command, description: 'Runs a command' } }),
    start: (task) => ({ file: claude(modulesOf('claude-code')), args: ['-p', task, ...TOOLS] }),
    resume: (task) => ({ file: claude(modulesOf('claude-code')), args: ['-p', task, '--continue', ...TOOLS] }),
  },
  {
    id: 'codex',
    editTool: 'apply_patch',
    asksForSummary: /CHECKPOINT COMPACTION/,
    read: (path) => ({ name: 'exec_command', arguments: { cmd: `cat ${path}` } }),
    edit: (path, from, to) => ({ name: 'apply_patch', arguments: { input: patchOf(path, from, to) } }),
    run: (cmd) => ({ name: 'exec_command', arguments: { cmd } }),
    start: (task) => ({ file: codex(modulesOf('codex')), args: ['exec', ...PATCHING, task] }),
    resume: (task) => ({ file: codex(modulesOf('codex')), args: ['exec', ...PATCHING, 'resume', '--last', task] }),
  },
];

/** In the format of Codex's freeform tool. */
function patchOf(path: string, from: string, to: string): string {
  return `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch`;
}

/** What an agent sent of a conversation: each call of the model with the result of the agent. */
export interface Step {
  readonly id: string;
  readonly name: string;
  readonly json: string;
  readonly result: string;
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** The messages of the latest request that offered this tool. */
export function latestMessages({ answers }: Bench, tool: string): readonly ChatMessage[] {
  const bodies = answers
    .filter(({ request }) => request.target === '/v1/chat/completions')
    .map(({ request }) => JSON.parse(Buffer.from(request.body ?? []).toString()) as ChatBody);
  return bodies.findLast(({ tools }) => tools?.some((each) => each.function.name === tool))?.messages ?? [];
}

/** The messages of a request. */
export function messagesIn(body: Uint8Array | undefined): readonly ChatMessage[] {
  return (JSON.parse(Buffer.from(body ?? []).toString()) as ChatBody).messages;
}

interface ChatBody {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/**
 * All calls of a conversation in their order, each with its result.
 * @throws Error if the results of a message do not follow it in the order of its calls
 */
export function stepsOf(messages: readonly ChatMessage[]): readonly Step[] {
  return messages.flatMap(({ tool_calls: calls = [] }, index) =>
    calls.map((call, position) => {
      const result = messages[index + 1 + position];
      if (result?.tool_call_id !== call.id) throw new Error(`the result of ${call.id} is not in its place`);
      const { name, arguments: json } = call.function;
      return { id: call.id, name, json, result: textOf(result.content) };
    }),
  );
}

/** All text of a message. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('');
}
