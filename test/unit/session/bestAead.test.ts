import assert from 'node:assert/strict';
import { nativeAead } from '../../../src/session/aead.ts';
import type { Aead } from '../../../src/session/aead.ts';
import { aeadBySize } from '../../../src/session/bestAead.ts';
import { WasmAead } from '../../../src/session/wasmAead.ts';

const wasmAead = new WasmAead();
const NOTHING = new Uint8Array(0);

describe('aeadBySize()', () => {
  const [key, nonce] = [new Uint8Array(32), new Uint8Array(12)];

  /** Records the calls of its methods and passes them on to `real`. */
  function watched(real: Aead, calls: string[]): Aead {
    const name = real === wasmAead ? 'wasm' : 'native';
    return {
      sealStream: (...input) => {
        calls.push(`${name} sealStream`);
        return real.sealStream(...input);
      },
      seal: (...input) => {
        calls.push(`${name} seal`);
        return real.seal(...input);
      },
      open: (...input) => {
        calls.push(`${name} open`);
        return real.open(...input);
      },
    };
  }

  it('uses WebAssembly below the limit and the native one from it', () => {
    const calls: string[] = [];
    const aead = aeadBySize(watched(nativeAead, calls), watched(wasmAead, calls), 100);
    for (const length of [99, 100]) aead.seal(key, nonce, NOTHING, NOTHING, [new Uint8Array(length)]);
    assert.deepEqual(calls.splice(0), ['wasm seal', 'native seal']);
    for (const length of [99 - 16, 100 - 16]) {
      aead.open(key, nonce, NOTHING, nativeAead.seal(key, nonce, NOTHING, NOTHING, [new Uint8Array(length)]));
    }
    assert.deepEqual(calls.splice(0), ['wasm open', 'native open']);
    aead.sealStream(key, nonce, NOTHING);
    assert.deepEqual(calls, ['native sealStream']);
  });

  it('compares the total length of all parts', () => {
    const calls: string[] = [];
    const aead = aeadBySize(watched(nativeAead, calls), watched(wasmAead, calls), 100);
    aead.seal(key, nonce, NOTHING, NOTHING, [new Uint8Array(60), new Uint8Array(39)]);
    aead.seal(key, nonce, NOTHING, NOTHING, [new Uint8Array(60), new Uint8Array(40)]);
    assert.deepEqual(calls, ['wasm seal', 'native seal']);
  });
});
