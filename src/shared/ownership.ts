// How one window's extension knows that the program on the port is a proxy of ours: the same person's, by a secret that
// only their editor's windows and proxies know. A stranger cannot answer, and cannot pass the question on to a real
// proxy elsewhere, because the answer names the port that it was given on.
import { createHmac, randomBytes } from 'node:crypto';
import { constantTimeEqual } from './bytes.ts';
import { isAttestationSummary } from './messages.ts';
import type { AttestationSummary } from './messages.ts';

export const CHALLENGE_HEADER = 'x-sealed-proxy-challenge';
export const PROOF_HEADER = 'x-sealed-proxy-proof';
/** Of a `POST /health` by which a window asks for the port. */
export const RELEASE_HEADER = 'x-sealed-proxy-release';
/** Of a `GET /health` by which a window asks what was used. */
export const USAGE_HEADER = 'x-sealed-proxy-usage';

/** What a proxy says of itself to a window that shares its secret. */
export interface ProxyReport {
  readonly version: string;
  readonly port: number;
  /** Drawn when it started: what is asked of this process is asked of no other. */
  readonly instance: string;
  readonly backendUrl: string;
  /** Names whom it trusts: what it was started with. */
  readonly trustFingerprint: string;
  /** Of the keys that count: see `stampOf`. */
  readonly keySetDigest: string;
  /** What the last handshake proved; null while there was none since the last failure. */
  readonly verified: AttestationSummary | null;
  /** Milliseconds since 1970. */
  readonly establishedAt: number | null;
  /** Why the last handshake failed; null if none did since one succeeded. */
  readonly failure: ConnectionFailure | null;
  /** Why a relayed request last failed as any other might now. */
  readonly requestFailure: ConnectionFailure | null;
  /** When the backend last answered a relayed request well. */
  readonly servedAt: number | null;
}

export interface ConnectionFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the session layer, or `key_refused`. */
  readonly code: string;
  /** Of the attestation layer or the operating system, where it is known. */
  readonly detail: string | null;
  readonly message: string;
}

const LABEL = 'sealed-proxy/ownership/v1\0';
const RELEASE_LABEL = 'sealed-proxy/release/v1\0';
const USAGE_LABEL = 'sealed-proxy/usage/v1\0';
const KEY_SET_LABEL = 'sealed-proxy/stamp/v1\0';
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const PROOF = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

/** 43 fresh random characters. */
export function makeChallenge(): string {
  return randomBytes(32).toString('base64url');
}

export function isChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** The report and its authentication code, for the header: `base64url(JSON).base64url(HMAC-SHA-256)`. */
export function prove(secret: Uint8Array, challenge: string, report: ProxyReport): string {
  const payload = Buffer.from(JSON.stringify(report)).toString('base64url');
  return `${payload}.${authenticate(secret, LABEL, challenge, payload).toString('base64url')}`;
}

/** The report, if `proof` answers `challenge` under `secret` and was given on `port`; else undefined. */
export function checkProof(
  secret: Uint8Array,
  challenge: string,
  port: number,
  proof: string,
): ProxyReport | undefined {
  const [, payload, code] = PROOF.exec(proof) ?? [];
  if (payload === undefined || code === undefined) return undefined;
  if (!constantTimeEqual(authenticate(secret, LABEL, challenge, payload), Buffer.from(code, 'base64url')))
    return undefined;
  const report = parseReport(Buffer.from(payload, 'base64url').toString('utf8'));
  return report?.port === port ? report : undefined;
}

/** Tells those who share the secret whether they know the same keys, and everybody else nothing. */
export function digestKeySet(secret: Uint8Array, apiKey: string | null, accessKeys: readonly string[]): string {
  return authenticate(secret, KEY_SET_LABEL, apiKey ?? '', accessKeys.toSorted().join()).toString('base64url');
}

/** A certain process on a certain port. */
type Addressee = Pick<ProxyReport, 'instance' | 'port'>;

/** For the header that asks the proxy of this report to give up its port. 43 characters. */
export function makeRelease(secret: Uint8Array, addressee: Addressee): string {
  return makeRequest(secret, RELEASE_LABEL, addressee);
}

/** True if somebody who shares the secret asks this very process. */
export function isRelease(secret: Uint8Array, addressee: Addressee, release: string): boolean {
  return isSame(makeRelease(secret, addressee), release);
}

/** For the header that asks the same proxy what its clients have used. */
export function makeUsageRequest(secret: Uint8Array, addressee: Addressee): string {
  return makeRequest(secret, USAGE_LABEL, addressee);
}

/** True if somebody who shares the secret asks this very process. */
export function isUsageRequest(secret: Uint8Array, addressee: Addressee, request: string): boolean {
  return isSame(makeUsageRequest(secret, addressee), request);
}

function makeRequest(secret: Uint8Array, label: string, { instance, port }: Addressee): string {
  return authenticate(secret, label, instance, String(port)).toString('base64url');
}

function isSame(expected: string, text: string): boolean {
  return constantTimeEqual(Buffer.from(expected), Buffer.from(text));
}

function authenticate(secret: Uint8Array, label: string, one: string, other: string): Buffer {
  return createHmac('sha256', secret).update(`${label}${one}\0${other}`).digest();
}

/** It is authentic, but may come from another version: what is not understood is left out. */
function parseReport(json: string): ProxyReport | undefined {
  const report = JSON.parse(json) as Partial<Record<keyof ProxyReport, unknown>> | null;
  if (typeof report?.version !== 'string' || typeof report.port !== 'number') return undefined;
  const { version, port, instance, backendUrl, trustFingerprint, keySetDigest, verified, failure, requestFailure } =
    report;
  return {
    version,
    port,
    instance: typeof instance === 'string' ? instance : '',
    backendUrl: typeof backendUrl === 'string' ? backendUrl : '',
    trustFingerprint: typeof trustFingerprint === 'string' ? trustFingerprint : '',
    keySetDigest: typeof keySetDigest === 'string' ? keySetDigest : '',
    verified: isAttestationSummary(verified) ? verified : null,
    establishedAt: timeOf(report.establishedAt),
    failure: isFailure(failure) ? failure : null,
    requestFailure: isFailure(requestFailure) ? requestFailure : null,
    servedAt: timeOf(report.servedAt),
  };
}

function timeOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function isFailure(value: unknown): value is ConnectionFailure {
  const { at, code, detail, message } = (value ?? {}) as Partial<Record<keyof ConnectionFailure, unknown>>;
  const named = typeof code === 'string' && typeof message === 'string';
  return named && typeof at === 'number' && (typeof detail === 'string' || detail === null);
}
