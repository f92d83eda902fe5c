// The body of a request: read while it arrives, and kept for the one resend until the response starts.

/** Reads a body from its first byte. One attempt reads at a time. */
export interface BodyReader {
  /** The next chunk; undefined at the end. Rejects after `close`. */
  next(): Promise<Uint8Array | undefined>;
  close(): void;
}

interface Chunk {
  readonly bytes: Uint8Array;
  /** How many of the bytes are in use; a block fills up as small chunks arrive. */
  filled: number;
  readonly isBlock: boolean;
}

/** Smaller chunks are copied together into blocks, because each would take up far more memory than it holds. */
const SMALL = 4096;
const BLOCK = 64 * 1024;

export class ReplayableBody {
  #chunks: (Chunk | undefined)[] = [];
  #length = 0;
  #complete = false;
  #announced: number | undefined;
  #keep = true;
  /** How many chunks have been read completely. */
  #readCount = 0;
  #wake: (() => void) | undefined;

  /** The number of bytes received so far. */
  get length(): number {
    return this.#length;
  }

  get complete(): boolean {
    return this.#complete;
  }

  /** How many bytes the complete body has, if that is known already. */
  get finalLength(): number | undefined {
    return this.#complete ? this.#length : this.#announced;
  }

  /** @param length how many bytes will arrive, as the client announced; undefined if it did not */
  announce(length: number | undefined): void {
    this.#announced = length;
  }

  /** Appends `bytes`, which the caller must not change: only small chunks are copied. */
  push(bytes: Uint8Array): void {
    if (!this.#fillBlock(bytes)) this.#chunks.push({ bytes, filled: bytes.length, isBlock: false });
    this.#length += bytes.length;
    this.#wake?.();
  }

  finish(): void {
    this.#complete = true;
    this.#wake?.();
  }

  /** The chunks that are still kept: the complete body before `release`. */
  chunks(): readonly Uint8Array[] {
    return this.#chunks.flatMap((chunk) => (chunk === undefined ? [] : [chunk.bytes.subarray(0, chunk.filled)]));
  }

  /** There will be no resend: drops the chunks that were read, and later ones as they are read. */
  release(): void {
    this.#keep = false;
    this.#chunks.fill(undefined, 0, this.#readCount);
  }

  /** Drops the complete body. */
  discard(): void {
    this.#chunks = [];
    this.#wake = undefined;
  }

  /** Starts again from the first byte. */
  read(): BodyReader {
    let index = 0;
    let offset = 0;
    let closed = false;
    this.#readCount = 0;
    const take = (): Uint8Array | undefined => {
      for (let chunk = this.#chunks[index]; chunk !== undefined; chunk = this.#chunks[++index]) {
        const { bytes, filled } = chunk;
        if (offset < filled) {
          const taken = bytes.subarray(offset, filled);
          offset = filled;
          return taken;
        }
        if (index === this.#chunks.length - 1) return undefined; // a block that may still be filled
        if (!this.#keep) this.#chunks[index] = undefined;
        this.#readCount = index + 1;
        offset = 0;
      }
      return undefined;
    };
    return {
      next: async () => {
        for (;;) {
          if (closed) throw new Error('The request was cancelled');
          const taken = take();
          if (taken !== undefined || this.#complete) return taken;
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          await new Promise(setImmediate); // collects everything that arrives in this turn
        }
      },
      close: () => {
        closed = true;
        this.#wake?.();
      },
    };
  }

  /** Does not copy the first chunk, because most bodies consist of one. */
  #fillBlock(bytes: Uint8Array): boolean {
    const last = this.#chunks.at(-1);
    if (last === undefined || bytes.length >= SMALL) return false;
    if (last.filled + bytes.length <= last.bytes.length && last.isBlock) {
      last.bytes.set(bytes, last.filled);
      last.filled += bytes.length;
      return true;
    }
    // A large block follows only a block that is full, so that blocks do not take up much more than they hold.
    const block = { bytes: new Uint8Array(last.isBlock ? BLOCK : SMALL), filled: bytes.length, isBlock: true };
    block.bytes.set(bytes);
    this.#chunks.push(block);
    return true;
  }
}
