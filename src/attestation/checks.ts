// The checks of the handshake one by one, each with what it examined. The rules are those that the handshake uses.
import { createHash } from 'node:crypto';
import { toBase64, toHex } from '../shared/bytes.ts';
import { CHECK_IDS } from '../shared/evidence.ts';
import type { CheckId, EvidenceCheck, ImageApproval } from '../shared/evidence.ts';
import { requireClientKey, requireServerKey, userDataFor } from './bindings.ts';
import { parseSignedEnvelope, sigStructure } from './cose.ts';
import { type AttestationDocument, parsePayload } from './document.ts';
import { AttestationError } from './errors.ts';
import { measuredImage } from './policy.ts';
import type { TrustAnchors } from './trust.ts';
import { checkValidity } from './validity.ts';
import { requireNonce, requireTrustedRoot, verifySignature } from './verify.ts';
import type { Certificate } from './x509/certificates.ts';
import { type CertificateChain, certificatesOf, verifyChain } from './x509/chain.ts';

export interface CheckInput {
  /** The attestation document, CBOR. */
  readonly document: Uint8Array;
  readonly anchors: TrustAnchors;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Undefined: there is nothing to compare with, so the check is skipped. The same is true of the next two. */
  readonly challenge: Uint8Array | undefined;
  readonly clientPublicKey: Uint8Array | undefined;
  /** What approves PCR0 (96 hex digits). Throws an AttestationError if nothing does. */
  readonly approve: ((pcr0: string) => ImageApproval) | undefined;
}

export interface CheckReport {
  /** All ten, in their order. */
  readonly checks: readonly EvidenceCheck[];
  /** Why a check failed. */
  readonly failure: AttestationError | undefined;
  /** Undefined if it could not be parsed. What a failed check leaves of it is not verified. */
  readonly document: AttestationDocument | undefined;
  /** Undefined if it is not valid. */
  readonly chain: CertificateChain | undefined;
  readonly approval: ImageApproval | null;
}

/** Runs the checks in the order of the handshake. After one that fails, the others are skipped. */
export function runChecks(input: CheckInput): CheckReport {
  const report = new Report();
  let failure: AttestationError | undefined;
  try {
    examine(input, report);
  } catch (error) {
    if (!(error instanceof AttestationError)) throw error;
    failure = error;
  }
  const { document, chain, approval } = report;
  return { checks: report.complete(), failure, document, chain, approval };
}

function examine({ document: bytes, anchors, at, challenge, clientPublicKey, approve }: CheckInput, report: Report) {
  const { envelope, document } = report.check('document_format', { sha256: sha256(bytes) }, () => parse(bytes));
  report.document = document;
  const certificates = [...document.cabundle, document.certificate].map(sha256);
  report.check('trusted_root', { sha256: certificates.slice(0, 1).join() }, () => {
    requireTrustedRoot(document, anchors);
  });
  const verify = () => verifyChain(document.cabundle, document.certificate);
  const chain = report.check('certificate_chain', { sha256: certificates }, verify, describeChain);
  report.chain = chain;
  const { publicKey } = chain.leaf;
  const signed = sigStructure(envelope.protectedHeader, envelope.payload);
  const signature = {
    sigStructureSha384: createHash('sha384').update(signed).digest('hex'),
    signature: toBase64(envelope.signature),
    publicKey: toBase64(publicKey.export({ type: 'spki', format: 'der' })),
  };
  report.check('document_signature', signature, () => {
    verifySignature(envelope, publicKey);
  });
  if (challenge !== undefined) {
    const examined = { expected: toBase64(challenge), ...found(document.nonce) };
    report.check('challenge', examined, () => requireNonce(document, challenge));
  }
  report.check('certificate_validity', { time: toTime(at), ...describeValidity(certificatesOf(chain)) }, () => {
    checkValidity(certificatesOf(chain), at, document.timestamp);
  });
  const measured = document.pcrs.get(0);
  const image = measured === undefined ? {} : { pcr0: toHex(measured) };
  const pcr0 = report.check('debug_mode', image, () => measuredImage(document));
  if (approve !== undefined) {
    report.approval = report.check('image_approved', image, () => approve(pcr0), describeApproval);
  }
  report.check('server_key', found(document.publicKey), () => requireServerKey(document));
  if (clientPublicKey !== undefined) {
    const examined = { expected: toBase64(userDataFor(clientPublicKey)), ...found(document.userData) };
    report.check('client_key', examined, () => {
      requireClientKey(document, clientPublicKey);
    });
  }
}

type Examined = EvidenceCheck['examined'];

class Report {
  document: AttestationDocument | undefined;
  chain: CertificateChain | undefined;
  approval: ImageApproval | null = null;
  readonly #done: EvidenceCheck[] = [];

  /**
   * Records whether `rule` throws an AttestationError, and passes its result or error on.
   * @param describe further values that the rule has examined, from its result
   */
  check<Result>(
    id: CheckId,
    examined: Examined,
    rule: () => Result,
    describe: (result: Result) => Examined = () => ({}),
  ): Result {
    try {
      const result = rule();
      this.#done.push({ id, result: 'pass', examined: { ...examined, ...describe(result) } });
      return result;
    } catch (error) {
      if (error instanceof AttestationError) this.#done.push({ id, result: 'fail', examined, error: error.code });
      throw error;
    }
  }

  complete(): EvidenceCheck[] {
    return CHECK_IDS.map(
      (id) => this.#done.find((check) => check.id === id) ?? { id, result: 'skipped', examined: {} },
    );
  }
}

function parse(bytes: Uint8Array) {
  const envelope = parseSignedEnvelope(bytes);
  return { envelope, document: parsePayload(envelope.payload) };
}

function describeChain(chain: CertificateChain): Examined {
  return {
    subjects: certificatesOf(chain).map(({ subjectText }) => subjectText),
    ...describeValidity(certificatesOf(chain)),
  };
}

function describeValidity(certificates: readonly Certificate[]): Examined {
  return {
    notBefore: certificates.map(({ notBefore }) => toTime(notBefore)),
    notAfter: certificates.map(({ notAfter }) => toTime(notAfter)),
  };
}

function describeApproval(approval: ImageApproval): Examined {
  return Object.fromEntries(Object.entries(approval).map(([name, value]) => [name, String(value)]));
}

function found(bytes: Uint8Array | undefined): Examined {
  return bytes === undefined ? {} : { found: toBase64(bytes) };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** ISO 8601, UTC, milliseconds. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
