// Seals the reasoning that clients keep and send back, so that the proxy stores nothing. What a client sends back was made for
// a request with the same API key, and the same access key if it came with one: whoever else may use the proxy cannot have it
// read. The key also depends on the root of the cache namespace, which the extension keeps: what was sealed stays readable
// when the proxy starts again.
import { expandOnce, hkdfSha256 } from '../../session/hkdf.ts';
import { concatBytes, fromBase64, toBase64 } from '../../shared/bytes.ts';
import { openText, sealText } from '../../shared/sealedText.ts';
import type { UpstreamKey } from '../relay/upstream.ts';

/** Authenticated with the text. */
const VERSION = Uint8Array.of(2);
const KEY_LENGTH = 32;
const INFO = 'sealed-proxy reasoning';

/** The key for the requests with this key, 32 bytes. */
export function reasoningKey(cacheNamespaceRoot: Uint8Array, { value, accessKeyId }: UpstreamKey): Uint8Array {
  const prk = hkdfSha256.extract(cacheNamespaceRoot, encode(value));
  return expandOnce(hkdfSha256, prk, KEY_LENGTH, encode(`${INFO} ${accessKeyId ?? ''}`));
}

/** Base64 of the version and the sealed text. */
export function seal(key: Uint8Array, text: string): string {
  return toBase64(concatBytes(VERSION, sealText(key, text, VERSION)));
}

/** The text that was sealed with this key; undefined for anything else, such as what another proxy has sealed. */
export function open(key: Uint8Array, sealed: string): string | undefined {
  const bytes = fromBase64(sealed);
  if (bytes === undefined || bytes[0] !== VERSION[0]) return undefined;
  return openText(key, bytes.subarray(VERSION.length), VERSION);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
