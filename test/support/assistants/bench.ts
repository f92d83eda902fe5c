// One assistant in a home and a project of its own, in front of the real proxy, with a tap on the wire between the two.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogicalHandler } from '../../../src/devEnclave/model/logical.ts';
import type { AssistantEndpoint } from '../../../src/assistants/types.ts';
import { MODEL } from '../e2e/chat.ts';
import { RunningProcess, environment } from '../e2e/process.ts';
import type { ServerProcess } from '../e2e/scope.ts';
import { recordedModel } from '../e2e/recordedModel.ts';
import type { SentAnswer } from '../e2e/recordedModel.ts';
import { ACCESS_KEY } from '../e2e/scope.ts';
import type { Scope } from '../e2e/scope.ts';
import type { TcpRecorder } from '../e2e/tcpRecorder.ts';
import { endThoseIn } from './processes.ts';

/** What the assistants are told of the model, in tokens. */
export const MAX_OUTPUT = 8192;

/** A program with what it is started with. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Bench {
  readonly home: string;
  readonly project: string;
  /** A file of the project, and the word in it. */
  readonly path: string;
  readonly word: string;
  /** What our own code tells the assistant. */
  readonly connection: AssistantEndpoint;
  readonly proxy: ServerProcess;
  readonly tap: TcpRecorder;
  /** What has reached the enclave, and what it has answered. */
  readonly answers: readonly SentAnswer[];
  start(command: Command): RunningProcess;
  /** Ends whatever the assistant has left behind. Returns how many processes those were. */
  clear(): Promise<number>;
}

/** `handlerFor` makes the model, which may know the file that the assistant is to read. */
export async function openBench(scope: Scope, handlerFor: (path: string) => LogicalHandler): Promise<Bench> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sealed-proxy-assistant-')));
  const [home, project, temporary] = ['home', 'project', 'temporary'].map((name) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  }) as [string, string, string];
  const path = join(project, 'fact.txt');
  const word = `word-${randomBytes(16).toString('hex')}`;
  writeFileSync(path, `The word is ${word}.\n`);

  const { handler, answers } = recordedModel(handlerFor(path));
  const proxy = await scope.proxy(await scope.enclave({ handler }));
  const tap = await scope.recorder(proxy);
  const clear = () => endThoseIn(home);
  scope.onClose(async () => {
    await clear();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const model = { id: MODEL, contextWindow: 128_000, maxOutput: MAX_OUTPUT };
  return {
    ...{ home, project, path, word, proxy, tap, answers, clear },
    connection: { home, key: ACCESS_KEY, now: Date.now(), baseUrl: `${tap.url}/v1`, model, models: [model] },
    start: ({ file, args, env }) =>
      new RunningProcess(
        spawn(file, args, {
          cwd: project,
          env: environment({ HOME: home, TMPDIR: temporary, TERM: 'dumb', NO_COLOR: '1', ...env }),
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true, // a process group of its own, as a terminal would give it
        }),
      ),
  };
}
