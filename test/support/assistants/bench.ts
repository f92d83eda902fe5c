// One assistant with its own home folder and project, connected to a real proxy through a TCP recorder.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AssistantEndpoint } from '../../../src/assistants/adapters/assistant.ts';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { MODEL } from '../e2e/chat.ts';
import { RunningProcess, environment } from '../e2e/process.ts';
import { recordedModel } from '../e2e/recordedModel.ts';
import type { SentResponse } from '../e2e/recordedModel.ts';
import type { ServerProcess } from '../e2e/scope.ts';
import { ACCESS_KEY } from '../e2e/scope.ts';
import type { Scope } from '../e2e/scope.ts';
import type { TcpRecorder } from '../e2e/tcpRecorder.ts';
import { endProcessesOf } from './processes.ts';

/** The output limit in the assistants' configuration, in tokens. */
export const MAX_OUTPUT = 8192;

const CONTEXT_WINDOW = 128_000;

/** How to start a program. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Bench {
  readonly home: string;
  readonly project: string;
  /** A file of the project, and a word that only this file contains. */
  readonly path: string;
  readonly word: string;
  /** What the product writes to the assistant's configuration. */
  readonly endpoint: AssistantEndpoint;
  readonly proxy: ServerProcess;
  readonly recorder: TcpRecorder;
  /** The requests that reached the enclave, with its responses. */
  readonly answers: readonly SentResponse[];
  start(command: Command): RunningProcess;
  /** Ends the processes that the assistant has left running. Returns their number. */
  endProcesses(): Promise<number>;
}

/**
 * @param handlerFor creates the model, given the file that the assistant should read
 * @param contextWindow of the model, in tokens
 */
export async function openBench(
  scope: Scope,
  handlerFor: (path: string) => ApiHandler,
  contextWindow = CONTEXT_WINDOW,
): Promise<Bench> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sealed-proxy-assistant-')));
  const [home, project, temporary] = ['home', 'project', 'temporary'].map((name) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  }) as [string, string, string];
  const path = join(project, 'fact.txt');
  const word = `word-${randomBytes(16).toString('hex')}`;
  writeFileSync(path, `The word is ${word}.\n`);

  const { handler, responses: answers } = recordedModel(handlerFor(path));
  const settings = { PROXY_MESSAGES_MODEL: MODEL, PROXY_RESPONSES_MODEL: MODEL };
  const proxy = await scope.proxy(await scope.enclave({ handler }), settings);
  const recorder = await scope.recorder(proxy);
  const endProcesses = () => endProcessesOf(home);
  scope.onClose(async () => {
    await endProcesses();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const model = { id: MODEL, limits: { contextWindow, maxOutput: MAX_OUTPUT } };
  return {
    ...{ home, project, path, word, proxy, recorder, answers, endProcesses },
    endpoint: { home, key: ACCESS_KEY, now: Date.now(), baseUrl: `${recorder.url}/v1`, model, models: [model] },
    start: ({ file, args, env }) =>
      new RunningProcess(
        spawn(file, args, {
          cwd: project,
          env: environment({ HOME: home, TMPDIR: temporary, TERM: 'dumb', NO_COLOR: '1', ...env }),
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true, // a process group of its own, as in a terminal
        }),
      ),
  };
}
