// Makes the evidence of an attestation. docs/evidence.md describes the format.
import { hash } from 'node:crypto';
import { toBase64, toHex } from '../shared/bytes.ts';
import { EVIDENCE_VERSION } from '../shared/checks.ts';
import type { Evidence, ImageApproval } from '../shared/evidence.ts';
import { PUBLIC_KEY_BYTES, reportChecks, toTime } from './checks.ts';
import type { ReportInput } from './checks.ts';
import { type PcrHistory, parseHistory } from './history.ts';
import { type Environment, HISTORY_VERIFICATION_KEY } from './pins.ts';

/** What a handshake sent and received. */
export interface Presented {
  /** The attestation document as received. */
  readonly bytes: Uint8Array;
  /** 32 bytes each. */
  readonly challenge: Uint8Array;
  readonly clientPublicKey: Uint8Array;
  /** When the document was verified, in milliseconds since 1970. */
  readonly at: number;
  /** The history that was loaded, if the image needed one. */
  readonly history: PcrHistory | undefined;
}

export interface EvidenceSource extends ReportInput {
  readonly version: string;
  /** The URL of the backend. */
  readonly backend: string;
  readonly environment: Environment;
  readonly challenge: Uint8Array;
  readonly clientPublicKey: Uint8Array;
}

/** The evidence of one handshake: all checks, run again on what it sent and received. */
export function makeEvidence(source: EvidenceSource): Evidence {
  const { version, backend, environment } = source;
  const { checks, found } = reportChecks(source);
  const { document, approval = null } = found;
  const measured = document?.pcrs.get(0);
  const serverKey = document?.publicKey?.length === PUBLIC_KEY_BYTES ? document.publicKey : undefined;
  const evidence = {
    format: 'sealed-proxy-evidence',
    formatVersion: EVIDENCE_VERSION,
    version,
    backend,
    verifiedAt: toTime(source.at),
    environment,
    challenge: toBase64(source.challenge),
    clientPublicKey: toBase64(source.clientPublicKey),
    serverPublicKey: serverKey === undefined ? null : toBase64(serverKey),
    attestationDocument: toBase64(source.bytes),
    pcr0: measured === undefined ? null : toHex(measured),
    approval,
    checks,
  } as const;
  return { ...evidence, digest: digestOf(evidence) };
}

/** SHA-256 of the canonical JSON of all fields but the digest, in hex. It shows damage, not forgery. */
export function digestOf(evidence: Omit<Evidence, 'digest'> & { readonly digest?: string }): string {
  // JSON has no undefined, so this field is left out.
  return hash('sha256', canonicalJson({ ...evidence, digest: undefined }));
}

/**
 * The canonical JSON (RFC 8785) of strings, integers, arrays, objects and null: for these, JSON.stringify already writes the
 * required form of values, and sorts names by UTF-16 units if they are given to it in that order.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) => {
    if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
    const entries = Object.entries(field);
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** A history with only the entry that approved an image, to check that again; undefined if something else approved it. */
export function historyOf(
  pcr0: string,
  approval: ImageApproval | null,
  environment: Environment,
): PcrHistory | undefined {
  if (approval?.by !== 'history') return undefined;
  const { pcr1, pcr2, timestamp, signature } = approval;
  const entry = { PCR0: pcr0, PCR1: pcr1, PCR2: pcr2, timestamp, signature };
  return parseHistory(Buffer.from(JSON.stringify([entry])), environment, HISTORY_VERIFICATION_KEY);
}
