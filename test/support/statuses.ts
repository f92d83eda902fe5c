// Statuses of a running proxy.
import type { AttestationSummary } from '../../src/shared/messages.ts';
import type { ConnectionFailure } from '../../src/shared/ownership.ts';
import type { Cause, Health, PortUser, ProxyStatus, RunningStatus } from '../../src/shared/status.ts';

/** Milliseconds since 1970. */
export const AT = Date.UTC(2026, 0, 15, 12);

export const VERIFIED: Extract<AttestationSummary, { kind: 'verified' }> = {
  kind: 'verified',
  environment: 'production',
  pcr0: 'ab'.repeat(48),
  approvedBy: 'pinned',
  moduleId: 'i-1-enc2',
  timestamp: AT,
  certificateNotBefore: AT - 1000,
  certificateNotAfter: AT + 3_600_000,
  document: 'QUJDREVG'.repeat(100),
};

/** Connected to a verified enclave, unless `change` says otherwise. */
export function runningStatus(change: Partial<RunningStatus> = {}): RunningStatus {
  return {
    kind: 'running',
    url: 'http://127.0.0.1:14114',
    port: 14114,
    version: '1.2.3',
    shared: false,
    backendUrl: 'https://enclave.example',
    verified: VERIFIED,
    establishedAt: AT,
    health: { kind: 'connected', models: ['a', 'b'], catalogue: null, checkedAt: AT },
    ...change,
  };
}

/** The handshake failed with this code. */
export function refusedFor(code: string, detail: string | null, message = 'It was refused'): RunningStatus {
  const failure = { at: AT, code, detail, message };
  return runningStatus({
    verified: null,
    establishedAt: null,
    health: { kind: 'unreachable', cause: 'attestation', message, failure, checkedAt: AT, retryAt: null },
  });
}

const NEW_IMAGE = { pcr0: 'cd'.repeat(48), approvedBy: 'additional', listedSince: null, refused: false } as const;
const WITHOUT_SESSION = { verified: null, establishedAt: null } as const;

/** The backend cannot be used for this reason. */
export function unreachableStatus(
  cause: Cause,
  change: Partial<Extract<Health, { kind: 'unreachable' }>> = {},
): RunningStatus {
  const health = { message: 'It was so and so', failure: null, checkedAt: AT, retryAt: AT + 20_000, ...change };
  return runningStatus({ ...WITHOUT_SESSION, health: { kind: 'unreachable', cause, ...health } });
}

const PORT_USERS: readonly PortUser[] = ['program', 'unresponsive', 'sealedProxy', 'silent', 'system'];
const CAUSES: readonly Cause[] = ['network', 'attestation', 'pcr0', 'clock', 'protocol', 'backend'];
const DEVELOPMENT = { kind: 'development', moduleId: 'i-dev' } as const;
const CONNECTED = runningStatus().health;

/** Every state that a user can see, by a name for it. */
export const STATES: Readonly<Record<string, ProxyStatus>> = {
  off: { kind: 'off' },
  'off in all windows': { kind: 'off', allWindows: true },
  starting: { kind: 'starting' },
  'about to restart after a crash': { kind: 'restarting', at: AT + 4000 },
  'failed to start': { kind: 'failed', reason: 'slowStart', message: 'It was not ready in time' },
  'stopped after too many crashes': { kind: 'failed', reason: 'crashes', message: 'It ended five times.' },
  'wrong setting': { kind: 'failed', reason: 'setting', message: 'The setting sealedProxy.port is wrong.' },
  ...Object.fromEntries(PORT_USERS.map((by) => [`port taken: ${by}`, { kind: 'portTaken', port: 14114, by }])),
  'older version in another window': { kind: 'otherVersion', port: 14114, version: '0.1.0', isNewer: false },
  'newer version in another window': { kind: 'otherVersion', port: 14114, version: '9.9.9', isNewer: true },
  'other settings in another window': { kind: 'otherSettings', port: 14114, backendUrl: 'https://other.example' },
  'no API key': runningStatus({ ...WITHOUT_SESSION, health: { kind: 'noKey' } }),
  'no API key for the default backend': runningStatus({
    ...WITHOUT_SESSION,
    health: { kind: 'noKey' },
    backendUrl: 'https://enclave.trymaple.ai',
  }),
  checking: runningStatus({ ...WITHOUT_SESSION, health: { kind: 'checking' } }),
  'connected to a verified enclave': runningStatus(),
  'connected to a verified enclave with an image added by the user': runningStatus({
    verified: { ...VERIFIED, approvedBy: 'additional' },
  }),
  'connected through another window': runningStatus({ shared: true }),
  'connected to a development backend': runningStatus({ verified: DEVELOPMENT }),
  'connected to a development backend through another window': runningStatus({ verified: DEVELOPMENT, shared: true }),
  'connected while the enclave is verified again': runningStatus(WITHOUT_SESSION),
  'key refused': runningStatus({ health: { kind: 'keyRejected', checkedAt: AT } }),
  slow: runningStatus({ health: { kind: 'slow', checkedAt: AT, retryAt: AT + 5000 } }),
  'slow, without another attempt': runningStatus({ health: { kind: 'slow', checkedAt: AT, retryAt: null } }),
  ...Object.fromEntries(CAUSES.map((cause) => [`unreachable: ${cause}`, unreachableStatus(cause)])),
  'unreachable, without another attempt': unreachableStatus('network', { retryAt: null }),
  'attestation refused, as the proxy says it': unreachableStatus('attestation', {
    message: 'The attestation failed: the root is unknown',
  }),
  'image refused, with its PCR0': unreachableStatus('pcr0', { message: `It has PCR0 ${VERIFIED.pcr0}` }),
  'failed in the handshake': unreachableStatus('protocol', { failure: failureOf('handshake_malformed') }),
  'no connections accepted': unreachableStatus('backend', { failure: failureOf('handshake_unavailable') }),
  'failed in a request': unreachableStatus('protocol', { failure: failureOf('record_malformed') }),
  'no connection, with the code of the operating system': unreachableStatus('network', {
    message: 'The connection to the backend failed: ECONNREFUSED',
    failure: failureOf('network', 'ECONNREFUSED'),
  }),
  'refused by an HTTP proxy': unreachableStatus('network', { failure: failureOf('network', 'proxy_refused') }),
  'without the list of images': unreachableStatus('pcr0', {
    failure: failureOf('history_unavailable', 'proxy_refused'),
  }),
  'new image': { ...unreachableStatus('newImage'), newImage: NEW_IMAGE },
  'new image while it is checked': runningStatus({
    ...WITHOUT_SESSION,
    health: { kind: 'checking' },
    newImage: NEW_IMAGE,
  }),
  'new image beside a session with another one': runningStatus({ health: CONNECTED, newImage: NEW_IMAGE }),
  'image refused by the user': { ...unreachableStatus('newImage'), newImage: { ...NEW_IMAGE, refused: true } },
  'image refused by the user beside a session with another one': runningStatus({
    health: CONNECTED,
    newImage: { ...NEW_IMAGE, refused: true },
  }),
};

function failureOf(code: string, detail: string | null = null): ConnectionFailure {
  return { at: AT, code, detail, message: 'It failed' };
}
