import { EventEmitter, once } from 'node:events';
import { describeStatus, summaryOf } from '../presentation/statusText.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { ChatError } from './chatError.ts';

/** Lets requests wait until the proxy is connected to the backend. */
export class ConnectionWait {
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #status: ProxyStatus = { kind: 'off' };

  get isConnected(): boolean {
    return this.#status.kind === 'running' && this.#status.health.kind === 'connected';
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
    const over = AbortSignal.any([deadline, signal]);
    while (!this.isConnected) {
      signal.throwIfAborted();
      if (deadline.aborted || needsKey(this.#status)) throw notConnected(this.#status);
      await once(this.#changes, 'status', { signal: over }).catch(() => undefined);
    }
  }
}

function needsKey(status: ProxyStatus): boolean {
  return status.kind === 'running' && (status.health.kind === 'noKey' || status.health.kind === 'keyRejected');
}

function notConnected(status: ProxyStatus): ChatError {
  const view = describeStatus(status);
  const message = view.detail === '' ? `${view.headline} Try again in a moment.` : summaryOf(view);
  return new ChatError(message, needsKey(status) ? 'noPermissions' : 'other');
}
