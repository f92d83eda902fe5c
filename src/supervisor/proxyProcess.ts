import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { parseFromProxy } from '../shared/messages.ts';
import type { FromProxy, ToProxy } from '../shared/messages.ts';
import type { SupervisorHost } from './supervisorHost.ts';

/** Milliseconds. The editor gives all extensions together five seconds to end. */
const STOP_LIMIT = 4000;
/** V8 would let the young objects of each thread grow to 64 MiB, and keep them: see docs/operations.md, "Sizing". */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=8'];
/** In characters. The proxy's log has no longer lines; only the end of other output is kept. */
const MAX_LINE = 64 * 1024;

export type ProcessHost = Pick<SupervisorHost, 'module' | 'cwd' | 'onLog'>;
type Started = Extract<FromProxy, { type: 'ready' | 'failed' }>;

/** One forked proxy process. Whoever starts it keeps it until it has exited: garbage collection would close its channel. */
export class ProxyProcess {
  readonly #child: ChildProcess;
  /** The first message that the process is ready, or cannot start. */
  readonly started: Promise<Started>;
  /** Resolves when the process has ended and all its messages have been received. */
  readonly exited: Promise<undefined>;
  readonly #freed: Promise<undefined>;
  #stopRequested = false;

  constructor({ module, cwd, onLog }: ProcessHost, onMessage: (message: FromProxy) => void) {
    const child = fork(module, [], {
      cwd,
      execArgv: [...NODE_FLAGS],
      env: childEnvironment(process.env),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      windowsHide: true,
    });
    this.#child = child;
    const started = Promise.withResolvers<Started>();
    const freed = Promise.withResolvers<undefined>();
    const exited = Promise.withResolvers<undefined>();
    this.started = started.promise;
    this.#freed = freed.promise;
    this.exited = exited.promise;
    child.on('message', (value) => {
      const message = parseFromProxy(value);
      if (message?.type === 'ready' || message?.type === 'failed') started.resolve(message);
      if (message?.type === 'stopped') freed.resolve(undefined);
      if (message !== undefined) onMessage(message);
    });
    child.once('exit', () => {
      // Its last messages may not have been read yet.
      if (child.connected) child.once('disconnect', exited.resolve);
      else exited.resolve(undefined);
    });
    child.on('error', ({ message }) => {
      if (child.pid !== undefined) return; // a message could not be sent: `exit` follows
      onLog(`The proxy process cannot be started: ${message}`);
      exited.resolve(undefined); // `exit` does not follow a failed start
    });
    forLines(child, onLog);
  }

  send(message: ToProxy): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Asks the process to end, and kills it after four seconds. Until then it can finish its responses. */
  async stop(): Promise<void> {
    await this.#askToStop(this.exited);
  }

  /**
   * Asks the process to stop listening, and resolves when the port is free. The process ends when it has finished its
   * responses, or with the editor.
   */
  async release(): Promise<void> {
    await this.#askToStop(Promise.race([this.#freed, this.exited]));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #askToStop(done: Promise<undefined>): Promise<void> {
    if (!this.#stopRequested) this.send({ type: 'stop' }); // a second `stop` would cut off its responses
    this.#stopRequested = true;
    const timer = setTimeout(() => {
      this.kill();
    }, STOP_LIMIT);
    await done;
    clearTimeout(timer);
  }
}

/** The environment for the proxy: without the variables that are meant for the editor's own processes. */
export function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(
    ([name]) => !/^(NODE_OPTIONS$|VSCODE_|ELECTRON_)/i.test(name), // names are not case-sensitive on Windows
  );
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: '1' };
}

function forLines(child: ChildProcess, onLine: (line: string) => void): void {
  let rest = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-MAX_LINE);
    lines.forEach(onLine);
  });
  child.stderr?.once('end', () => {
    if (rest !== '') onLine(rest);
  });
}
