import { type KeyObject, createPublicKey } from 'node:crypto';
import { asBuffer } from '../shared/bytes.ts';
import { type DerElement, DerReader, TAG, onlyElement, time, unsignedInteger, wholeBytes } from './der.ts';
import { distinguishedName } from './distinguishedName.ts';
import { AttestationError } from './errors.ts';
import { type Extensions, readExtensions } from './extensions.ts';

/** AlgorithmIdentifier {ecdsa-with-SHA384}, parameters absent (RFC 5758 section 3.2), in DER. */
const ECDSA_WITH_SHA384 = Buffer.from('300a06082a8648ce3d040303', 'hex');
/** AlgorithmIdentifier {id-ecPublicKey, secp384r1} (RFC 5480 section 2.1.1), in DER. */
const EC_P384 = Buffer.from('301006072a8648ce3d020106052b81040022', 'hex');
/** An uncompressed point: 04 and two coordinates (RFC 5480 section 2.2). */
const POINT_BYTES = 97;
const UNCOMPRESSED = 0x04;
/** X.509 version 3: [0] INTEGER 2. */
const VERSION_3 = Buffer.from('a003020102', 'hex');
const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
/** RFC 5280 section 4.1.2.2: 20 bytes. AWS also uses numbers whose first bit is one, which DER writes as 21. */
const SERIAL_NUMBER_LIMIT = 2n ** 160n;

/** One X.509 v3 certificate. Its signature is not verified. */
export interface Certificate extends Extensions {
  /** TBSCertificate, DER: what is signed. */
  readonly signed: Uint8Array;
  /** ECDSA-Sig-Value, DER. */
  readonly signature: Uint8Array;
  /** Content of the INTEGER. */
  readonly serialNumber: Uint8Array;
  /** DER. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  /** One attribute per line, by RFC 4514. */
  readonly subjectText: string;
  /** On P-384. */
  readonly publicKey: KeyObject;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly der: Uint8Array;
}

/**
 * Reads one X.509 v3 certificate whose key and signature algorithm are ECDSA P-384 with SHA-384 (RFC 5280, section 4.1, as
 * docs/evidence.md narrows it). Everything that is read must be DER: a certificate has one encoding.
 *
 * @param der the certificate without trailing bytes
 * @throws AttestationError `malformed_certificate`, `certificate_algorithm`
 */
export function parseCertificate(der: Uint8Array): Certificate {
  try {
    return readCertificate(der);
  } catch (cause) {
    if (cause instanceof AttestationError) throw cause;
    throw new AttestationError('malformed_certificate', 'a certificate of the enclave is malformed', { cause });
  }
}

function readCertificate(der: Uint8Array): Certificate {
  const outer = new DerReader(onlyElement(der, TAG.sequence).content);
  const signed = outer.next(TAG.sequence);
  const outerAlgorithm = outer.next(TAG.sequence);
  const signature = wholeBytes(outer.next(TAG.bitString));
  outer.end();

  const inner = new DerReader(signed.content);
  if (!asBuffer(inner.next(VERSION_TAG).bytes).equals(VERSION_3)) throw new Error('not version 3');
  const serial = inner.next(TAG.integer);
  const innerAlgorithm = inner.next(TAG.sequence);
  const issuer = inner.next(TAG.sequence);
  const validity = new DerReader(inner.next(TAG.sequence).content);
  const subject = inner.next(TAG.sequence);
  const key = inner.next(TAG.sequence);
  const wrapped = inner.optional(EXTENSIONS_TAG);
  inner.end();

  const serialNumber = unsignedInteger(serial);
  if (serialNumber === 0n || serialNumber >= SERIAL_NUMBER_LIMIT) throw new Error('a serial number out of range');
  distinguishedName(issuer);
  const subjectText = distinguishedName(subject);
  const notBefore = time(validity.any());
  const notAfter = time(validity.any());
  validity.end();
  const extensions = readExtensions(wrapped && onlyElement(wrapped.content, TAG.sequence));
  for (const algorithm of [innerAlgorithm, outerAlgorithm]) requireEcdsaWithSha384(algorithm);
  return {
    ...extensions,
    signed: signed.bytes,
    signature,
    serialNumber: serial.content,
    issuer: issuer.bytes,
    subject: subject.bytes,
    subjectText,
    publicKey: readPublicKey(key),
    notBefore,
    notAfter,
    der,
  };
}

/** Inside the signed part and next to the signature, which must be equal (RFC 5280 section 4.1.1.2). */
function requireEcdsaWithSha384({ bytes }: DerElement): void {
  if (asBuffer(bytes).equals(ECDSA_WITH_SHA384)) return;
  throw new AttestationError(
    'certificate_algorithm',
    'a certificate of the enclave is not signed with ECDSA and SHA-384',
  );
}

/** SubjectPublicKeyInfo (RFC 5480): an uncompressed point on P-384. */
function readPublicKey(info: DerElement): KeyObject {
  const reader = new DerReader(info.content);
  const algorithm = reader.next(TAG.sequence).bytes;
  const point = wholeBytes(reader.next(TAG.bitString));
  reader.end();
  if (!asBuffer(algorithm).equals(EC_P384)) {
    throw new AttestationError('certificate_algorithm', 'a certificate of the enclave has a key that is not on P-384');
  }
  if (point.length !== POINT_BYTES || point[0] !== UNCOMPRESSED) throw new Error('not an uncompressed point');
  // Throws for a point that is not on the curve.
  return createPublicKey({ key: asBuffer(info.bytes), format: 'der', type: 'spki' });
}
