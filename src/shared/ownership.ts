// How a window finds out whether the program on the port is a proxy of the same user: both know a secret that only the
// user's windows and proxies have. A foreign program cannot answer the challenge. It cannot relay the challenge to a
// real proxy on another port either, because the answer names the port. The answer to a window that shares the secret is
// encrypted, so that a program that repeats a window's challenge learns nothing.
import { createHmac, randomBytes } from 'node:crypto';
import { asBuffer, constantTimeEqual } from './bytes.ts';
import { fieldsOf, isNullOr, isNumber, isString, parseJson, passes, textOf } from './json.ts';
import { isAttestationSummary, isNewImage } from './messages.ts';
import type { AttestationSummary, NewImage } from './messages.ts';
import { isNetworkReport } from './network.ts';
import type { NetworkReport } from './network.ts';
import { openText, sealText } from './sealedText.ts';

/**
 * Windows may share a proxy of any version that has the same number. Increase it with every change that a window or a
 * proxy of another version would misunderstand.
 */
export const PROTOCOL = 3;
/** A random text of the window. */
export const CHALLENGE_HEADER = 'x-sealed-proxy-challenge';
/** Shows that the challenge comes from a window that shares the secret. */
export const WINDOW_HEADER = 'x-sealed-proxy-window';
/** The answer for such a window. */
export const REPORT_HEADER = 'x-sealed-proxy-report';
/**
 * With `POST /health`, a window asks for a change; with `GET /health`, it asks for data; with a request for the backend, it
 * says that this is a check of its own, which is not a use of the key.
 */
export const REQUEST_HEADERS = {
  release: 'x-sealed-proxy-release',
  evidence: 'x-sealed-proxy-evidence',
  activity: 'x-sealed-proxy-activity',
  eraseUsage: 'x-sealed-proxy-erase-usage',
  check: 'x-sealed-proxy-check',
} as const;

export type WindowRequest = keyof typeof REQUEST_HEADERS;

/** What a proxy reports to a window that shares its secret. Times in milliseconds since 1970. */
export interface ProxyReport {
  readonly version: string;
  /** See `PROTOCOL`. */
  readonly protocol: number;
  readonly port: number;
  /** A random id of the process: a request for one process is not valid for another. */
  readonly instance: string;
  readonly backendUrl: string;
  /** The trust fingerprint that the proxy was started with. */
  readonly trustFingerprint: string;
  /** The digest of the current keys: see `digestKeySet`. */
  readonly keySetDigest: string;
  /** How the last session was attested; null if none was made yet, or the session was lost and no new one can be made. */
  readonly verified: AttestationSummary | null;
  readonly establishedAt: number | null;
  /** The image of the enclave, if it needs the user's consent. */
  readonly newImage?: NewImage | null;
  /** Why the last handshake failed; null after a successful handshake. */
  readonly failure: ConnectionFailure | null;
  /** The last failure of a relayed request that other requests may have too. */
  readonly requestFailure: ConnectionFailure | null;
  /** When a relayed request last succeeded. */
  readonly servedAt: number | null;
  /** Which proxies and certificates its connections use; null in a report without it. */
  readonly network: NetworkReport | null;
}

export interface ConnectionFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** A code of the session layer, or `key_refused`. */
  readonly code: string;
  /** The code of the cause, from the attestation layer or the operating system, if it is known. */
  readonly detail: string | null;
  readonly message: string;
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** 43 random characters: Base64url of 32 bytes. */
export function makeChallenge(): string {
  return randomBytes(32).toString('base64url');
}

export function isChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** Shows a proxy on `port` that the challenge comes from a holder of the secret. 43 characters. */
export function authenticateChallenge(secret: Uint8Array, challenge: string, port: number): string {
  return authenticate(secret, 'challenge', challenge, String(port)).toString('base64url');
}

/** True if `code` was made with the secret for this challenge and port. */
export function isFromWindow(secret: Uint8Array, challenge: string, port: number, code: string): boolean {
  return constantTimeEqual(Buffer.from(authenticateChallenge(secret, challenge, port)), Buffer.from(code));
}

const SEALED = /^[A-Za-z0-9_-]+$/;

/** The report for a window with this challenge, which nobody else can read or make: Base64url. */
export function sealReport(secret: Uint8Array, challenge: string, report: ProxyReport): string {
  const sealed = sealText(reportKey(secret, challenge, report.port), JSON.stringify(report));
  return asBuffer(sealed).toString('base64url');
}

/** The report, if `sealed` answers `challenge` with `secret` on `port`; else undefined. */
export function openReport(
  secret: Uint8Array,
  challenge: string,
  port: number,
  sealed: string,
): ProxyReport | undefined {
  const bytes = Buffer.from(SEALED.test(sealed) ? sealed : '', 'base64url');
  const report = parseReport(openText(reportKey(secret, challenge, port), bytes) ?? '');
  return report?.port === port ? report : undefined;
}

/** The port is part of the key, so an answer from another port cannot be opened. */
function reportKey(secret: Uint8Array, challenge: string, port: number): Buffer {
  return authenticate(secret, 'report', challenge, String(port));
}

/** A keyed digest that shows whether two holders of the secret have the same keys, and reveals nothing to others. */
export function digestKeySet(secret: Uint8Array, apiKey: string | null, accessKeys: readonly string[]): string {
  return authenticate(secret, 'stamp', apiKey ?? '', accessKeys.toSorted().join()).toString('base64url');
}

/** One proxy process on one port. */
type Addressee = Pick<ProxyReport, 'instance' | 'port'>;

/** The value of a request header for one process. 43 characters. */
export function makeRequest(request: WindowRequest, secret: Uint8Array, { instance, port }: Addressee): string {
  return authenticate(secret, request, instance, String(port)).toString('base64url');
}

/** True if `value` was made with the secret for this request to this process. */
export function isRequest(request: WindowRequest, secret: Uint8Array, addressee: Addressee, value: string): boolean {
  return constantTimeEqual(Buffer.from(makeRequest(request, secret, addressee)), Buffer.from(value));
}

/** @param kind a fixed text of the protocol between windows and proxies, one for each kind of message */
function authenticate(
  secret: Uint8Array,
  kind: 'challenge' | 'report' | 'stamp' | WindowRequest,
  one: string,
  other: string,
): Buffer {
  return createHmac('sha256', secret).update(`sealed-proxy/${kind}/v1\0${one}\0${other}`).digest();
}

/** The report is authentic, but may come from another version: unknown or malformed fields are ignored. */
function parseReport(json: string): ProxyReport | undefined {
  const report: Partial<Record<keyof ProxyReport, unknown>> = fieldsOf(parseJson(json));
  const timeOf = (value: unknown) => (typeof value === 'number' ? value : null);
  const { version, protocol, port, verified, newImage, failure, requestFailure, network } = report;
  if (typeof version !== 'string' || typeof protocol !== 'number' || typeof port !== 'number') return undefined;
  return {
    version,
    protocol,
    port,
    instance: textOf(report.instance),
    backendUrl: textOf(report.backendUrl),
    trustFingerprint: textOf(report.trustFingerprint),
    keySetDigest: textOf(report.keySetDigest),
    verified: isAttestationSummary(verified) ? verified : null,
    establishedAt: timeOf(report.establishedAt),
    ...(isNewImage(newImage) && { newImage }),
    failure: isFailure(failure) ? failure : null,
    requestFailure: isFailure(requestFailure) ? requestFailure : null,
    servedAt: timeOf(report.servedAt),
    network: isNetworkReport(network) ? network : null,
  };
}

function isFailure(value: unknown): value is ConnectionFailure {
  return passes(value, { at: isNumber, code: isString, detail: isNullOr(isString), message: isString });
}
