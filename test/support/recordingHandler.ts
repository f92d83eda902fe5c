import type { UpstreamHandler, UpstreamHead } from '../../src/session/transport.ts';
import { DEADLINE, withTimeout } from './withTimeout.ts';

/** Writes down what a request hears: `head 200`, `data text`, `end`, `error CODE`. */
export class RecordingHandler implements UpstreamHandler {
  readonly heard: string[] = [];
  heads: UpstreamHead[] = [];
  bytes = 0;
  error: unknown;
  /** Called inside each call, with what was heard. */
  during: (heard: string) => void = () => undefined;
  #wake: (() => void) | undefined;

  onHead(head: UpstreamHead): void {
    this.heads.push(head);
    this.#hear(`head ${head.status}`);
  }

  onData(piece: Uint8Array): void {
    this.bytes += piece.length;
    this.#hear(`data ${piece.length < 100 ? Buffer.from(piece).toString('latin1') : piece.length}`);
  }

  onEnd(): void {
    this.#hear('end');
  }

  onError(error: unknown): void {
    this.error = error;
    this.#hear(`error ${String((error as { code?: unknown }).code)}`);
  }

  /** Waits until something that begins so was heard. */
  async until(words: string): Promise<void> {
    while (!this.heard.some((heard) => heard.startsWith(words))) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await withTimeout(`"${words}", having heard ${JSON.stringify(this.heard.slice(-5))}`, DEADLINE, more);
    }
  }

  #hear(words: string): void {
    this.heard.push(words);
    this.during(words);
    this.#wake?.();
  }
}
