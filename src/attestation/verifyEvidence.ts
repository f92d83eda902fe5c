// Verifies evidence again, as docs/evidence.md describes it.
import { fromBase64 } from '../shared/bytes.ts';
import { CHECK_IDS } from '../shared/checks.ts';
import type { CheckId } from '../shared/checks.ts';
import { findFormatError, parseEvidence } from '../shared/evidence.ts';
import type { CheckResult, Evidence, EvidenceCheck } from '../shared/evidence.ts';
import { reportChecks } from './checks.ts';
import { AttestationError } from './errors.ts';
import { canonicalJson, digestOf, historyOf, makeEvidence } from './evidence.ts';
import { approveImage } from './policy.ts';
import type { TrustAnchors } from './trust.ts';
import { NOT_BEFORE_LEEWAY_MS } from './validity.ts';

type CheckReport = ReturnType<typeof reportChecks>;

/** How much of the name or path of a field is quoted, in characters: anyone may have written it. */
const LONGEST_NAME = 50;
const LONGEST_PATH = 100;

/** What the verifier trusts. */
export interface VerifierTrust {
  readonly anchors: TrustAnchors;
  /** 96 lower-case hex digits each. Evidence of an image that a user's setting approved needs its PCR0 here. */
  readonly additionalPcr0: readonly string[];
}

export type StepId = 'file_format' | 'file_digest' | CheckId | 'verified_at' | 'recorded_values';

/** One step of a verification. */
export interface Step {
  readonly id: StepId;
  readonly result: CheckResult;
  /** Why it failed, in a sentence without a capital or a full stop. */
  readonly cause?: string;
}

/** Whether every step passed. A skipped one has not passed. */
export function isVerified(steps: readonly Step[]): boolean {
  return steps.length > 0 && steps.every(({ result }) => result === 'pass');
}

/**
 * Repeats every check on evidence.
 * @param value the parsed JSON of the file
 * @param at milliseconds since 1970; undefined: the time that the evidence names
 */
export function verifyEvidence(value: unknown, trust: VerifierTrust, at?: number): readonly Step[] {
  const evidence = parseEvidence(value);
  if (evidence === undefined) {
    const name = findFormatError(value)?.slice(0, LONGEST_NAME) ?? '';
    return refuseForm(`the field ${name} is missing, unknown or not in the required form`);
  }
  const verifiedAt = Date.parse(evidence.verifiedAt);
  const { pcr0, approval } = evidence;
  const presented = {
    bytes: decode(evidence.attestationDocument),
    challenge: decode(evidence.challenge),
    clientPublicKey: decode(evidence.clientPublicKey),
    anchors: trust.anchors,
  };
  const report = reportChecks({
    ...presented,
    at: at ?? verifiedAt,
    approve: approver(evidence, trust.additionalPcr0),
  });
  const recorded = approver(evidence, approval?.by === 'setting' && pcr0 !== null ? [pcr0] : []);
  const again = makeEvidence({ ...evidence, ...presented, at: verifiedAt, approve: recorded });
  return [
    { id: 'file_format', result: 'pass' },
    check('file_digest', digestOf(evidence) === evidence.digest, 'the file was damaged or changed after it was made'),
    ...stepsOf(report),
    checkVerifiedAt(verifiedAt, report),
    checkRecorded(evidence, again),
  ];
}

/** The steps for a file that does not have the form of evidence. */
export function refuseForm(cause: string): readonly Step[] {
  return [fail('file_format', cause), ...skipAll('file_digest', ...CHECK_IDS, 'verified_at', 'recorded_values')];
}

/** What there is of a bare attestation document. */
export interface BareDocument {
  readonly document: Uint8Array;
  /** The nonce that it must contain; undefined if nobody knows it. */
  readonly challenge: Uint8Array | undefined;
}

/**
 * Runs the checks on an attestation document alone. Without a challenge or additional images, their checks are skipped, and so
 * is that of the client's key: nothing shows which handshake the document belongs to.
 */
export function verifyBareDocument(
  { document, challenge }: BareDocument,
  { anchors, additionalPcr0 }: VerifierTrust,
  at: number,
): readonly Step[] {
  const approve = (pcr0: string) => {
    if (additionalPcr0.includes(pcr0)) return { by: 'setting' } as const;
    throw new AttestationError('pcr0_not_approved', `the enclave runs another image, with PCR0 ${pcr0}`);
  };
  return stepsOf(
    reportChecks({
      bytes: document,
      anchors,
      at,
      challenge,
      clientPublicKey: undefined,
      approve: additionalPcr0.length > 0 ? approve : undefined,
    }),
  );
}

/** What approves an image: the pins, these PCR0 values, and of the history the entry in the evidence. */
function approver({ environment, approval }: Evidence, additional: readonly string[]) {
  return (pcr0: string) => approveImage(pcr0, { environment, additional }, historyOf(pcr0, approval, environment));
}

function decode(base64: string): Uint8Array {
  return fromBase64(base64) ?? new Uint8Array(0);
}

function stepsOf({ checks, failure }: CheckReport): readonly Step[] {
  return checks.map((done) =>
    done.result === 'fail' ? fail(done.id, causeOf(done, failure)) : { id: done.id, result: done.result },
  );
}

function causeOf({ error, examined }: EvidenceCheck, failure: AttestationError | undefined): string {
  // The error's own message is about this computer's clock, which says nothing about another time.
  if (error === 'certificate_not_yet_valid') return `a certificate is not valid yet at ${String(examined['time'])}`;
  if (error === 'certificate_expired') return `a certificate has expired at ${String(examined['time'])}`;
  return failure?.message ?? String(error);
}

/** The certificates were valid when the enclave signed, so with a greater difference none of them was at the other time. */
function checkVerifiedAt(verifiedAt: number, { found: { document, chain } }: CheckReport): Step {
  if (document === undefined || chain === undefined) return { id: 'verified_at', result: 'skipped' };
  const { notBefore, notAfter } = chain.leaf;
  const difference = Math.abs(verifiedAt - document.timestamp);
  const isPossible = difference <= notAfter - notBefore + NOT_BEFORE_LEEWAY_MS;
  return check('verified_at', isPossible, 'verifiedAt is too far from the time in the attestation document');
}

function checkRecorded(recorded: Evidence, again: Evidence): Step {
  const names = ['serverPublicKey', 'pcr0', 'approval', 'checks'] as const;
  const path = names.map((name) => findDifference(recorded[name], again[name], name)).find((found) => found !== '');
  if (path !== undefined)
    return fail('recorded_values', `${path.slice(0, LONGEST_PATH)} does not follow from the rest of the file`);
  const refused = recorded.checks.find(({ result }) => result !== 'pass');
  if (refused === undefined) return { id: 'recorded_values', result: 'pass' };
  return fail('recorded_values', `the proxy refused this enclave: ${refused.id} (${refused.error ?? refused.result})`);
}

/** The path of the first value that differs; empty if none does. */
function findDifference(a: unknown, b: unknown, path: string): string {
  if (canonicalJson(a) === canonicalJson(b)) return '';
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return path;
  const [left, right] = [a, b] as readonly Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
  const inside = [...names].map((name) => findDifference(left?.[name], right?.[name], `${path}.${name}`));
  return inside.find((found) => found !== '') ?? path;
}

function check(id: StepId, passed: boolean, cause: string): Step {
  return passed ? { id, result: 'pass' } : fail(id, cause);
}

function fail(id: StepId, cause: string): Step {
  return { id, result: 'fail', cause };
}

function skipAll(...ids: readonly StepId[]): readonly Step[] {
  return ids.map((id) => ({ id, result: 'skipped' }));
}
