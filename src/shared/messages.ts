// The messages between the extension and the proxy process, over the IPC channel of `fork`. The receiver parses each
// message and refuses every other shape.
import { asObject } from './json.ts';

/** What is never logged and never written in the clear. */
export interface ProxySecrets {
  /** The API key, or null if none is set. */
  readonly apiKey: string | null;
  /** Each is `sealed-` and 43 characters. */
  readonly accessKeys: readonly string[];
  /** The secret with which the proxy proves to the user's windows that it is theirs: Base64 of 32 bytes. */
  readonly ownership?: string;
}

/** How to reach the backend from within a company's network. */
export interface NetworkSettings {
  /** The URL of an HTTP proxy, or empty for none. */
  readonly httpsProxy?: string;
  /** As in NO_PROXY. */
  readonly noProxy?: string;
  /** False accepts any TLS certificate. The attestation is still verified. */
  readonly strictTls?: boolean;
  /** Additional certificate authorities, PEM. */
  readonly certificates?: readonly string[];
  /** True also trusts the certificate authorities of the operating system. */
  readonly systemCertificates?: boolean;
}

/** From the extension to the proxy. The first one is `start`, once. */
export type ToProxy<Settings = unknown> =
  | {
      readonly type: 'start';
      readonly settings: Settings;
      readonly secrets: ProxySecrets;
      /** Base64 of 32 bytes. */
      readonly cacheNamespaceRoot: string;
      readonly network: NetworkSettings;
      /** A digest of the settings that decide what to trust: windows share a proxy only if theirs are equal. */
      readonly trustFingerprint?: string;
    }
  /** The keys to use from now on. */
  | { readonly type: 'secrets'; readonly secrets: ProxySecrets }
  /** Settings that need no restart; those left out stay as they are. */
  | { readonly type: 'update'; readonly settings: Settings }
  /** Stop listening, let running responses finish, exit. */
  | { readonly type: 'stop' };

/** The result of a handshake's attestation, for display. Times in milliseconds since 1970. */
export type AttestationSummary =
  | {
      readonly kind: 'verified';
      readonly environment: string;
      /** 96 hex characters. */
      readonly pcr0: string;
      readonly approvedBy: 'pinned' | 'additional' | 'history';
      readonly moduleId: string;
      /** When the enclave signed the document, by its own clock. */
      readonly timestamp: number;
      readonly certificateNotBefore: number;
      readonly certificateNotAfter: number;
      /** The attestation document, Base64. */
      readonly document: string;
    }
  /** A development backend on this computer, which is not verified. */
  | { readonly kind: 'development'; readonly moduleId: string | null };

/** From the proxy to the extension. */
export type FromProxy =
  | { readonly type: 'ready'; readonly url: string; readonly port: number; readonly version: string }
  /** A session is live; how its handshake was attested. */
  | { readonly type: 'verified'; readonly verified: AttestationSummary; readonly establishedAt: number }
  /** The session is no longer used. A new one is made in the background, or for the next request. */
  | { readonly type: 'sessionLost'; readonly reason: 'expired' | 'slept' | 'rejected' | 'closed' }
  /** A handshake failed. `code` is from the session layer; `detail` is the code of its cause, if that is known. */
  | {
      readonly type: 'handshakeFailed';
      readonly code: string;
      readonly detail: string | null;
      readonly message: string;
    }
  /** The proxy no longer listens; running responses continue. Sent unasked if another window asked for the port. */
  | { readonly type: 'stopped' }
  /** Relayed requests begin to fail because of the network or the API key (false), or succeed again (true). */
  | { readonly type: 'outcomeChanged'; readonly success: boolean }
  /** A client used the access key with this id (16 hex characters). At most once a minute for each key. */
  | { readonly type: 'accessKeyUsed'; readonly id: string }
  /** A chat that used the access key with this id got a complete response. */
  | { readonly type: 'chatAnswered'; readonly id: string }
  /** The proxy cannot start, or cannot use an update. */
  | {
      readonly type: 'failed';
      readonly code: 'invalid_setting' | 'port_taken' | 'cannot_listen' | 'invalid_message';
      /** The name of the setting that is the cause, if one is. */
      readonly setting: string | null;
      readonly message: string;
    };

/**
 * The message of the extension that `value` is, or undefined.
 * @param isSettings true for settings that a proxy takes
 */
export function parseToProxy<Settings>(
  value: unknown,
  isSettings: (settings: unknown) => settings is Settings,
): ToProxy<Settings> | undefined {
  const message = asObject(value);
  switch (message?.['type']) {
    case 'start':
      return isSettings(message['settings']) &&
        isSecrets(message['secrets']) &&
        typeof message['cacheNamespaceRoot'] === 'string' &&
        (message['trustFingerprint'] === undefined || typeof message['trustFingerprint'] === 'string') &&
        isNetwork(message['network'])
        ? (message as unknown as ToProxy<Settings>)
        : undefined;
    case 'secrets':
      return isSecrets(message['secrets']) ? (message as unknown as ToProxy<Settings>) : undefined;
    case 'update':
      return isSettings(message['settings']) ? (message as unknown as ToProxy<Settings>) : undefined;
    case 'stop':
      return { type: 'stop' };
    default:
      return undefined;
  }
}

/** `value` as a message of the proxy, or undefined if it is not one. */
export function parseFromProxy(value: unknown): FromProxy | undefined {
  const message = asObject(value);
  const checks = FROM_PROXY.get(message?.['type']);
  return message !== undefined && checks !== undefined && passes(message, checks)
    ? (message as unknown as FromProxy)
    : undefined;
}

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const isString: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isStringOrNull: Check = (value) => typeof value === 'string' || value === null;
const isOneOf = (...values: readonly unknown[]): Check => {
  return (value) => values.includes(value);
};

const FROM_PROXY: ReadonlyMap<unknown, Checks> = new Map(
  Object.entries({
    ready: { url: isString, port: isNumber, version: isString },
    verified: { verified: isAttestationSummary, establishedAt: isNumber },
    sessionLost: { reason: isOneOf('expired', 'slept', 'rejected', 'closed') },
    handshakeFailed: { code: isString, detail: isStringOrNull, message: isString },
    stopped: {},
    outcomeChanged: { success: isBoolean },
    accessKeyUsed: { id: isString },
    chatAnswered: { id: isString },
    failed: {
      code: isOneOf('invalid_setting', 'port_taken', 'cannot_listen', 'invalid_message'),
      setting: isStringOrNull,
      message: isString,
    },
  } satisfies Record<FromProxy['type'], Checks>),
);

/** True if each of these fields passes its check. Further fields are allowed. */
function passes(fields: Readonly<Record<string, unknown>>, checks: Checks): boolean {
  return Object.entries(checks).every(([name, check]) => check(fields[name]));
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** True if `value` is an object whose fields all have a test and pass it. Fields may be absent. */
function isPartial(value: unknown, tests: Record<string, (field: unknown) => boolean>): boolean {
  const record = asObject(value);
  if (record === undefined) return false;
  return Object.entries(record).every(
    ([name, field]) => Object.hasOwn(tests, name) && (field === undefined || tests[name]?.(field) === true),
  );
}

function isSecrets(value: unknown): boolean {
  const isOwnership: Check = (ownership) => ownership === undefined || typeof ownership === 'string';
  const secrets = asObject(value);
  return (
    secrets !== undefined && passes(secrets, { apiKey: isStringOrNull, accessKeys: isStrings, ownership: isOwnership })
  );
}

function isNetwork(value: unknown): boolean {
  return isPartial(value, {
    httpsProxy: isString,
    noProxy: isString,
    strictTls: isBoolean,
    certificates: isStrings,
    systemCertificates: isBoolean,
  });
}

/** True if `value` has the shape of an attestation summary. */
export function isAttestationSummary(value: unknown): value is AttestationSummary {
  const summary = asObject(value);
  if (summary === undefined) return false;
  if (summary['kind'] === 'development') return isStringOrNull(summary['moduleId']);
  return passes(summary, {
    kind: isOneOf('verified'),
    environment: isString,
    pcr0: isString,
    approvedBy: isOneOf('pinned', 'additional', 'history'),
    moduleId: isString,
    timestamp: isNumber,
    certificateNotBefore: isNumber,
    certificateNotAfter: isNumber,
    document: isString,
  });
}
