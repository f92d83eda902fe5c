// src/attestation: bytes in, verdict out. No network, no clock, no log.
// The security argument reads in three files: this one verifies an attestation, ../session/handshake.ts makes the session
// with the keys in it, and ../session/record.ts opens a record under those keys.
//
// The lists below are the verifier (transport V2, sections 1 and 4). docs/evidence.md describes each check, and
// ../shared/checks.ts has what others say about it.
import { hash } from 'node:crypto';
import { constantTimeEqual, toBase64, toHex } from '../shared/bytes.ts';
import type { ImageApproval } from '../shared/evidence.ts';
import type { Certificate } from './certificates.ts';
import { type CertificateChain, certificatesOf, verifyChain } from './chain.ts';
import { CheckList } from './checkList.ts';
import type { Check, Examined, Report } from './checkList.ts';
import { type CoseSign1, parseSignedEnvelope, sigStructure } from './cose.ts';
import { type AttestationDocument, type UnsignedDocument, parsePayload, userDataFor } from './document.ts';
import { AttestationError } from './errors.ts';
import { measuredImage } from './policy.ts';
import { isSignedBy } from './signature.ts';
import { type TrustAnchors, isTrustAnchor } from './trust.ts';
import { checkValidity } from './validity.ts';

/** X25519 (RFC 7748 section 6.1). */
export const PUBLIC_KEY_BYTES = 32;

/** What a document is verified with. */
export interface DocumentInput {
  /** The attestation document, CBOR, at most 64 KiB. */
  readonly bytes: Uint8Array;
  /** The roots to trust, for example `AWS_NITRO_ROOT`. */
  readonly anchors: TrustAnchors;
  /** The time of the verification in milliseconds since 1970. */
  readonly at: number;
  /** What this handshake sent as its challenge: 32 bytes. */
  readonly challenge: Uint8Array;
}

/** What decides about the image and the keys in a document. */
export interface EnclaveInput {
  /** What approves PCR0 (96 hex digits). Throws an AttestationError if nothing does. */
  readonly approve: (pcr0: string) => ImageApproval;
  /** What this handshake sent as its public key: 32 bytes. */
  readonly clientPublicKey: Uint8Array;
}

/** What the checks of a document find. */
interface DocumentFacts {
  readonly envelope: CoseSign1;
  readonly document: AttestationDocument;
  readonly chain: CertificateChain;
  /** The measurement of the enclave image, 96 lower-case hex digits. */
  readonly pcr0: string;
}

interface EnclaveFacts {
  readonly approval: ImageApproval;
  /** The enclave's X25519 public key, 32 bytes. */
  readonly serverPublicKey: Uint8Array;
}

const CHALLENGE: Check<{ readonly document: Pick<AttestationDocument, 'nonce'>; readonly challenge: Uint8Array }> = {
  id: 'challenge',
  needs: 'challenge',
  run: ({ document: { nonce }, challenge }) => {
    if (nonce === undefined || !constantTimeEqual(nonce, challenge)) {
      throw new AttestationError('nonce_mismatch', 'the attestation document does not belong to this connection');
    }
  },
  examined: ({ document, challenge }) => ({ expected: toBase64(challenge), ...found(document.nonce) }),
};

const SERVER_KEY: Check<
  { readonly document: Pick<AttestationDocument, 'publicKey'> },
  Pick<EnclaveFacts, 'serverPublicKey'>
> = {
  id: 'server_key',
  run: ({ document: { publicKey } }) => {
    if (publicKey?.length !== PUBLIC_KEY_BYTES) {
      throw new AttestationError('public_key_mismatch', 'the attestation document has no X25519 public key');
    }
    return { serverPublicKey: publicKey };
  },
  examined: ({ document }) => found(document.publicKey),
};

const CLIENT_KEY: Check<{
  readonly document: Pick<AttestationDocument, 'userData'>;
  readonly clientPublicKey: Uint8Array;
}> = {
  id: 'client_key',
  needs: 'clientPublicKey',
  run: ({ document: { userData }, clientPublicKey }) => {
    if (userData === undefined || !constantTimeEqual(userData, userDataFor(clientPublicKey))) {
      throw new AttestationError(
        'user_data_mismatch',
        'the attestation document was made for a different client public key',
      );
    }
  },
  examined: ({ document, clientPublicKey }) => ({
    expected: toBase64(userDataFor(clientPublicKey)),
    ...found(document.userData),
  }),
};

/** Everything that a document shows by itself. */
const DOCUMENT_CHECKS = CheckList.for<DocumentInput>()
  .and({
    id: 'document_format',
    run: ({ bytes }): Pick<DocumentFacts, 'envelope' | 'document'> => {
      const envelope = parseSignedEnvelope(bytes);
      return { envelope, document: parsePayload(envelope.payload) };
    },
    examined: ({ bytes }) => ({ sha256: sha256(bytes) }),
  })
  .and({
    id: 'trusted_root',
    run: ({ document: { cabundle }, anchors }) => {
      const [root] = cabundle;
      if (root === undefined || !isTrustAnchor(anchors, root)) {
        const message = "the enclave's certificate chain does not start with a trusted root";
        throw new AttestationError('untrusted_root', message);
      }
    },
    examined: ({ document }) => ({ sha256: document.cabundle.slice(0, 1).map(sha256).join() }),
  })
  .and({
    id: 'certificate_chain',
    run: ({ document }): Pick<DocumentFacts, 'chain'> => ({
      chain: verifyChain(document.cabundle, document.certificate),
    }),
    examined: ({ document, chain }) => ({
      sha256: [...document.cabundle, document.certificate].map(sha256),
      ...(chain === undefined ? {} : describeCertificates(chain)),
    }),
  })
  .and({
    // RFC 9052 section 4.4, with ES384: ECDSA P-384 over SHA-384, r || s.
    id: 'document_signature',
    run: ({ envelope: { protectedHeader, payload, signature }, chain }) => {
      if (!isSignedBy(chain.leaf.publicKey, sigStructure(protectedHeader, payload), signature)) {
        const message = 'the attestation document is not signed with the key of its certificate';
        throw new AttestationError('signature', message);
      }
    },
    examined: ({ envelope: { protectedHeader, payload, signature }, chain }) => ({
      sigStructureSha384: hash('sha384', sigStructure(protectedHeader, payload)),
      signature: toBase64(signature),
      publicKey: toBase64(chain.leaf.publicKey.export({ type: 'spki', format: 'der' })),
    }),
  })
  .and(CHALLENGE)
  .and({
    // Not earlier: only the timestamp of a signed, fresh document can distinguish a wrong clock from an expired certificate.
    id: 'certificate_validity',
    run: ({ chain, at, document }) => {
      checkValidity(certificatesOf(chain), at, document.timestamp);
    },
    examined: ({ chain, at }) => ({ time: toTime(at), ...describeValidity(certificatesOf(chain)) }),
  })
  .and({
    id: 'debug_mode',
    run: ({ document }): Pick<DocumentFacts, 'pcr0'> => ({ pcr0: measuredImage(document) }),
    examined: ({ document }) => describeImage(document),
  });

/** Whether the enclave of a verified document may be used for this handshake. */
const ENCLAVE_CHECKS = CheckList.for<Pick<DocumentFacts, 'document' | 'pcr0'> & EnclaveInput>()
  .and({
    id: 'image_approved',
    needs: 'approve',
    run: ({ pcr0, approve }): Pick<EnclaveFacts, 'approval'> => ({ approval: approve(pcr0) }),
    examined: ({ document, approval }) => ({ ...describeImage(document), ...describeApproval(approval) }),
  })
  .and(SERVER_KEY)
  .and(CLIENT_KEY);

const ALL_CHECKS = DOCUMENT_CHECKS.followedBy(ENCLAVE_CHECKS);

/** What can be checked of an unsigned document. */
const UNSIGNED_CHECKS = CheckList.for<{
  document: UnsignedDocument;
  challenge: Uint8Array;
  clientPublicKey: Uint8Array;
}>()
  .and(CHALLENGE)
  .and(SERVER_KEY)
  .and(CLIENT_KEY);

/** Only `verifyDocument` can set this property, so code outside this file cannot make a VerifiedDocument. */
const verified = Symbol('verified document');

/** A document that passed its checks. Next comes whether its enclave may be used. */
export interface VerifiedDocument extends DocumentFacts {
  readonly [verified]: true;
}

/** Only `approveEnclave` can set this property, so code outside this file cannot make an ApprovedEnclave. */
const approved = Symbol('approved enclave');

/** An enclave that passed all checks. */
export interface ApprovedEnclave extends VerifiedDocument, EnclaveFacts {
  readonly [approved]: true;
}

/**
 * Runs the checks of a document.
 * @throws AttestationError with an error of `document_format` to `debug_mode`
 */
export function verifyDocument(input: DocumentInput): VerifiedDocument {
  return { [verified]: true, ...DOCUMENT_CHECKS.run(input) };
}

/**
 * Runs the remaining checks, once everything is known that approves images.
 * @throws AttestationError with an error of `image_approved` to `client_key`
 */
export function approveEnclave(document: VerifiedDocument, input: EnclaveInput): ApprovedEnclave {
  return { ...document, [approved]: true, ...ENCLAVE_CHECKS.run({ ...document, ...input }) };
}

/**
 * Checks that an unsigned document was made for this handshake. Nothing else can be checked of it.
 * @returns the public key in it, 32 bytes
 * @throws AttestationError `nonce_mismatch`, `public_key_mismatch`, `user_data_mismatch`
 */
export function checkUnsigned(
  document: UnsignedDocument,
  sent: Pick<DocumentInput, 'challenge'> & Pick<EnclaveInput, 'clientPublicKey'>,
): Uint8Array {
  return UNSIGNED_CHECKS.run({ document, ...sent }).serverPublicKey;
}

/** The inputs of all checks. Undefined: there is nothing to compare with, so the check is skipped. */
export interface ReportInput extends Omit<DocumentInput, 'challenge'> {
  readonly challenge: Uint8Array | undefined;
  readonly approve: ((pcr0: string) => ImageApproval) | undefined;
  readonly clientPublicKey: Uint8Array | undefined;
}

/** Runs all checks, and reports what each one has examined. */
export function reportChecks(input: ReportInput): Report<DocumentFacts & EnclaveFacts> {
  return ALL_CHECKS.report(input);
}

function describeCertificates(chain: CertificateChain): Examined {
  const certificates = certificatesOf(chain);
  return { subjects: certificates.map(({ subjectText }) => subjectText), ...describeValidity(certificates) };
}

function describeValidity(certificates: readonly Certificate[]): Examined {
  return {
    notBefore: certificates.map(({ notBefore }) => toTime(notBefore)),
    notAfter: certificates.map(({ notAfter }) => toTime(notAfter)),
  };
}

function describeImage({ pcrs }: AttestationDocument): Examined {
  const measured = pcrs.get(0);
  return measured === undefined ? {} : { pcr0: toHex(measured) };
}

function describeApproval(approval: ImageApproval | undefined): Examined {
  return Object.fromEntries(Object.entries(approval ?? {}).map(([name, value]) => [name, String(value)]));
}

function found(bytes: Uint8Array | undefined): Examined {
  return bytes === undefined ? {} : { found: toBase64(bytes) };
}

function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** ISO 8601, UTC, milliseconds. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
