// Runs a released assistant once in its surroundings, connected to the real proxy, with the observer wherever prompts could
// leave to.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Assistant, AssistantEndpoint, Expected } from '../../../../src/assistants/adapters/assistant.ts';
import { judge } from '../../../../src/assistants/judge.ts';
import type { Judgement } from '../../../../src/assistants/judging/judgement.ts';
import type { Surroundings } from '../../../../src/assistants/judging/surroundings.ts';
import { FILE_ASSISTANTS } from '../../../../src/assistants/registry.ts';
import type { ChatRequest } from '../../../../src/devEnclave/model/chatRequest.ts';
import { MODEL } from '../../e2e/chat.ts';
import { RunningProcess, environment } from '../../e2e/process.ts';
import { recordedModel } from '../../e2e/recordedModel.ts';
import { ACCESS_KEY } from '../../e2e/scope.ts';
import type { Scope } from '../../e2e/scope.ts';
import { MAX_OUTPUT } from '../bench.ts';
import type { Command } from '../bench.ts';
import { Observer } from '../observer.ts';
import { endProcessesOf } from '../processes.ts';
import { modulesOf } from '../releases.ts';
import { callWhen } from '../script.ts';
import type { Call } from '../script.ts';
import { TERMINALS } from '../terminals.ts';
import { ENTRIES, ownText } from './entries.ts';
import type { At, Surrounding } from './surrounding.ts';

/** What became of the prompts of one run. */
export interface Outcome {
  /** The requests with the prompt or the access key that the observer received: `POST /v1/responses`. */
  readonly left: readonly string[];
  /** The number of requests with the prompt that the enclave has decrypted. */
  readonly sealed: number;
  /** What the product says of it. */
  readonly judgement: Judgement;
  readonly output: string;
}

/** Who wrote the entry of the assistant. */
export type Writer = 'version 0.7.0' | 'this version';

const CONTEXT_WINDOW = 128_000;

/** One proxy and one enclave for all runs. Each run has a word of its own, by which its requests are known. */
export class Laboratory {
  readonly #scope: Scope;
  readonly #baseUrl: string;
  readonly #bodies: () => readonly string[];
  readonly #calls: Map<string, (task: string) => Call>;

  private constructor(
    scope: Scope,
    baseUrl: string,
    bodies: () => readonly string[],
    calls: Map<string, (task: string) => Call>,
  ) {
    this.#scope = scope;
    this.#baseUrl = baseUrl;
    this.#bodies = bodies;
    this.#calls = calls;
  }

  static async open(scope: Scope): Promise<Laboratory> {
    const calls = new Map<string, (task: string) => Call>();
    const { handler, responses } = recordedModel(callWhen((request) => firstCall(request, calls)));
    const settings = { PROXY_MESSAGES_MODEL: MODEL, PROXY_RESPONSES_MODEL: MODEL };
    const proxy = await scope.proxy(await scope.enclave({ handler }), settings);
    const bodies = () => responses.map(({ request }) => Buffer.from(request.body ?? []).toString());
    return new Laboratory(scope, `${proxy.url}/v1`, bodies, calls);
  }

  async run(id: string, surrounding: Surrounding, writer: Writer): Promise<Outcome> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sealed-proxy-surroundings-')));
    const [home, project, system, temporary] = ['home', 'project', 'system', 'temporary'].map((name) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    }) as [string, string, string, string];
    const observer = await Observer.open();
    this.#scope.onClose(async () => {
      await endProcessesOf(home);
      await observer.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    const word = `word-${randomBytes(8).toString('hex')}`;
    if (surrounding.call !== undefined) this.#calls.set(word, surrounding.call);
    const at: At = { observer: observer.url, home, project };
    const command = commandOf(id, word, surrounding);
    const variables = environment({
      ...{ HOME: home, TMPDIR: temporary, TERM: 'dumb', NO_COLOR: '1' },
      ...{ ...command.env, ...surrounding.variables?.(at) },
    });

    const assistant = assistantWith(id);
    const model = { id: MODEL, limits: { contextWindow: CONTEXT_WINDOW, maxOutput: MAX_OUTPUT } };
    const expected = { home, key: ACCESS_KEY, baseUrl: this.#baseUrl };
    const endpoint = { ...expected, now: Date.now(), model, models: [model], environment: variables };
    if (writer === 'version 0.7.0') writeEntry(assistant, surrounding, endpoint, at);
    else await connect(assistant, surrounding, endpoint, at);
    writeFiles(home, surrounding.home?.(at));
    writeFiles(project, surrounding.project?.(at));
    writeFiles(system, surrounding.system?.(at));
    // Before the run, as a user would see it.
    const judgement = await judgementOf(assistant, expected, {
      ...{ editor: variables, terminal: variables, folders: [project], system },
      ...{ platform: process.platform, setting: () => undefined },
    });

    const { file, args } = withSystem(command, surrounding, folder);
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const program = new RunningProcess(spawn(file, args, { cwd: project, env: variables, stdio: [...stdio] }));
    await program.exit(); // with an error, where the observer is no real provider
    await endProcessesOf(home);
    return {
      left: [...observer.seen(word), ...observer.seen(ACCESS_KEY)].map(({ method, target }) => `${method} ${target}`),
      sealed: this.#bodies().filter((body) => body.includes(word)).length,
      judgement,
      output: [...program.stdout.items, ...program.stderr.items].join('\n'),
    };
  }
}

async function judgementOf(assistant: Assistant, expected: Expected, surroundings: Surroundings): Promise<Judgement> {
  const state = await assistant.inspect(expected);
  const { routes } = await assistant.routes(expected, surroundings);
  return judge(assistant.name, state, routes);
}

function assistantWith(id: string): Assistant {
  const assistant = FILE_ASSISTANTS.find((each) => each.id === id);
  assert.ok(assistant);
  return assistant;
}

function writeEntry({ id }: Assistant, { own }: Surrounding, endpoint: AssistantEndpoint, at: At): void {
  const entry = ENTRIES[id];
  assert.ok(entry);
  writeFiles(at.home, { [entry.path]: entry.add(own?.(at) ?? {}, endpoint) });
}

async function connect(assistant: Assistant, { own }: Surrounding, endpoint: AssistantEndpoint, at: At): Promise<void> {
  const path = ENTRIES[assistant.id]?.path ?? '';
  if (own !== undefined) writeFiles(at.home, { [path]: ownText(path, own(at)) });
  const plan = await assistant.plan(endpoint);
  assert.ok(plan.kind === 'change', JSON.stringify(plan));
  const applied = await assistant.apply(plan);
  assert.equal(applied.kind, 'applied');
}

/** A call for the first request of a run that has one, with a task that the requests of the subagent are known by. */
function firstCall(request: ChatRequest, calls: ReadonlyMap<string, (task: string) => Call>): Call | undefined {
  const text = request.messages.map((message) => message.text).join('\n');
  const [word, call] = [...calls].find(([each]) => text.includes(each)) ?? [];
  if (word === undefined || call === undefined) return undefined;
  const task = `a-part-of-${word}`;
  if (text.includes(task)) return undefined; // the subagent
  const wanted = call(task);
  const isFirst = request.messages.every(({ role }) => role !== 'tool');
  return isFirst && request.tools.some(({ name }) => name === wanted.name) ? wanted : undefined;
}

function commandOf(id: string, word: string, { args = [] }: Surrounding): Command {
  const terminal = TERMINALS.find((each) => each.id === id);
  assert.ok(terminal);
  const command = terminal.command(modulesOf(id), `Say hello to ${word}.`, '');
  return { ...command, args: [...command.args, ...args] };
}

/** With the files of an organization below the root, which only this program sees. */
function withSystem(command: Command, { system }: Surrounding, folder: string): Command {
  if (system === undefined) return command;
  const etc = join(folder, 'etc');
  cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true });
  cpSync(join(folder, 'system', 'etc'), etc, { recursive: true });
  const script = `mount --bind "$0" /etc && exec "$@"`;
  const args = ['--map-root-user', '--mount', 'sh', '-c', script, etc, command.file, ...command.args];
  return { ...command, file: 'unshare', args };
}

function writeFiles(folder: string, files: Readonly<Record<string, string>> = {}): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
