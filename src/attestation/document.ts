import { concatBytes } from '../shared/bytes.ts';
import { decodeCbor } from './cbor.ts';
import { parseCoseSign1 } from './cose.ts';
import { AttestationError } from './errors.ts';

/** Measurements are SHA-384 digests. */
export const PCR_BYTES = 48;
const MAX_PCR_INDEX = 31;
const MAX_CERTIFICATE_BYTES = 1024;
const MAX_PUBLIC_KEY_BYTES = 1024;
const MAX_USER_DATA_BYTES = 512;
const MAX_NONCE_BYTES = 512;

const CLIENT_PUBLIC_KEY_LABEL = Buffer.from('opensecret/transport-v2/session/v1/client-public-key\0', 'ascii');

/** AWS does not define a format. This one keeps the id on one short line in logs and in the UI. */
const MODULE_ID = /^[\x20-\x7e]{1,256}$/;

/** The payload of an attestation document within the limits of transport V2, section 4. Parsed but not verified. */
export interface AttestationDocument {
  /** 1 to 256 printable ASCII characters. */
  readonly moduleId: string;
  readonly digest: 'SHA384';
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** Measurements of 48 bytes, by index 0 to 31. */
  readonly pcrs: ReadonlyMap<number, Uint8Array>;
  /** The leaf, DER, 1 to 1,024 bytes. */
  readonly certificate: Uint8Array;
  /** Root first, DER, 1 to 1,024 bytes each, at least one. */
  readonly cabundle: readonly Uint8Array[];
  /** 1 to 1,024 bytes. */
  readonly publicKey: Uint8Array | undefined;
  /** At most 512 bytes. */
  readonly userData: Uint8Array | undefined;
  /** At most 512 bytes. */
  readonly nonce: Uint8Array | undefined;
}

/** Only `parseUnsignedDocument` can set this property, so code outside this file cannot make an UnsignedDocument. */
const unsigned = Symbol('unsigned document');

/**
 * The document of a development backend on a loopback address. It is not verified, and the UI must say so wherever it
 * shows such a backend.
 */
export interface UnsignedDocument {
  readonly [unsigned]: true;
  readonly moduleId: string | undefined;
  readonly publicKey: Uint8Array | undefined;
  readonly userData: Uint8Array | undefined;
  readonly nonce: Uint8Array | undefined;
}

/**
 * Reads the payload of a signed document. Ignores unknown fields: AWS may add some, and the signature rules out that
 * anyone else did.
 *
 * @param payload the byte string inside the COSE_Sign1
 * @throws AttestationError `malformed_document`
 */
export function parsePayload(payload: Uint8Array): AttestationDocument {
  const fields = decodeFields(payload);
  const digest = fields.get('digest');
  if (digest !== 'SHA384') throw malformed('digest');
  return {
    moduleId: moduleId(fields) ?? refuse('module_id'),
    digest,
    timestamp: timestamp(fields.get('timestamp')),
    pcrs: pcrs(fields.get('pcrs')),
    certificate: bytesWithin(fields.get('certificate'), 1, MAX_CERTIFICATE_BYTES) ?? refuse('certificate'),
    cabundle: cabundle(fields.get('cabundle')),
    ...bindingFields(fields),
  };
}

/**
 * Reads the unsigned document of a development backend on a loopback address (transport V2, section 4). It has the
 * structure of a signed document, but its protected header is empty and only the three binding fields are meaningful.
 * The rest (random PCRs, certificates that do not parse, a signature of any length) is not read.
 *
 * @param bytes the document, CBOR, at most 64 KiB
 * @throws AttestationError `malformed_document`
 */
export function parseUnsignedDocument(bytes: Uint8Array): UnsignedDocument {
  const fields = decodeFields(parseCoseSign1(bytes).payload);
  return { [unsigned]: true, moduleId: moduleId(fields), ...bindingFields(fields) };
}

/**
 * Accepts a map of definite or indefinite length, because AWS hosts send both. The signature covers the bytes as
 * received, so the form does not matter to it.
 */
function decodeFields(payload: Uint8Array): ReadonlyMap<string, unknown> {
  let fields: unknown;
  try {
    fields = decodeCbor(payload, { indefiniteLengths: true });
  } catch (cause) {
    throw malformed('payload', cause);
  }
  if (!isTextMap(fields)) throw malformed('payload');
  return fields;
}

function isTextMap(value: unknown): value is ReadonlyMap<string, unknown> {
  return value instanceof Map && [...value.keys()].every((key) => typeof key === 'string');
}

function bindingFields(
  fields: ReadonlyMap<string, unknown>,
): Pick<AttestationDocument, 'publicKey' | 'userData' | 'nonce'> {
  return {
    publicKey: optionalBytes(fields, 'public_key', 1, MAX_PUBLIC_KEY_BYTES),
    userData: optionalBytes(fields, 'user_data', 0, MAX_USER_DATA_BYTES),
    nonce: optionalBytes(fields, 'nonce', 0, MAX_NONCE_BYTES),
  };
}

function moduleId(fields: ReadonlyMap<string, unknown>): string | undefined {
  const value = fields.get('module_id');
  return typeof value === 'string' && MODULE_ID.test(value) ? value : undefined;
}

function timestamp(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) throw malformed('timestamp');
  return value;
}

function pcrs(value: unknown): ReadonlyMap<number, Uint8Array> {
  if (!(value instanceof Map) || value.size === 0) throw malformed('pcrs');
  const measurements = new Map<number, Uint8Array>();
  for (const [index, digest] of value as Map<unknown, unknown>) {
    const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index <= MAX_PCR_INDEX;
    const measurement = bytesWithin(digest, PCR_BYTES, PCR_BYTES);
    if (!isIndex || measurement === undefined) throw malformed('pcrs');
    measurements.set(index, measurement);
  }
  return measurements;
}

function cabundle(value: unknown): readonly Uint8Array[] {
  if (!Array.isArray(value) || value.length === 0) throw malformed('cabundle');
  return value.map((certificate: unknown) => bytesWithin(certificate, 1, MAX_CERTIFICATE_BYTES) ?? refuse('cabundle'));
}

/** An optional field is absent when it is missing or null. */
function optionalBytes(
  fields: ReadonlyMap<string, unknown>,
  name: string,
  min: number,
  max: number,
): Uint8Array | undefined {
  const value = fields.get(name) ?? undefined;
  return value === undefined ? undefined : (bytesWithin(value, min, max) ?? refuse(name));
}

function bytesWithin(value: unknown, min: number, max: number): Uint8Array | undefined {
  return value instanceof Uint8Array && value.length >= min && value.length <= max ? value : undefined;
}

/** The user data that binds a document to the client's public key (transport V2, section 1). */
export function userDataFor(clientPublicKey: Uint8Array): Uint8Array {
  return concatBytes(CLIENT_PUBLIC_KEY_LABEL, clientPublicKey);
}

function refuse(field: string): never {
  throw malformed(field);
}

function malformed(field: string, cause?: unknown): AttestationError {
  return new AttestationError('malformed_document', `the attestation document has no valid ${field}`, { cause });
}
