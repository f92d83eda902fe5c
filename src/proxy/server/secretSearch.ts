// Finds the secrets of access keys in texts, whatever is around them.
import { hash, randomInt } from 'node:crypto';

/** The length of a secret, in characters. */
const LENGTH = 43;
/** What a secret can be in. */
const LONG_WORD = new RegExp(`[\\w-]{${LENGTH},}`, 'g');

/**
 * The search takes a time that does not depend on the number of secrets, and grows with the length of the text only, because one
 * request may have to be searched for many. It looks at each part of the length of a secret by a rolling checksum, and
 * compares digests only where the checksum is that of a secret. That the time tells something of a digest is of no use: nobody can
 * calculate a secret from it.
 */
export class SecretSearch {
  /** Random, so that nobody can make texts whose parts have the checksums of secrets. */
  readonly #base = randomInt(2 ** 20, 2 ** 31) * 2 + 1;
  readonly #weightOfFirst = power(this.#base, LENGTH);
  readonly #checksums: ReadonlySet<number>;
  readonly #digests: ReadonlySet<string>;

  /** @param secrets each of 43 characters of Base64url */
  constructor(secrets: readonly string[]) {
    this.#digests = new Set(secrets.map(digest));
    this.#checksums = new Set(secrets.map((secret) => this.#checksum(secret)));
  }

  get isEmpty(): boolean {
    return this.#digests.size === 0;
  }

  has(secret: string): boolean {
    return this.#digests.has(digest(secret));
  }

  /** Whether a part of the text is a secret. */
  isIn(text: string): boolean {
    return !this.isEmpty && (text.match(LONG_WORD) ?? []).some((word) => this.#isPartOf(word));
  }

  #isPartOf(word: string): boolean {
    let checksum = this.#checksum(word.slice(0, LENGTH));
    for (let end = LENGTH; ; end++) {
      if (this.#checksums.has(checksum) && this.has(word.slice(end - LENGTH, end))) return true;
      if (end === word.length) return false;
      const first = word.charCodeAt(end - LENGTH);
      checksum = (Math.imul(checksum, this.#base) + word.charCodeAt(end) - Math.imul(first, this.#weightOfFirst)) | 0;
    }
  }

  #checksum(text: string): number {
    let checksum = 0;
    for (let index = 0; index < text.length; index++) {
      checksum = (Math.imul(checksum, this.#base) + text.charCodeAt(index)) | 0;
    }
    return checksum;
  }
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count++) result = Math.imul(result, base);
  return result;
}

function digest(secret: string): string {
  return hash('sha256', secret);
}
