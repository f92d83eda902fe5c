// What the extension and the proxy process say to each other over the channel of `fork`. Everything is parsed on
// arrival: a message that is not exactly of one of these shapes is not of ours.

/** What is never logged and never written in the clear. */
export interface ProxySecrets {
  /** The upstream's key, or null while none is known. */
  readonly apiKey: string | null;
  /** `sealed-` and 43 characters each. */
  readonly accessKeys: readonly string[];
  /** Base64 of 32 bytes: by it the proxy proves to other windows whose it is. */
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
      /** Names whom the proxy is to trust: a window with another one does not share it. */
      readonly trustFingerprint?: string;
    }
  /** The keys that count from now on. */
  | { readonly type: 'secrets'; readonly secrets: ProxySecrets }
  /** Settings that need no restart; those left out stay as they are. */
  | { readonly type: 'update'; readonly settings: Settings }
  /** Stop listening, let running responses finish, exit. */
  | { readonly type: 'stop' };

/** What a handshake proved, for people to read. Times in milliseconds since 1970. */
export type AttestationSummary =
  | {
      readonly kind: 'verified';
      readonly environment: string;
      /** 96 hex characters. */
      readonly pcr0: string;
      readonly approvedBy: 'pinned' | 'additional' | 'history';
      readonly moduleId: string;
      /** The enclave's own clock when it signed. */
      readonly timestamp: number;
      readonly certificateNotBefore: number;
      readonly certificateNotAfter: number;
      /** The attestation document, Base64. */
      readonly document: string;
    }
  /** A developer's own backend on this computer: nothing was verified. */
  | { readonly kind: 'development'; readonly moduleId: string | null };

/** From the proxy to the extension. */
export type FromProxy =
  | { readonly type: 'ready'; readonly url: string; readonly port: number; readonly version: string }
  /** A session stands; what its handshake proved. */
  | { readonly type: 'verified'; readonly verified: AttestationSummary; readonly establishedAt: number }
  /** The session is no longer used; the next request, or the background, makes another. */
  | { readonly type: 'sessionLost'; readonly reason: 'expired' | 'slept' | 'rejected' | 'closed' }
  /** A handshake failed. `code` is of the session layer, `detail` of the attestation layer where that refused. */
  | {
      readonly type: 'handshakeFailed';
      readonly code: string;
      readonly detail: string | null;
      readonly message: string;
    }
  /** Nothing is listened on any more; running responses go on. Unasked: another window has asked for the port. */
  | { readonly type: 'stopped' }
  /** Relayed requests begin to fail for the network or the API key, or go well again. */
  | { readonly type: 'outcomeChanged'; readonly well: boolean }
  /** A client was served with this access key: the first 16 hex digits of its SHA-256. At most once a minute each. */
  | { readonly type: 'accessKeyUsed'; readonly id: string }
  /** A chat with the access key of this id was answered whole. */
  | { readonly type: 'chatAnswered'; readonly id: string }
  /** The proxy cannot start, or cannot take an update. */
  | {
      readonly type: 'failed';
      readonly code: 'invalid_setting' | 'port_taken' | 'cannot_listen' | 'invalid_message';
      /** Which setting, where it is about one. */
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
  const message = asRecord(value);
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

/** The message of the proxy that `value` is, or undefined. */
export function parseFromProxy(value: unknown): FromProxy | undefined {
  const message = asRecord(value);
  if (message === undefined) return undefined;
  const { type } = message as { type?: unknown };
  const valid =
    (type === 'ready' && hasFields(message, { url: 'string', port: 'number', version: 'string' })) ||
    (type === 'verified' &&
      hasFields(message, { establishedAt: 'number' }) &&
      isAttestationSummary(message['verified'])) ||
    (type === 'sessionLost' && isOneOf(message['reason'], ['expired', 'slept', 'rejected', 'closed'])) ||
    (type === 'handshakeFailed' &&
      hasFields(message, { code: 'string', message: 'string' }) &&
      isStringOrNull(message['detail'])) ||
    type === 'stopped' ||
    (type === 'outcomeChanged' && hasFields(message, { well: 'boolean' })) ||
    ((type === 'accessKeyUsed' || type === 'chatAnswered') && hasFields(message, { id: 'string' })) ||
    (type === 'failed' &&
      isOneOf(message['code'], ['invalid_setting', 'port_taken', 'cannot_listen', 'invalid_message']) &&
      hasFields(message, { message: 'string' }) &&
      isStringOrNull(message['setting']));
  return valid ? (message as unknown as FromProxy) : undefined;
}

type Fields = Record<string, unknown>;

function asRecord(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function hasFields(record: Fields, types: Record<string, 'string' | 'number' | 'boolean'>): boolean {
  return Object.entries(types).every(([name, type]) => typeof record[name] === type);
}

function isOneOf(value: unknown, values: readonly string[]): boolean {
  return typeof value === 'string' && values.includes(value);
}

function isStringOrNull(value: unknown): boolean {
  return typeof value === 'string' || value === null;
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** True if every field of `value` is absent or passes its own test, and there is no other field. */
function isPartial(value: unknown, tests: Record<string, (field: unknown) => boolean>): boolean {
  const record = asRecord(value);
  if (record === undefined) return false;
  return Object.entries(record).every(
    ([name, field]) => Object.hasOwn(tests, name) && (field === undefined || tests[name]?.(field) === true),
  );
}

const isString = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';

function isSecrets(value: unknown): boolean {
  const record = asRecord(value);
  return (
    record !== undefined &&
    isStringOrNull(record['apiKey']) &&
    isStrings(record['accessKeys']) &&
    (record['ownership'] === undefined || typeof record['ownership'] === 'string')
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

/** True for what a handshake may have proved. */
export function isAttestationSummary(value: unknown): value is AttestationSummary {
  const record = asRecord(value);
  if (record === undefined) return false;
  if (record['kind'] === 'development') return isStringOrNull(record['moduleId']);
  return (
    record['kind'] === 'verified' &&
    isOneOf(record['approvedBy'], ['pinned', 'additional', 'history']) &&
    hasFields(record, {
      environment: 'string',
      pcr0: 'string',
      moduleId: 'string',
      timestamp: 'number',
      certificateNotBefore: 'number',
      certificateNotAfter: 'number',
      document: 'string',
    })
  );
}
