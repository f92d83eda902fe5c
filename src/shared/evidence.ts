// The evidence of an attestation: a file with everything that someone else needs to verify it again without a network.
// docs/evidence.md describes the format.

import { fromBase64 } from './bytes.ts';
import { CHECK_IDS, EVIDENCE_VERSION } from './checks.ts';
import type { CheckId } from './checks.ts';
import { asObject, exactFields, fieldsOf, isNullOr, isOneOf } from './json.ts';
import type { Check } from './json.ts';
import { isPcr } from './pcr0.ts';

export type CheckResult = 'pass' | 'fail' | 'skipped';

/** What a check found. `examined` has the exact bytes (hex or Base64) or values that it compared, by name. */
export interface EvidenceCheck {
  readonly id: CheckId;
  readonly result: CheckResult;
  readonly examined: Readonly<Record<string, string | readonly string[]>>;
  /** The code of the error, for `fail` only. */
  readonly error?: string;
}

/** What approved the enclave image. */
export type ImageApproval =
  /** The list that is built into this version. */
  | { readonly by: 'pin' }
  /** The user, with a setting. */
  | { readonly by: 'setting' }
  /** An entry of the signed history. The signature covers PCR0 alone, so the time is not signed. */
  | {
      readonly by: 'history';
      readonly url: string;
      /** 96 hex digits. */
      readonly pcr1: string;
      readonly pcr2: string;
      /** Seconds since 1970, as the history has it. */
      readonly timestamp: number;
      /** Base64 of 96 bytes. */
      readonly signature: string;
    };

export interface Evidence {
  readonly format: 'sealed-proxy-evidence';
  readonly formatVersion: typeof EVIDENCE_VERSION;
  /** The version of Sealed Proxy that made the file. */
  readonly version: string;
  readonly backend: string;
  /** When the proxy verified the document, by this computer's clock: ISO 8601, UTC, milliseconds. */
  readonly verifiedAt: string;
  readonly environment: 'production' | 'development';
  /** Base64 of 32 bytes. */
  readonly challenge: string;
  readonly clientPublicKey: string;
  /** Base64 of 32 bytes; null if the document contains none. */
  readonly serverPublicKey: string | null;
  /** Base64. */
  readonly attestationDocument: string;
  /** 96 hex digits; null if the document contains none. */
  readonly pcr0: string | null;
  /** Null if nothing approved the image. */
  readonly approval: ImageApproval | null;
  readonly checks: readonly EvidenceCheck[];
  /** SHA-256 of the canonical JSON (RFC 8785) of all other fields, hex. Shows damage, not forgery. */
  readonly digest: string;
}

/** Files with evidence, and attestation documents, are smaller. In bytes. */
export const MAX_EVIDENCE_BYTES = 1_048_576;

const HEX_32 = /^[0-9a-f]{64}$/;
const HTTPS = /^https:\/\/[\x21-\x7e]{1,2000}$/;
const MAX_DOCUMENT_BYTES = 65_536;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

const isBase64 =
  (isLength: (length: number) => boolean): Check =>
  (value) =>
    typeof value === 'string' && isLength(fromBase64(value)?.length ?? NaN);

const isKey = isBase64((length) => length === 32);

const APPROVAL: Readonly<Record<keyof Extract<ImageApproval, { by: 'history' }>, Check>> = {
  by: isOneOf('history'),
  url: matches(HTTPS),
  pcr1: isPcr,
  pcr2: isPcr,
  timestamp: Number.isSafeInteger,
  signature: isBase64((length) => length === 96),
};

const FIELDS: Readonly<Record<keyof Evidence, Check>> = {
  format: isOneOf('sealed-proxy-evidence'),
  formatVersion: isOneOf(EVIDENCE_VERSION),
  version: matches(/^[0-9A-Za-z.+-]{1,64}$/),
  backend: matches(HTTPS),
  verifiedAt: isTime,
  environment: isOneOf('production', 'development'),
  challenge: isKey,
  clientPublicKey: isKey,
  serverPublicKey: isNullOr(isKey),
  attestationDocument: isBase64((length) => length <= MAX_DOCUMENT_BYTES),
  pcr0: isNullOr(isPcr),
  approval: isNullOr(isApproval),
  checks: (value) => Array.isArray(value) && value.length === CHECK_IDS.length && value.every(isCheck),
  digest: matches(HEX_32),
};

/** The first field of `value` that does not have the form of docs/evidence.md, or undefined if it is evidence. */
export function findFormatError(value: unknown): string | undefined {
  const fields = fieldsOf(value);
  const wrong = Object.entries(FIELDS).find(([name, rule]) => !Object.hasOwn(fields, name) || !rule(fields[name]));
  return wrong?.[0] ?? Object.keys(fields).find((name) => !Object.hasOwn(FIELDS, name));
}

/** The evidence that `value` is, or undefined. Its form alone is checked. */
export function parseEvidence(value: unknown): Evidence | undefined {
  return findFormatError(value) === undefined ? (value as Evidence) : undefined;
}

function isTime(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value && /^(?!0000)\d{4}-/.test(value);
}

function isApproval(value: unknown): boolean {
  const local = exactFields(value, 'by');
  if (local !== undefined) return local.by === 'pin' || local.by === 'setting';
  const names = Object.keys(APPROVAL) as (keyof typeof APPROVAL)[];
  const entry = exactFields(value, ...names);
  return entry !== undefined && names.every((name) => APPROVAL[name](entry[name]));
}

function isCheck(value: unknown, index: number): boolean {
  const failed = exactFields(value, 'id', 'result', 'examined', 'error');
  const { id, result, examined } = failed ?? exactFields(value, 'id', 'result', 'examined') ?? {};
  if (id !== CHECK_IDS[index] || !isExamined(examined)) return false;
  if (failed === undefined) return result === 'pass' || result === 'skipped';
  return result === 'fail' && matches(/^[a-z0-9_]{1,64}$/)(failed.error);
}

function isExamined(value: unknown): boolean {
  const fields = asObject(value);
  return (
    fields !== undefined &&
    Object.entries(fields).every(([name, field]) => {
      const texts: readonly unknown[] = Array.isArray(field) ? field : [field];
      return (
        /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(name) &&
        texts.every((text) => typeof text === 'string' && text.isWellFormed())
      );
    })
  );
}
