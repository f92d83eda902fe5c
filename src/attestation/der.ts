/** The tags (X.690 section 8.1.2) that certificates of this profile use. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element of DER. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly bytes: Uint8Array;
}

/**
 * Reads DER elements one after the other (X.690). Accepts only tags of one byte and definite lengths in their shortest
 * form. The caller must end with `end()`, which refuses further elements.
 */
export class DerReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @throws Error if the next element is missing, has another tag, or is not DER */
  next(tag: number): DerElement {
    const element = this.any();
    if (element.tag !== tag) throw new Error(`an element with tag ${element.tag} instead of ${tag}`);
    return element;
  }

  /** The next element if it has this tag. */
  optional(tag: number): DerElement | undefined {
    return this.#bytes[this.#position] === tag ? this.any() : undefined;
  }

  /** The next element, whatever its tag is. */
  any(): DerElement {
    const start = this.#position;
    const tag = this.#byte();
    if ((tag & 0x1f) === 0x1f) throw new Error('a tag of several bytes');
    const length = this.#length();
    const content = this.#bytes.subarray(this.#position, this.#position + length);
    if (content.length !== length) throw new Error('an element that is cut off');
    this.#position += length;
    return { tag, content, bytes: this.#bytes.subarray(start, this.#position) };
  }

  /** Whether no element is left. */
  isDone(): boolean {
    return this.#position === this.#bytes.length;
  }

  end(): void {
    if (!this.isDone()) throw new Error('further bytes');
  }

  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    // Two bytes are enough: a certificate of an attestation document has at most 1,024.
    const size = first - 0x80;
    if (size !== 1 && size !== 2) throw new Error('an indefinite length, or a length of more than two bytes');
    const length = size === 1 ? this.#byte() : 256 * this.#byte() + this.#byte();
    if (length < (size === 1 ? 0x80 : 0x100)) throw new Error('a length that is not in its shortest form');
    return length;
  }

  #byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new Error('an element that is cut off');
    this.#position += 1;
    return byte;
  }
}

/** The only element of `bytes`. */
export function onlyElement(bytes: Uint8Array, tag: number): DerElement {
  const reader = new DerReader(bytes);
  const element = reader.next(tag);
  reader.end();
  return element;
}

/** A non-negative INTEGER in its shortest form. */
export function unsignedInteger({ content }: DerElement): bigint {
  const [first, second] = content;
  if (first === undefined) throw new Error('an empty integer');
  if (first >= 0x80) throw new Error('a negative integer');
  if (first === 0 && second !== undefined && second < 0x80) throw new Error('an integer not in its shortest form');
  return content.reduce((value, byte) => 256n * value + BigInt(byte), 0n);
}

/** An OBJECT IDENTIFIER in dotted notation, its numbers in their shortest form. */
export function objectIdentifier({ content }: DerElement): string {
  const arcs: bigint[] = [];
  let arc: bigint | undefined;
  for (const byte of content) {
    if (arc === undefined && byte === 0x80) throw new Error('an object identifier not in its shortest form');
    arc = 128n * (arc ?? 0n) + BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = undefined;
  }
  const [first, ...rest] = arcs;
  if (first === undefined || arc !== undefined) throw new Error('an object identifier that is cut off');
  const root = first < 80n ? first / 40n : 2n; // the first number stands for two (X.690 section 8.19.4)
  return [root, first - 40n * root, ...rest].join('.');
}

/** A BIT STRING of whole bytes. */
export function wholeBytes({ content }: DerElement): Uint8Array {
  if (content[0] !== 0) throw new Error('a bit string that is not of whole bytes');
  return content.subarray(1);
}

/** A BIT STRING of named bits: without zero bits at its end, and not empty (X.690 section 11.2.2). */
export function namedBits({ content }: DerElement): (bit: number) => boolean {
  const [unused, ...bytes] = content;
  const last = bytes.at(-1);
  if (unused === undefined || unused > 7 || last === undefined) throw new Error('an empty or malformed bit string');
  // The last used bit is one, the unused bits after it are zero.
  if (last % (1 << unused) !== 0 || (last >> unused) % 2 !== 1)
    throw new Error('a bit string with zero bits at its end');
  return (bit) => (((bytes[bit >> 3] ?? 0) << (bit & 7)) & 0x80) !== 0;
}

const TIMES: Readonly<Record<number, RegExp>> = {
  [TAG.utcTime]: /^(?<year>\d\d)(?<month>\d\d)(?<day>\d\d)(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)Z$/,
  [TAG.generalizedTime]: /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)Z$/,
};

/**
 * A time that exists, as RFC 5280 section 4.1.2.5 writes it: UTCTime for 1950 to 2049, GeneralizedTime from 2050 on.
 * @returns milliseconds since 1970
 */
export function time({ tag, content }: DerElement): number {
  const text = Buffer.from(content).toString('latin1');
  const parts = TIMES[tag]?.exec(text)?.groups;
  if (parts === undefined) throw new Error('not a time');
  const { year = '', month, day, hour, minute, second } = parts;
  const century = tag === TAG.generalizedTime ? '' : Number(year) < 50 ? '20' : '19';
  if (tag === TAG.generalizedTime && Number(year) < 2050) throw new Error('a time before 2050 that is not a UTCTime');
  const iso = `${century}${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const milliseconds = Date.parse(iso);
  // JavaScript takes 30 February for 2 March.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== iso) throw new Error('an invalid date');
  return milliseconds;
}
