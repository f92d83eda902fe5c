// How one window's extension knows that the program on the port is a proxy of ours: the same person's, by a secret that
// only their editor's windows and proxies know. A stranger cannot answer, and cannot pass the question on to a real
// proxy elsewhere, because the answer names the port that it was given on.
import { createHmac, randomBytes } from 'node:crypto';
import { constantTimeEqual } from './bytes.ts';
import { isVerified } from './messages.ts';
import type { Verified } from './messages.ts';

export const CHALLENGE_HEADER = 'x-sealed-proxy-challenge';
export const PROOF_HEADER = 'x-sealed-proxy-proof';

/** What a proxy says of itself to a window that shares its secret. */
export interface ProxyReport {
  readonly version: string;
  readonly port: number;
  /** What the last handshake proved; null while there was none since the last failure. */
  readonly verified: Verified | null;
  /** Milliseconds since 1970. */
  readonly establishedAt: number | null;
  /** Why the last handshake failed; null if none did since a session stood. */
  readonly failure: HandshakeFailure | null;
}

export interface HandshakeFailure {
  /** Of the session layer. */
  readonly code: string;
  /** Of the attestation layer or the operating system, where it is known. */
  readonly detail: string | null;
  readonly message: string;
}

const LABEL = 'sealed-proxy/ownership/v1\0';
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
  return `${payload}.${authenticate(secret, challenge, payload).toString('base64url')}`;
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
  if (!constantTimeEqual(authenticate(secret, challenge, payload), Buffer.from(code, 'base64url'))) return undefined;
  const report = parseReport(Buffer.from(payload, 'base64url').toString('utf8'));
  return report?.port === port ? report : undefined;
}

function authenticate(secret: Uint8Array, challenge: string, payload: string): Buffer {
  return createHmac('sha256', secret).update(`${LABEL}${challenge}\0${payload}`).digest();
}

/** It is authentic, but may come from another version: what is not understood is left out. */
function parseReport(json: string): ProxyReport | undefined {
  const report = JSON.parse(json) as Partial<Record<keyof ProxyReport, unknown>> | null;
  if (typeof report?.version !== 'string' || typeof report.port !== 'number') return undefined;
  const { version, port, verified, establishedAt, failure } = report;
  return {
    version,
    port,
    verified: isVerified(verified) ? verified : null,
    establishedAt: typeof establishedAt === 'number' ? establishedAt : null,
    failure: isFailure(failure) ? failure : null,
  };
}

function isFailure(value: unknown): value is HandshakeFailure {
  const { code, detail, message } = (value ?? {}) as Partial<Record<keyof HandshakeFailure, unknown>>;
  return typeof code === 'string' && typeof message === 'string' && (typeof detail === 'string' || detail === null);
}
