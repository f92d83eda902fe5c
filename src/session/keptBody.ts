// The body of a request on its way: drawn as it arrives, and kept for the one resend until the response starts.

/** One place in a body, drawn by one attempt at a time. */
export interface BodyReader {
  /** The next piece; undefined at the end. Rejects once the reader was closed. */
  next(): Promise<Uint8Array | undefined>;
  close(): void;
}

export class KeptBody {
  #pieces: (Uint8Array | undefined)[] = [];
  #length = 0;
  #complete = false;
  #keep = true;
  #wake: (() => void) | undefined;

  /** In bytes, of what has come so far. */
  get length(): number {
    return this.#length;
  }

  get complete(): boolean {
    return this.#complete;
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#wake?.();
  }

  finish(): void {
    this.#complete = true;
    this.#wake?.();
  }

  /** The whole body as its pieces, once it is complete. */
  pieces(): readonly Uint8Array[] {
    return this.#pieces.filter((piece) => piece !== undefined);
  }

  /** There will be no resend: what has been drawn, and what will be, is let go. */
  release(): void {
    this.#keep = false;
  }

  /** Nobody wants it any more. */
  discard(): void {
    this.#pieces = [];
    this.#wake = undefined;
  }

  /** From the first byte. A reader that was there before gets nothing any more. */
  read(): BodyReader {
    let position = 0;
    let closed = false;
    const waitForMore = () =>
      new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return {
      next: async () => {
        while (!closed && position === this.#pieces.length && !this.#complete) await waitForMore();
        if (closed) throw new Error('The request was given up');
        if (position === this.#pieces.length) return undefined;
        const piece = this.#pieces[position];
        if (!this.#keep) this.#pieces.fill(undefined, 0, position + 1);
        position++;
        return piece;
      },
      close: () => {
        closed = true;
        this.#wake?.();
      },
    };
  }
}
