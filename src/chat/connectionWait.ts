import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describeStatus } from '../presentation/statusText.ts';
import { joined } from '../presentation/text.ts';
import { PROMPT_NOT_SENT } from '../shared/errors.ts';
import { isConnected } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { ChatError } from './chatError.ts';

/** Between two checks of the connection while a request waits, in milliseconds. */
const BETWEEN_CHECKS = 2000;

/** Lets requests wait until the proxy is connected to the backend. */
export class ConnectionWait {
  readonly #check: () => Promise<void>;
  readonly #betweenChecks: number;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #status: ProxyStatus = { kind: 'off' };

  /** @param check checks the connection now, if the proxy runs */
  constructor(check: () => Promise<void>, betweenChecks = BETWEEN_CHECKS) {
    this.#check = check;
    this.#betweenChecks = betweenChecks;
  }

  update(status: ProxyStatus): void {
    this.#status = status;
    this.#changes.emit('status');
  }

  /**
   * Resolves when the proxy is connected.
   * @param deadline when it aborts, the wait is over
   * @throws ChatError with the cause and the remedy: after the deadline, and at once if only a new API key can help
   * @throws the reason of `signal`
   */
  async connected(deadline: AbortSignal, signal: AbortSignal): Promise<void> {
    if (isConnected(this.#status)) return;
    const end = new AbortController();
    const over = AbortSignal.any([deadline, signal, end.signal]);
    void this.#keepChecking(over);
    try {
      while (!isConnected(this.#status)) {
        signal.throwIfAborted();
        if (deadline.aborted || needsKey(this.#status)) throw notConnected(this.#status);
        await once(this.#changes, 'status', { signal: over }).catch(() => undefined);
      }
    } finally {
      end.abort();
    }
  }

  /** Checks a connection that has just failed; ends early when a signal aborts. */
  async recheck(...signals: readonly AbortSignal[]): Promise<void> {
    const over = AbortSignal.any([...signals]);
    if (!over.aborted) await Promise.race([this.#check().catch(() => undefined), once(over, 'abort')]);
  }

  async #keepChecking(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#check().catch(() => undefined);
      await setTimeout(this.#betweenChecks, undefined, { signal: over }).catch(() => undefined);
    }
  }
}

function needsKey(status: ProxyStatus): boolean {
  return status.kind === 'running' && (status.health.kind === 'noKey' || status.health.kind === 'keyRejected');
}

function notConnected(status: ProxyStatus): ChatError {
  const { headline, detail } = describeStatus(status);
  const message = joined(headline, PROMPT_NOT_SENT, detail === '' ? 'Try again in a moment.' : detail);
  return new ChatError(message, needsKey(status) ? 'noPermissions' : 'other');
}
