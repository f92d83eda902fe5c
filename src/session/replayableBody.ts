// The body of a request on its way: drawn as it arrives, and kept for the one resend until the response starts.

/** One place in a body, drawn by one attempt at a time. */
export interface BodyReader {
  /** The next piece; undefined at the end. Rejects once the reader was closed. */
  next(): Promise<Uint8Array | undefined>;
  close(): void;
}

interface Piece {
  readonly bytes: Uint8Array;
  /** How many of the bytes are there; a block is filled as more small pieces come. */
  filled: number;
  readonly isBlock: boolean;
}

/** A piece below this size is copied into a block with its neighbours, or each would cost far more than it holds. */
const SMALL = 4096;
const BLOCK = 64 * 1024;

export class ReplayableBody {
  #pieces: (Piece | undefined)[] = [];
  #length = 0;
  #complete = false;
  #keep = true;
  /** How many pieces the reader is through with. */
  #spent = 0;
  #wake: (() => void) | undefined;

  /** In bytes, of what has come so far. */
  get length(): number {
    return this.#length;
  }

  get complete(): boolean {
    return this.#complete;
  }

  /** The bytes are not copied unless they are few: they must not change afterwards. */
  push(bytes: Uint8Array): void {
    if (!this.#fillBlock(bytes)) this.#pieces.push({ bytes, filled: bytes.length, isBlock: false });
    this.#length += bytes.length;
    this.#wake?.();
  }

  finish(): void {
    this.#complete = true;
    this.#wake?.();
  }

  /** The whole body as its pieces, while nothing of it was let go. */
  pieces(): readonly Uint8Array[] {
    return this.#pieces.flatMap((piece) => (piece === undefined ? [] : [piece.bytes.subarray(0, piece.filled)]));
  }

  /** There will be no resend: what has been drawn, and what will be, is let go. */
  release(): void {
    this.#keep = false;
    this.#pieces.fill(undefined, 0, this.#spent);
  }

  /** Nobody wants it any more. */
  discard(): void {
    this.#pieces = [];
    this.#wake = undefined;
  }

  /** From the first byte. */
  read(): BodyReader {
    let index = 0;
    let offset = 0;
    let closed = false;
    this.#spent = 0;
    const draw = (): Uint8Array | undefined => {
      for (let piece = this.#pieces[index]; piece !== undefined; piece = this.#pieces[++index]) {
        const { bytes, filled } = piece;
        if (offset < filled) {
          const drawn = bytes.subarray(offset, filled);
          offset = filled;
          return drawn;
        }
        if (index === this.#pieces.length - 1) return undefined; // a block that may still be filled
        if (!this.#keep) this.#pieces[index] = undefined;
        this.#spent = index + 1;
        offset = 0;
      }
      return undefined;
    };
    return {
      next: async () => {
        for (;;) {
          if (closed) throw new Error('The request was given up');
          const drawn = draw();
          if (drawn !== undefined || this.#complete) return drawn;
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          await new Promise(setImmediate); // what else comes in this turn is drawn with it
        }
      },
      close: () => {
        closed = true;
        this.#wake?.();
      },
    };
  }

  /** The first small piece is left as it is: most bodies are one. */
  #fillBlock(bytes: Uint8Array): boolean {
    const last = this.#pieces.at(-1);
    if (last === undefined || bytes.length >= SMALL) return false;
    if (last.filled + bytes.length <= last.bytes.length && last.isBlock) {
      last.bytes.set(bytes, last.filled);
      last.filled += bytes.length;
      return true;
    }
    // A block of a block's size behind a full one, a small one behind anything else: it must not outweigh what it holds.
    const block = { bytes: new Uint8Array(last.isBlock ? BLOCK : SMALL), filled: bytes.length, isBlock: true };
    block.bytes.set(bytes);
    this.#pieces.push(block);
    return true;
  }
}
