// src/attestation: bytes in, verdict out. No network, no clock, no log.
import { createHash, verify, type KeyObject } from 'node:crypto';
import { constantTimeEqual } from '../shared/bytes.ts';
import type { Certificate } from './certificates.ts';
import { verifyChain, type CertificateChain } from './chain.ts';
import { parseSignedEnvelope, sigStructure, type CoseSign1 } from './cose.ts';
import { parsePayload, type AttestationDocument } from './document.ts';
import { AttestationError } from './errors.ts';
import { isTrustAnchor, type TrustAnchors } from './trust.ts';
import { checkValidity } from './validity.ts';

/** Carried by what `verifyAttestation` returns and by nothing else: it cannot be written outside this file. */
const verified = Symbol('verified attestation');

export interface VerifyOptions {
  /** The roots to trust, for example `AWS_NITRO_ROOT`. */
  readonly anchors: TrustAnchors;
  /** The present time in milliseconds since 1970. */
  readonly now: number;
  /** The bytes that the document must carry as its nonce: the challenge of this handshake. */
  readonly nonce: Uint8Array;
}

/** One certificate of the chain, for people who want to see what the trust rests on. */
export interface CertificateSummary {
  /** The distinguished name, one attribute a line. */
  readonly subject: string;
  /** SHA-256 of the DER, lower-case hex. */
  readonly sha256: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What a verified document proves. Still to be judged: the measurement (policy.ts), then the bindings (bindings.ts). */
export interface VerifiedAttestation {
  readonly [verified]: true;
  readonly moduleId: string;
  /** The enclave's own time in milliseconds since 1970. */
  readonly timestamp: number;
  /** Index 0 to 31 to SHA-384 measurement, 48 bytes each. */
  readonly pcrs: ReadonlyMap<number, Uint8Array>;
  readonly nonce: Uint8Array;
  readonly publicKey: Uint8Array | undefined;
  readonly userData: Uint8Array | undefined;
  /** Validity of the leaf certificate, milliseconds since 1970. */
  readonly leafNotBefore: number;
  readonly leafNotAfter: number;
  /** The whole chain, root first, leaf last. */
  readonly certificates: readonly CertificateSummary[];
}

/**
 * Verifies an AWS Nitro attestation document (transport-v2 section 4) and returns what it proves.
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
  const answeredNonce = requireNonce(document, nonce);
  // Last, because only a document that is signed and not replayed can tell a wrong clock from an expired certificate.
  checkValidity([...chain.authorities, chain.leaf], now, document.timestamp);
  return toVerifiedAttestation(document, chain, answeredNonce);
}

function requireTrustedRoot(document: AttestationDocument, anchors: TrustAnchors): void {
  const [root] = document.cabundle;
  if (root === undefined || !isTrustAnchor(anchors, root)) {
    throw new AttestationError('untrusted_root', "the enclave's certificate chain does not start with a trusted root");
  }
}

/** RFC 9052 section 4.4, with ES384: ECDSA P-384 over SHA-384, r || s. */
function verifySignature({ protectedHeader, payload, signature }: CoseSign1, key: KeyObject): void {
  if (!verify('sha384', sigStructure(protectedHeader, payload), { key, dsaEncoding: 'ieee-p1363' }, signature)) {
    throw new AttestationError('signature', 'the attestation document is not signed by its own certificate');
  }
}

/** Returns the document's own copy: what is proved must not change with the caller's array. */
function requireNonce(document: AttestationDocument, nonce: Uint8Array): Uint8Array {
  if (document.nonce === undefined || !constantTimeEqual(document.nonce, nonce)) {
    throw new AttestationError('nonce_mismatch', 'the attestation document answers another challenge');
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
  const certificates = [...chain.authorities, chain.leaf].map(summarize);
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

function summarize({ x509, notBefore, notAfter }: Certificate): CertificateSummary {
  const sha256 = createHash('sha256').update(x509.raw).digest('hex');
  return { subject: x509.subject, sha256, notBefore, notAfter };
}
