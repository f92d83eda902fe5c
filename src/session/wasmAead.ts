// ChaCha20-Poly1305 in WebAssembly: libsodium's primitives, compiled from chachaPoly.c. Every runtime has it, and its calls
// cost less than those into Node's cipher.
import { constantTimeEqual, wipe } from '../shared/bytes.ts';
import { authenticationFailure } from './aead.ts';
import type { Aead, SealStream } from './aead.ts';
import { WASM_CODE } from './wasmCode.ts';
import { KEY_LENGTH, NONCE_LENGTH, TAG_LENGTH } from './wire.ts';

/** The types of Node lack these. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

/** The functions of chachaPoly.c. Those without parameters return addresses in bytes, or a length. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  key(): number;
  nonce(): number;
  text(): number;
  mac(): number;
  macLength(): number;
  begin(aadLength: number): void;
  authenticate(from: number, to: number): void;
  crypt(to: number, block: number): void;
  finish(aadLength: number, messageLength: number): void;
  clearStack(): void;
}

/** Of the key stream, in bytes. */
const BLOCK = 64;
/** A message is processed in parts of this length, in bytes; the memory has room for one, and for a begun block before it. */
const PART = 66_496;

/** Secrets are in its memory only during a call. */
class Memory {
  readonly functions: Exports;
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  readonly text: Uint8Array;
  readonly mac: Uint8Array;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(WASM_CODE, 'base64'));
    const functions = new WebAssembly.Instance(module).exports as Exports;
    const { buffer } = functions.memory;
    this.functions = functions;
    this.key = new Uint8Array(buffer, functions.key(), KEY_LENGTH);
    this.nonce = new Uint8Array(buffer, functions.nonce(), NONCE_LENGTH);
    this.text = new Uint8Array(buffer, functions.text(), BLOCK + PART);
    this.mac = new Uint8Array(buffer, functions.mac(), functions.macLength());
  }

  /** Begins a message, whose key and nonce stay in the memory. */
  begin(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array): void {
    this.key.set(key);
    this.nonce.set(nonce);
    this.text.set(aad);
    this.functions.begin(aad.length);
  }

  /** The tag of the message that was begun. */
  finish(aadLength: number, messageLength: number): Uint8Array {
    this.functions.finish(aadLength, messageLength);
    return this.text.slice(0, TAG_LENGTH);
  }

  /** @param textLength how many bytes of the text were used */
  wipe(textLength: number): void {
    this.key.fill(0);
    this.mac.fill(0);
    this.text.fill(0, 0, textLength);
    this.functions.clearStack();
  }
}

/** RFC 8439 section 2.8. */
export class WasmAead implements Aead {
  readonly #memory = new Memory();

  sealStream(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array): SealStream {
    return new WasmSealStream(this.#memory, key, nonce, aad);
  }

  seal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, prefix: Uint8Array, parts: readonly Uint8Array[]) {
    const stream = this.sealStream(key, nonce, aad);
    return Buffer.concat([prefix, ...parts.map((part) => stream.update(part)), stream.final()]);
  }

  open(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array {
    const length = sealed.length - TAG_LENGTH;
    if (length < 0) throw authenticationFailure();
    const memory = this.#memory;
    const { functions, text } = memory;
    memory.begin(key, nonce, aad);
    for (let at = 0; at < length; at += PART) {
      const part = sealed.subarray(at, Math.min(at + PART, length));
      text.set(part);
      functions.authenticate(0, part.length);
    }
    const isAuthentic = constantTimeEqual(memory.finish(aad.length, length), sealed.subarray(length));
    const plaintext = new Uint8Array(isAuthentic ? length : 0);
    for (let at = 0; at < plaintext.length; at += PART) {
      const part = sealed.subarray(at, Math.min(at + PART, length));
      text.set(part);
      functions.crypt(part.length, 1 + at / BLOCK);
      plaintext.set(text.subarray(0, part.length), at);
    }
    memory.wipe(Math.min(length, PART));
    if (!isAuthentic) throw authenticationFailure();
    return plaintext;
  }
}

class WasmSealStream implements SealStream {
  readonly #memory: Memory;
  readonly #key: Uint8Array;
  readonly #nonce: Uint8Array;
  readonly #aadLength: number;
  /** The state of the MAC between two calls. */
  readonly #mac: Uint8Array;
  #length = 0;

  constructor(memory: Memory, key: Uint8Array, nonce: Uint8Array, aad: Uint8Array) {
    this.#memory = memory;
    this.#key = new Uint8Array(key); // not `slice`, which returns a view of a Buffer
    this.#nonce = new Uint8Array(nonce);
    this.#aadLength = aad.length;
    memory.begin(key, nonce, aad);
    this.#mac = memory.mac.slice();
    memory.wipe(0);
  }

  update(plaintext: Uint8Array): Uint8Array {
    const ciphertext = new Uint8Array(plaintext.length);
    const { key, nonce, mac } = this.#memory;
    key.set(this.#key);
    nonce.set(this.#nonce);
    mac.set(this.#mac);
    for (let at = 0; at < plaintext.length; at += PART) {
      ciphertext.set(this.#encrypt(plaintext.subarray(at, at + PART)), at);
    }
    this.#mac.set(mac);
    this.#memory.wipe(Math.min(BLOCK + plaintext.length, BLOCK + PART));
    return ciphertext;
  }

  /** Returns the ciphertext of at most `PART` bytes, where it is in the memory. */
  #encrypt(part: Uint8Array): Uint8Array {
    const { functions, text } = this.#memory;
    // If the part begins inside a block, the key stream is computed from the start of that block.
    const from = this.#length % BLOCK;
    const to = from + part.length;
    text.set(part, from);
    functions.crypt(to, 1 + (this.#length - from) / BLOCK);
    functions.authenticate(from, to);
    this.#length += part.length;
    return text.subarray(from, to);
  }

  final(): Uint8Array {
    const { mac } = this.#memory;
    mac.set(this.#mac);
    const tag = this.#memory.finish(this.#aadLength, this.#length);
    this.destroy();
    return tag;
  }

  /** Also overwrites the state of the MAC, from which its key can be computed. */
  destroy(): void {
    wipe(this.#key, this.#mac);
  }
}
