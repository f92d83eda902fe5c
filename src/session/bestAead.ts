// The AEAD that sessions use. Electron's BoringSSL lacks the `chacha20-poly1305` cipher. Calls into Node's cipher are expensive,
// so short messages are faster in WebAssembly.
import { getCiphers } from 'node:crypto';
import { CIPHER, nativeAead } from './aead.ts';
import type { Aead } from './aead.ts';
import { WasmAead } from './wasmAead.ts';

/**
 * Selects the faster implementation by the length of a message. Streams always use `native`, because short messages are
 * not streamed.
 * @param wasmBelow the length from which `native` is faster, in bytes
 */
export function aeadBySize(native: Aead, wasm: Aead, wasmBelow: number): Aead {
  return {
    sealStream: (key, nonce, aad) => native.sealStream(key, nonce, aad),
    seal: (key, nonce, aad, prefix, parts) =>
      (totalLength(parts) < wasmBelow ? wasm : native).seal(key, nonce, aad, prefix, parts),
    open: (key, nonce, aad, sealed) => (sealed.length < wasmBelow ? wasm : native).open(key, nonce, aad, sealed),
  };
}

/** The length at which both implementations are equally fast, measured by `npm run bench` on Node 24. */
const WASM_BELOW = 4096;

/** The fastest choice for this runtime: by size if it has the cipher, else WebAssembly. */
export function bestAead(): Aead {
  const wasm = new WasmAead();
  return getCiphers().includes(CIPHER) ? aeadBySize(nativeAead, wasm, WASM_BELOW) : wasm;
}

function totalLength(parts: readonly Uint8Array[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}
