// Seals the records that a case scripts.
import { EnclaveHalf } from '../../test/support/enclaveHalf.ts';
import { type Part, bytesOf } from './suite.ts';

const LENGTH_FIELD = 4;
const fixed = (byte: number, length: number) => Buffer.alloc(length, byte);
const ANOTHER_REQUEST = fixed(0xee, 16);
const ANOTHER_SESSION = new EnclaveHalf(
  { challenge: fixed(1, 32), clientPublicKey: fixed(2, 32) },
  fixed(3, 32),
  fixed(4, 32),
);

/** The bytes of each part of a response to this request. */
export function sealParts(parts: readonly Part[], enclave: EnclaveHalf, requestId: Uint8Array): Buffer[] {
  let records = 0;
  const all = parts.flatMap((part) => Array.from({ length: part.repeat ?? 1 }, () => part));
  return all.map((part) => (part.raw ? bytesOf(part) : alter(part, frameOf(part, records++))));

  function frameOf(part: Part, place: number): Buffer {
    const { type, sequence = place, sealedFor } = part;
    const content = bytesOf(part);
    const plaintext = type === undefined ? content : Buffer.concat([Buffer.of(type), content]);
    const session = sealedFor === 'another session' ? ANOTHER_SESSION : enclave;
    return session.respond(sealedFor === 'another request' ? ANOTHER_REQUEST : requestId).frameOf(plaintext, sequence);
  }
}

function alter({ flip, length, keep }: Part, frame: Buffer): Buffer {
  if (length !== undefined) frame.writeUInt32BE(length);
  if (flip !== undefined) {
    const place = flip < 0 ? frame.length + flip : flip;
    frame[place] = (frame[place] ?? 0) ^ 1;
  }
  return frame.subarray(0, keep ?? frame.length);
}

/** The length of a frame with this many bytes of content. */
export function frameLength(content: number): number {
  return LENGTH_FIELD + 1 + content + 16;
}
