import assert from 'node:assert/strict';
import { nativeAead } from '../../../src/session/aead.ts';
import type { Aead } from '../../../src/session/aead.ts';
import { aeadBySize, bestAead } from '../../../src/session/bestAead.ts';
import { WasmAead } from '../../../src/session/wasmAead.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';
import { RFC_8439, hex } from '../../support/vectors.ts';

const wasmAead = new WasmAead();

const IMPLEMENTATIONS: readonly [string, Aead][] = [
  ['native', nativeAead],
  ['WebAssembly', wasmAead],
  ['by size, always WebAssembly', aeadBySize(nativeAead, wasmAead, Infinity)],
  ['by size, always native', aeadBySize(nativeAead, wasmAead, 0)],
  ['by size, with the border among the vectors', aeadBySize(nativeAead, wasmAead, 200)],
  ['the best of this runtime', bestAead()],
];

interface Vector {
  readonly name: string;
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  readonly aad: Uint8Array;
  readonly plaintext: Uint8Array;
  /** Ciphertext and tag. */
  readonly sealed: string;
}

const VECTORS: readonly Vector[] = RFC_8439.vectors.map(({ name, key, nonce, aad, plaintext, ciphertext, tag }) => ({
  name: `RFC 8439 ${name}`,
  key: hex(key),
  nonce: hex(nonce),
  aad: hex(aad),
  plaintext: hex(plaintext),
  sealed: ciphertext + tag,
}));

const NOTHING = new Uint8Array(0);

function sealInParts({ key, nonce, aad }: Vector, aead: Aead, parts: readonly Uint8Array[]): string {
  const stream = aead.sealStream(key, nonce, aad);
  return toHex(concatBytes(...parts.map((part) => stream.update(part)), stream.final()));
}

function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

for (const [label, aead] of IMPLEMENTATIONS) {
  describe(`Aead, ${label}`, () => {
    for (const vector of VECTORS) {
      const { name, key, nonce, aad, plaintext, sealed } = vector;

      it(`seals ${name} in one part`, () => {
        assert.equal(toHex(aead.seal(key, nonce, aad, NOTHING, [plaintext])), sealed);
      });

      it(`opens ${name}`, () => {
        assert.equal(toHex(aead.open(key, nonce, aad, hex(sealed))), toHex(plaintext));
      });

      it(`seals ${name} in two parts, split at every position`, () => {
        for (let at = 0; at <= plaintext.length; at++) {
          const parts = [plaintext.subarray(0, at), plaintext.subarray(at)];
          assert.equal(toHex(aead.seal(key, nonce, aad, NOTHING, parts)), sealed, `split at ${at}`);
          assert.equal(sealInParts(vector, aead, parts), sealed, `streamed, split at ${at}`);
        }
      });

      it(`seals ${name} byte by byte`, () => {
        const parts = bytewise(plaintext);
        assert.equal(toHex(aead.seal(key, nonce, aad, NOTHING, parts)), sealed);
        assert.equal(sealInParts(vector, aead, parts), sealed);
      });

      it(`precedes ${name} with the prefix, unencrypted`, () => {
        for (const length of [1, 16, 32]) {
          const prefix = new Uint8Array(length).fill(0xa5);
          assert.equal(toHex(aead.seal(key, nonce, aad, prefix, [plaintext])), toHex(prefix) + sealed);
        }
      });

      it(`rejects ${name} with any bit of ciphertext, tag, additional data, nonce or key changed`, () => {
        const original = { key, nonce, aad, sealed: hex(sealed) };
        for (const field of ['key', 'nonce', 'aad', 'sealed'] as const) {
          for (let at = 0; at < original[field].length; at++) {
            const changed = original[field].slice();
            changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
            const input = { ...original, [field]: changed };
            assert.throws(
              () => aead.open(input.key, input.nonce, input.aad, input.sealed),
              { name: 'SessionError', code: 'record_authentication' },
              `${field}, byte ${at}`,
            );
          }
        }
      });

      it(`rejects ${name} truncated, extended, or with other additional data`, () => {
        const complete = hex(sealed);
        const refused = { code: 'record_authentication' };
        for (let length = 0; length < complete.length; length++) {
          assert.throws(() => aead.open(key, nonce, aad, complete.subarray(0, length)), refused, `${length} bytes`);
        }
        assert.throws(() => aead.open(key, nonce, aad, concatBytes(complete, Uint8Array.of(0))), refused);
        assert.throws(() => aead.open(key, nonce, NOTHING, complete), refused);
        assert.throws(() => aead.open(key, nonce, concatBytes(aad, Uint8Array.of(0)), complete), refused);
      });

      for (const [kind, copyOf] of [
        ['Uint8Arrays', (bytes: Uint8Array) => new Uint8Array(bytes)],
        ['Buffers, whose slices share their memory', (bytes: Uint8Array) => Buffer.from(bytes)],
      ] as const) {
        it(`neither changes nor keeps the arguments of ${name} if they are ${kind}`, () => {
          const copies = { key: copyOf(key), nonce: copyOf(nonce), aad: copyOf(aad), text: copyOf(plaintext) };
          const result = aead.seal(copies.key, copies.nonce, copies.aad, NOTHING, [copies.text]);
          const toOpen = copyOf(result);
          const opened = aead.open(copies.key, copies.nonce, copies.aad, toOpen);
          const stream = aead.sealStream(copies.key, copies.nonce, copies.aad);
          assert.deepEqual(Object.values(copies).map(toHex), [key, nonce, aad, plaintext].map(toHex));
          assert.equal(toHex(toOpen), sealed);

          for (const argument of [copies.key, copies.nonce, copies.aad, toOpen]) argument.fill(0xff);
          const ciphertext = stream.update(copies.text);
          copies.text.fill(0xff);
          assert.equal(toHex(concatBytes(ciphertext, stream.final())), sealed);
          assert.equal(toHex(result), sealed);
          assert.equal(toHex(opened), toHex(plaintext));
        });
      }
    }

    it('keeps messages apart whose parts are sealed in turn', () => {
      const streams = VECTORS.map(({ key, nonce, aad, plaintext }) => ({
        stream: aead.sealStream(key, nonce, aad),
        parts: [plaintext.subarray(0, 5), plaintext.subarray(5)],
        bytes: [] as Uint8Array[],
      }));
      for (const index of [0, 1]) {
        for (const { stream, parts, bytes } of streams) bytes.push(stream.update(parts[index] ?? NOTHING));
      }
      for (const { stream, bytes } of streams) bytes.push(stream.final());
      assert.deepEqual(
        streams.map(({ bytes }) => toHex(concatBytes(...bytes))),
        VECTORS.map(({ sealed }) => sealed),
      );
    });

    it('seals and opens an empty message', () => {
      const [key, nonce] = [new Uint8Array(32).fill(1), new Uint8Array(12)];
      const sealed = aead.seal(key, nonce, NOTHING, NOTHING, []);
      assert.equal(sealed.length, 16);
      assert.equal(aead.open(key, nonce, NOTHING, sealed).length, 0);
      assert.equal(toHex(aead.sealStream(key, nonce, NOTHING).final()), toHex(sealed));
    });
  });
}
