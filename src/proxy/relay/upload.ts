// Reads the body of a local client's request, within its limits.
import { PROXY_ERRORS, busyError } from '../http/openaiErrors.ts';
import type { BodyLimit, ClientError } from '../http/openaiErrors.ts';
import type { RequestEntry } from '../usage/requestEntry.ts';
import type { Place } from './requestLimits.ts';

export interface UploadOptions {
  /** The request, as a stream. */
  readonly req: {
    on(event: 'data', listener: (chunk: Buffer) => void): unknown;
    on(event: 'end', listener: () => void): unknown;
  };
  readonly place: Pick<Place, 'keep'>;
  readonly entry: RequestEntry;
  /** The length that the client announced, in bytes; undefined for a chunked body; 0 for no body. */
  readonly bodyLength: number | undefined;
  /** True if the request uses the proxy's API key, false if the client sent its own. */
  readonly withApiKey: boolean;
  readonly limit: BodyLimit;
  /** Between two chunks, in milliseconds. */
  readonly idleTimeout: number;
}

export interface UploadReceiver {
  chunk(bytes: Buffer): void;
  /** The last call, unless the upload was refused. */
  complete(): void;
  /**
   * The last call.
   * @param end for the log
   */
  refuse(error: ClientError, end: string): void;
}

export class Upload {
  readonly #options: UploadOptions;
  readonly #receiver: UploadReceiver;
  #over = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UploadOptions, receiver: UploadReceiver) {
    this.#options = options;
    this.#receiver = receiver;
  }

  begin(): void {
    const { req, bodyLength, idleTimeout } = this.#options;
    if (bodyLength === 0) {
      this.#complete();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#refuse(PROXY_ERRORS.uploadTimeout, 'upload_timeout');
    }, idleTimeout);
    req.on('data', (chunk: Buffer) => {
      if (!this.#over) this.#take(chunk);
    });
    req.on('end', () => {
      if (!this.#over) this.#complete();
    });
  }

  /** The client may take any time from now on. */
  endTimeout(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Ignores the rest of an upload that got its response early. */
  stop(): void {
    this.#over = true;
    this.endTimeout();
  }

  #take(chunk: Buffer): void {
    const { entry, place, withApiKey, bodyLength, limit } = this.#options;
    entry.received(chunk);
    if (entry.bytesIn > limit.max) {
      this.#refuse(limit.error, 'body_too_large');
      return;
    }
    if (!place.keep(chunk.length)) {
      this.#refuse(busyError(withApiKey), 'busy');
      return;
    }
    this.#timer?.refresh();
    this.#receiver.chunk(chunk);
    if (entry.bytesIn === bodyLength) this.#complete();
  }

  #complete(): void {
    this.stop();
    this.#receiver.complete();
  }

  #refuse(error: ClientError, end: string): void {
    this.stop();
    this.#receiver.refuse(error, end);
  }
}
