import { encode } from 'cborg';
import { asBuffer } from '../shared/bytes.ts';
import { decodeCbor } from './cbor.ts';
import { AttestationError } from './errors.ts';
import { SIGNATURE_BYTES } from './signature.ts';

/** A Nitro document that uses all its options is about 8 KiB. */
const MAX_DOCUMENT_BYTES = 65_536;

/** The map {1: -35}, that is {alg: ES384}, the only protected header that is accepted (RFC 9053 section 2.1). */
export const PROTECTED_HEADER: Uint8Array = Uint8Array.of(0xa1, 0x01, 0x38, 0x22);

/** The four elements of a COSE_Sign1 (RFC 9052 section 4.2). */
export interface CoseSign1 {
  readonly protectedHeader: Uint8Array;
  readonly unprotectedHeader: ReadonlyMap<unknown, unknown>;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Parses a COSE_Sign1 without checking its headers. Nitro omits the CBOR tag 18, so only the untagged array is accepted.
 *
 * @param bytes at most 64 KiB
 * @throws AttestationError `malformed_document`
 */
export function parseCoseSign1(bytes: Uint8Array): CoseSign1 {
  if (bytes.length > MAX_DOCUMENT_BYTES) throw malformed(`is longer than ${MAX_DOCUMENT_BYTES} bytes`);
  let parts: unknown;
  try {
    parts = decodeCbor(bytes, { indefiniteLengths: false });
  } catch (cause) {
    throw malformed('is not CBOR in the required form', cause);
  }
  if (!Array.isArray(parts) || parts.length !== 4) throw malformed('is not an array of four');
  const [protectedHeader, unprotectedHeader, payload, signature] = parts as unknown[];
  if (!(protectedHeader instanceof Uint8Array)) throw malformed('has a protected header that is not a byte string');
  if (!(unprotectedHeader instanceof Map)) throw malformed('has an unprotected header that is not a map');
  if (!(payload instanceof Uint8Array)) throw malformed('has a payload that is not a byte string');
  if (!(signature instanceof Uint8Array)) throw malformed('has a signature that is not a byte string');
  return { protectedHeader, unprotectedHeader, payload, signature };
}

/**
 * Parses a signed document: protected header exactly {alg: ES384}, unprotected header empty, signature 96 bytes
 * (transport V2, section 4). Does not verify the signature.
 *
 * @param bytes at most 64 KiB
 * @throws AttestationError `malformed_document`
 */
export function parseSignedEnvelope(bytes: Uint8Array): CoseSign1 {
  const envelope = parseCoseSign1(bytes);
  if (!asBuffer(envelope.protectedHeader).equals(PROTECTED_HEADER)) throw malformed('is not signed with ES384');
  if (envelope.unprotectedHeader.size > 0) throw malformed('has an unprotected header');
  if (envelope.signature.length !== SIGNATURE_BYTES) throw malformed(`has no signature of ${SIGNATURE_BYTES} bytes`);
  return envelope;
}

/** The bytes that are signed: `["Signature1", protected, h'', payload]` (RFC 9052 section 4.4). */
export function sigStructure(protectedHeader: Uint8Array, payload: Uint8Array): Uint8Array {
  return encode(['Signature1', protectedHeader, new Uint8Array(0), payload]);
}

function malformed(what: string, cause?: unknown): AttestationError {
  return new AttestationError('malformed_document', `the attestation document ${what}`, { cause });
}
