// src/attestation: bytes in, verdict out. No network, no clock, no log.
import { decode, Tokenizer, Type, type Token } from 'cborg';

/** Arrays and maps in each other. The deepest thing in a Nitro document is the payload's map of PCRs: 2. */
const MAX_DEPTH = 8;

export interface CborForm {
  /** Whether arrays and maps may be closed by a break instead of counted (RFC 8949 section 3.2.2). Strings never. */
  readonly indefiniteLengths: boolean;
}

/**
 * Decodes one CBOR data item (RFC 8949) that fills `bytes` to the end. Maps become `Map`, integers beyond 2^53 become
 * `bigint`. Refused: more than 8 levels, repeated map keys, tags, `undefined`, lengths and integers in more bytes than
 * they need, strings in chunks.
 *
 * @throws Error with what is wrong; the message may quote the input
 */
export function decodeCbor(bytes: Uint8Array, form: CborForm): unknown {
  const options = {
    allowBigInt: true,
    allowIndefinite: form.indefiniteLengths,
    allowUndefined: false,
    rejectDuplicateMapKeys: true,
    strict: true,
    useMaps: true,
  };
  // A Buffer's slice shares memory, a plain array's slice is a copy: what is returned must not change with the input.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decode(plain, { ...options, tokenizer: new BoundedTokenizer(new Tokenizer(plain, options)) });
}

interface OpenContainer {
  /** Data items that are still to come; Infinity until the break of an indefinite one. */
  remaining: number;
  readonly map: boolean;
  itemsSeen: number;
}

/**
 * Watches the structure while cborg builds values from the same tokens. cborg recurses without a limit, so that a few
 * thousand nested arrays exhaust the stack, and it takes a break in the place of a map's value for a value.
 */
class BoundedTokenizer {
  readonly #tokens: Tokenizer;
  readonly #open: OpenContainer[] = [];

  constructor(tokens: Tokenizer) {
    this.#tokens = tokens;
  }

  done(): boolean {
    return this.#tokens.done();
  }

  pos(): number {
    return this.#tokens.pos();
  }

  next(): Token {
    const token = this.#tokens.next();
    if (Type.equals(token.type, Type.break)) this.#close();
    else this.#enter(token);
    while (this.#open.at(-1)?.remaining === 0) this.#open.pop();
    return token;
  }

  #enter(token: Token): void {
    const container = this.#open.at(-1);
    if (container !== undefined) {
      container.remaining -= 1;
      container.itemsSeen += 1;
    }
    const map = Type.equals(token.type, Type.map);
    if (!map && !Type.equals(token.type, Type.array)) return;
    if (this.#open.length === MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} levels`);
    const count = Number(token.value);
    this.#open.push({ remaining: map ? 2 * count : count, map, itemsSeen: 0 });
  }

  #close(): void {
    const container = this.#open.pop();
    if (container?.map && container.itemsSeen % 2 !== 0) throw new Error('a break in the place of a value');
  }
}
