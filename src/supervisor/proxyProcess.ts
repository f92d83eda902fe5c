// One proxy process: forked, spoken to by message, ended. It needs nothing of the editor.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { parseFromProxy } from '../shared/messages.ts';
import type { FromProxy, ToProxy } from '../shared/messages.ts';

export interface ProcessOptions {
  /** The bundle of the proxy. */
  readonly module: string;
  /** A folder of the extension's own. */
  readonly cwd: string;
  readonly onMessage: (message: FromProxy) => void;
  /** It has ended; true if it was asked to. */
  readonly onExit: (asked: boolean) => void;
  /** A line of its log. */
  readonly onLog: (line: string) => void;
}

/** The host gives all extensions together five seconds to end. */
const STOP_LIMIT = 4000;

/** In characters. Whatever is longer is no line of the proxy's log. */
const MAX_LINE = 64 * 1024;

/** Held here as well as by whoever uses it: a handle that is collected would close the channel. */
const running = new Set<ChildProcess>();

export class ProxyProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #freed: Promise<void>;
  #asked = false;

  constructor({ module, cwd, onMessage, onExit, onLog }: ProcessOptions) {
    const child = fork(module, [], {
      cwd,
      execArgv: [],
      env: childEnvironment(process.env),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      windowsHide: true,
    });
    this.#child = child;
    running.add(child);
    this.#exited = new Promise((resolve) => {
      const ended = () => {
        running.delete(child);
        onExit(this.#asked);
        resolve();
      };
      child.once('exit', ended);
      child.on('error', ({ message }) => {
        if (child.pid !== undefined) return; // of a message that raced with its end: `exit` follows
        onLog(`The proxy process cannot be started: ${message}`);
        ended(); // one that never began has no `exit`
      });
    });
    this.#freed = new Promise((resolve) => {
      child.on('message', (value) => {
        const message = parseFromProxy(value);
        if (message?.type === 'stopped') resolve();
        if (message !== undefined) onMessage(message);
      });
    });
    forLines(child, onLog);
  }

  send(message: ToProxy): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Asks it to end; after a while, makes it. Its running responses get that while. */
  async stop(): Promise<void> {
    await this.#askToStop(this.#exited);
  }

  /**
   * Asks it to stop listening, and resolves when the port is free. What it serves it may finish: it ends by itself, or
   * with its host.
   */
  async release(): Promise<void> {
    await this.#askToStop(Promise.race([this.#freed, this.#exited]));
  }

  /** Ends it at once: it does nothing of what it should. */
  kill(): void {
    this.#asked = true;
    this.#child.kill('SIGKILL');
  }

  /** The same, to be started again as after any crash. */
  crash(): void {
    this.#child.kill('SIGKILL');
  }

  async #askToStop(done: Promise<void>): Promise<void> {
    if (!this.#asked) this.send({ type: 'stop' }); // a second one would cut off what it serves
    this.#asked = true;
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT);
    await done;
    clearTimeout(limit);
  }
}

/** Without what is meant for the editor's own processes. */
export function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(
    ([name]) => !/^(NODE_OPTIONS$|VSCODE_|ELECTRON_)/i.test(name), // Windows does not mind the case
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
