// The published test vectors of the cryptography, decoded.
import { readFileSync } from 'node:fs';

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
}

/** The bytes of a hex string. */
export function hex(text: string): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'hex'));
  if (2 * bytes.length !== text.length) throw new RangeError('Not hex');
  return bytes;
}

/** The bytes of an ASCII string. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'ascii'));
}

export const TRANSPORT_V2 = readJson('transport-v2') as {
  readonly handshake: Readonly<
    Record<
      | 'challenge'
      | 'client_public_key'
      | 'server_public_key'
      | 'x25519_shared'
      | 'session_id'
      | 'request_key'
      | 'response_key',
      string
    >
  >;
  readonly request: Readonly<Record<'request_id' | 'plaintext' | 'record', string>>;
  readonly response: Readonly<Record<'request_id' | 'plaintext' | 'ciphertext', string>> & {
    readonly sequence: number;
  };
};

export const RFC_8439 = readJson('rfc8439-chacha20-poly1305') as {
  readonly vectors: readonly Readonly<
    Record<'name' | 'key' | 'nonce' | 'aad' | 'plaintext' | 'ciphertext' | 'tag', string>
  >[];
};

export const RFC_5869 = readJson('rfc5869-hkdf-sha256') as {
  readonly vectors: readonly Readonly<Record<'name' | 'ikm' | 'salt' | 'info' | 'prk' | 'okm', string>>[];
};

export const RFC_7748 = readJson('rfc7748-x25519') as {
  readonly agreements: readonly Readonly<Record<'name' | 'scalar' | 'point' | 'shared', string>>[];
  readonly iterated: Readonly<Record<'start' | 'after_1' | 'after_1000', string>>;
  readonly low_order_points: { readonly points: readonly string[] };
};
