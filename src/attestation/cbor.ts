import { Token, Tokenizer, Type, decode } from 'cborg';
import { asBuffer } from '../shared/bytes.ts';

/** Nested arrays and maps. A Nitro document needs 2 levels, for the PCRs in its payload. */
const MAX_DEPTH = 8;

export interface CborForm {
  /** Whether to accept arrays and maps of indefinite length (RFC 8949 section 3.2.2). Such strings are never accepted. */
  readonly indefiniteLengths: boolean;
}

/**
 * Decodes one CBOR data item (RFC 8949) that takes up all of `bytes`. Maps become `Map`, integers beyond 2^53 become
 * `bigint`, floats NaN. Rejects more than 8 levels, map keys that are repeated or neither integers nor text, tags,
 * `undefined`, lengths and integers that are not in their shortest form, text that is not UTF-8 or begins with a byte order
 * mark, and strings in chunks.
 *
 * @throws Error with the reason; the message may quote the input
 */
export function decodeCbor(bytes: Uint8Array, form: CborForm): unknown {
  const options = {
    allowBigInt: true,
    allowIndefinite: form.indefiniteLengths,
    allowUndefined: false,
    rejectDuplicateMapKeys: true,
    retainStringBytes: true,
    strict: true,
    useMaps: true,
  };
  // The slice of a Buffer shares memory, that of a Uint8Array is a copy. The result must not change with the input.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decode(plain, { ...options, tokenizer: new BoundedTokenizer(new Tokenizer(plain, options)) });
}

interface OpenContainer {
  /** Number of data items still expected; Infinity until the break that ends an indefinite length. */
  remaining: number;
  readonly map: boolean;
  itemsSeen: number;
}

/** Of map keys. For these, cborg finds every repeated one. */
const KEYS: readonly Type[] = [Type.uint, Type.negint, Type.string];

/**
 * Checks the structure of the tokens before cborg builds values from them. cborg recurses without a limit, so a few
 * thousand nested arrays would exhaust the stack, and it accepts a break where a map needs a value. It reads a float
 * such as 1.0 like the integer, and changes text that is not UTF-8 or begins with a byte order mark.
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
    // No field of a document is a float, and none may pass for an integer.
    return Type.equals(token.type, Type.float) ? new Token(Type.float, NaN, token.encodedLength) : token;
  }

  #enter(token: Token): void {
    if (token.byteValue !== undefined && !asBuffer(token.byteValue).equals(Buffer.from(String(token.value)))) {
      throw new Error('text that is not UTF-8, or begins with a byte order mark');
    }
    const container = this.#open.at(-1);
    if (container !== undefined) {
      const isKey = container.map && container.itemsSeen % 2 === 0;
      if (isKey && !KEYS.some((type) => Type.equals(type, token.type))) throw new Error('a key of another type');
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
    if (container?.map && container.itemsSeen % 2 !== 0) throw new Error('a break instead of a value');
  }
}
