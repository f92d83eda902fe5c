/** The characters that matter: quotes, escapes and brackets. */
const MARKS = /["\\[\]{}]/g;

/** Finds the end of an object in JSON text that comes in chunks, reading each character once. */
export class JsonObjectEnd {
  #depth = 0;
  #isReached = false;
  #inString = false;
  /** The last chunk ended with a backslash in a string. */
  #isEscaped = false;

  /** Whether the object is complete. */
  get isReached(): boolean {
    return this.#isReached;
  }

  push(text: string): void {
    let from = this.#isEscaped ? 1 : 0;
    if (text === '') return;
    this.#isEscaped = false;
    MARKS.lastIndex = from;
    for (let match = MARKS.exec(text); match !== null; match = MARKS.exec(text)) {
      from = match.index + 1;
      if (this.#inString && match[0] === '\\') {
        this.#isEscaped = from === text.length;
        MARKS.lastIndex = from + 1;
      } else {
        this.#read(match[0]);
      }
    }
  }

  #read(mark: string): void {
    if (mark === '"') this.#inString = !this.#inString;
    if (this.#inString || mark === '"' || mark === '\\') return;
    this.#depth += mark === '{' || mark === '[' ? 1 : -1;
    if (this.#depth <= 0) this.#isReached = true;
  }
}
