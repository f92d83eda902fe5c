import type { UpstreamHandler, UpstreamHead } from '../../src/session/transport.ts';
import { DEADLINE, withTimeout } from './withTimeout.ts';

/** Records the events of a request: `head 200`, `data text`, `end`, `error CODE`. */
export class RecordingHandler implements UpstreamHandler {
  readonly events: string[] = [];
  heads: UpstreamHead[] = [];
  bytes = 0;
  error: unknown;
  /** Is called during each event. */
  during: (event: string) => void = () => undefined;
  #wake: (() => void) | undefined;

  onHead(head: UpstreamHead): void {
    this.heads.push(head);
    this.#record(`head ${head.status}`);
  }

  onData(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    this.#record(`data ${chunk.length < 100 ? Buffer.from(chunk).toString('latin1') : chunk.length}`);
  }

  onEnd(): void {
    this.#record('end');
  }

  onError(error: unknown): void {
    this.error = error;
    this.#record(`error ${String((error as { code?: unknown }).code)}`);
  }

  /** Waits for an event that begins with `prefix`. */
  async until(prefix: string): Promise<void> {
    while (!this.events.some((event) => event.startsWith(prefix))) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await withTimeout(`"${prefix}" after ${JSON.stringify(this.events.slice(-5))}`, DEADLINE, more);
    }
  }

  #record(words: string): void {
    this.events.push(words);
    this.during(words);
    this.#wake?.();
  }
}
