import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { nativeAead } from '../../../src/session/aead.ts';
import { WasmAead } from '../../../src/session/wasmAead.ts';

/** Node's types lack it. */
interface Runtime {
  WebAssembly: {
    Instance: new (module: object) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer } } };
  };
}

/** An implementation, and the memory in which it works. */
function observed(): { readonly aead: WasmAead; readonly memory: () => Buffer } {
  const { WebAssembly } = globalThis as unknown as Runtime;
  const { Instance } = WebAssembly;
  const buffers: ArrayBuffer[] = [];
  WebAssembly.Instance = class extends Instance {
    constructor(module: object) {
      super(module);
      buffers.push(this.exports.memory.buffer);
    }
  };
  try {
    const aead = new WasmAead();
    assert.equal(buffers.length, 1);
    return { aead, memory: () => Buffer.from(buffers[0] ?? new ArrayBuffer(0)) };
  } finally {
    WebAssembly.Instance = Instance;
  }
}

describe('WasmAead', () => {
  const key = Buffer.from('the key of one direction, 32 B..');
  const nonce = Buffer.from('nonce, 12 B.');
  const text = Buffer.from(
    'the prompt of a user, longer than a block of the key stream, which has 64 bytes'.repeat(900),
  );
  const aad = Buffer.from('header');

  /** The second half of the one-time key, which the state of the MAC contains as it is (RFC 8439 section 2.6). */
  const macKey = createCipheriv('chacha20', key, Buffer.concat([Buffer.alloc(4), nonce]))
    .update(Buffer.alloc(32))
    .subarray(16);
  const secrets = { key, macKey, beginning: text.subarray(0, 16), end: text.subarray(-16) };
  const secretsIn = (memory: Buffer) =>
    Object.entries(secrets).flatMap(([name, bytes]) => (memory.includes(bytes) ? [name] : []));

  it('leaves neither the key nor the text nor the state of the MAC in its memory between two calls', () => {
    const { aead, memory } = observed();
    const found: string[] = [];
    const look = <T>(result: T): T => {
      found.push(...secretsIn(memory()));
      return result;
    };
    const stream = look(aead.sealStream(key, nonce, aad));
    const ciphertext = [text.subarray(0, 70), text.subarray(70)].map((part) => look(stream.update(part)));
    const sealed = Buffer.concat([...ciphertext, look(stream.final())]);
    assert.ok(text.equals(look(aead.open(key, nonce, aad, sealed))));
    assert.throws(() => aead.open(key, nonce, Buffer.from('other'), sealed));
    look(undefined);
    assert.deepEqual(found, []);
  });

  it('has them there during a call, so that the test above would find them', () => {
    const { aead, memory } = observed();
    const fill = Reflect.get(Uint8Array.prototype, 'fill') as (...args: unknown[]) => Uint8Array;
    const found = new Set<string>();
    Uint8Array.prototype.fill = function (this: Uint8Array, ...args) {
      for (const name of secretsIn(memory())) found.add(name);
      return Reflect.apply(fill, this, args);
    };
    try {
      const stream = aead.sealStream(key, nonce, aad);
      stream.update(text);
      aead.open(key, nonce, aad, nativeAead.seal(key, nonce, aad, Buffer.alloc(0), [text]));
    } finally {
      Uint8Array.prototype.fill = fill;
    }
    assert.deepEqual([...found].toSorted(), Object.keys(secrets).toSorted());
  });
});
