// src/attestation: bytes in, verdict out. No network, no clock, no log.
// The security argument reads in three files: this one verifies the document, ../session/handshake.ts makes the session
// with the keys in it, and ../session/record.ts opens a record under those keys.
import { type KeyObject, createHash } from 'node:crypto';
import { constantTimeEqual } from '../shared/bytes.ts';
import { type CoseSign1, parseSignedEnvelope, sigStructure } from './cose.ts';
import { type AttestationDocument, parsePayload } from './document.ts';
import { AttestationError } from './errors.ts';
import { isSignedBy } from './signature.ts';
import { type TrustAnchors, isTrustAnchor } from './trust.ts';
import { checkValidity } from './validity.ts';
import type { Certificate } from './x509/certificates.ts';
import { type CertificateChain, certificatesOf, verifyChain } from './x509/chain.ts';

/** Only `verifyAttestation` can set this property, so code outside this file cannot make a VerifiedAttestation. */
const verified = Symbol('verified attestation');

export interface VerifyOptions {
  /** The roots to trust, for example `AWS_NITRO_ROOT`. */
  readonly anchors: TrustAnchors;
  /** The current time in milliseconds since 1970. */
  readonly now: number;
  /** The bytes that the document must carry as its nonce: the challenge of this handshake. */
  readonly nonce: Uint8Array;
}

/** One certificate of the chain, for display. */
export interface CertificateSummary {
  /** The distinguished name, one attribute per line. */
  readonly subject: string;
  /** SHA-256 of the DER, lower-case hex. */
  readonly sha256: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The content of a verified document. Next come the measurement (policy.ts) and the bindings (bindings.ts). */
export interface VerifiedAttestation {
  readonly [verified]: true;
  readonly moduleId: string;
  /** The enclave's own time in milliseconds since 1970. */
  readonly timestamp: number;
  /** SHA-384 measurements of 48 bytes, by index 0 to 31. */
  readonly pcrs: ReadonlyMap<number, Uint8Array>;
  readonly nonce: Uint8Array;
  readonly publicKey: Uint8Array | undefined;
  readonly userData: Uint8Array | undefined;
  /** Validity period of the leaf certificate, milliseconds since 1970. */
  readonly leafNotBefore: number;
  readonly leafNotAfter: number;
  /** The complete chain, root first, leaf last. */
  readonly certificates: readonly CertificateSummary[];
}

/**
 * Verifies an AWS Nitro attestation document (transport V2, section 4).
 *
 * @param bytes the document, CBOR, at most 64 KiB
 * @throws AttestationError `malformed_document`, `untrusted_root`, `malformed_certificate`, `certificate_algorithm`,
 *   `certificate_chain`, `signature`, `nonce_mismatch`, `certificate_not_yet_valid`, `certificate_expired`
 */
export function verifyAttestation(bytes: Uint8Array, { anchors, now, nonce }: VerifyOptions): VerifiedAttestation {
  const envelope = parseSignedEnvelope(bytes);
  const document = parsePayload(envelope.payload);
  requireTrustedRoot(document, anchors);
  const chain = verifyChain(document.cabundle, document.certificate);
  verifySignature(envelope, chain.leaf.publicKey);
  const verifiedNonce = requireNonce(document, nonce);
  // Last: only the timestamp of a signed, fresh document can distinguish a wrong clock from an expired certificate.
  checkValidity(certificatesOf(chain), now, document.timestamp);
  return toVerifiedAttestation(document, chain, verifiedNonce);
}

/** @throws AttestationError `untrusted_root` */
export function requireTrustedRoot(document: AttestationDocument, anchors: TrustAnchors): void {
  const [root] = document.cabundle;
  if (root === undefined || !isTrustAnchor(anchors, root)) {
    throw new AttestationError('untrusted_root', "the enclave's certificate chain does not start with a trusted root");
  }
}

/**
 * RFC 9052 section 4.4, with ES384: ECDSA P-384 over SHA-384, r || s.
 * @throws AttestationError `signature`
 */
export function verifySignature({ protectedHeader, payload, signature }: CoseSign1, key: KeyObject): void {
  if (!isSignedBy(key, sigStructure(protectedHeader, payload), signature)) {
    throw new AttestationError('signature', 'the attestation document is not signed with the key of its certificate');
  }
}

/**
 * Returns the document's own copy of the nonce, which does not change with the caller's array.
 * @throws AttestationError `nonce_mismatch`
 */
export function requireNonce(document: Pick<AttestationDocument, 'nonce'>, nonce: Uint8Array): Uint8Array {
  if (document.nonce === undefined || !constantTimeEqual(document.nonce, nonce)) {
    throw new AttestationError('nonce_mismatch', 'the attestation document does not belong to this connection');
  }
  return document.nonce;
}

function toVerifiedAttestation(
  document: AttestationDocument,
  chain: CertificateChain,
  nonce: Uint8Array,
): VerifiedAttestation {
  const { moduleId, timestamp, pcrs, publicKey, userData } = document;
  const { notBefore: leafNotBefore, notAfter: leafNotAfter } = chain.leaf;
  const certificates = certificatesOf(chain).map(summarize);
  return {
    [verified]: true,
    moduleId,
    timestamp,
    pcrs,
    nonce,
    publicKey,
    userData,
    leafNotBefore,
    leafNotAfter,
    certificates,
  };
}

function summarize({ der, subjectText, notBefore, notAfter }: Certificate): CertificateSummary {
  const sha256 = createHash('sha256').update(der).digest('hex');
  return { subject: subjectText, sha256, notBefore, notAfter };
}
