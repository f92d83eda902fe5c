import { TAG } from '../../attestation/der.ts';
import { concatBytes } from '../../shared/bytes.ts';

/** Encodes one DER value (X.690 section 8.1) with the concatenated `contents`. */
export function encodeDer(tag: keyof typeof TAG | number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(...contents);
  return concatBytes(Uint8Array.of(typeof tag === 'number' ? tag : TAG[tag]), encodeLength(content.length), content);
}

/** Encodes an OBJECT IDENTIFIER in dotted notation. */
export function encodeOid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return encodeDer('oid', Uint8Array.from([40 * first + second, ...rest].flatMap(toBase128)));
}

/** Encodes a time (milliseconds since 1970): UTCTime until 2049, then GeneralizedTime (RFC 5280 section 4.1.2.5). */
export function encodeTime(time: number): Uint8Array {
  const text = new Date(time)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  const isUtcTime = new Date(time).getUTCFullYear() < 2050;
  return encodeDer(isUtcTime ? 'utcTime' : 'generalizedTime', Buffer.from(isUtcTime ? text.slice(2) : text, 'ascii'));
}

function encodeLength(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  if (length < 0x100) return Uint8Array.of(0x81, length);
  return Uint8Array.of(0x82, length >> 8, length & 0xff);
}

function toBase128(arc: number): number[] {
  const bytes = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(128 + (rest % 128));
  return bytes;
}
