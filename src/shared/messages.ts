// The messages between the extension and the proxy process, over the IPC channel of `fork`. The receiver parses each
// message and refuses every other shape.
import { isUsageSum } from './activity.ts';
import type { UsageSum } from './activity.ts';
import { fieldsOf, isBoolean, isListOf, isNullOr, isNumber, isOneOf, isOptional, isString, passes } from './json.ts';
import type { Check, Checks } from './json.ts';
import { isProxyRoute } from './network.ts';
import type { ProxyRoute } from './network.ts';

/** Secrets: never logged, and never written in the clear. */
export interface ProxySecrets {
  /** The API key, or null if none is set. */
  readonly apiKey: string | null;
  /** Each is `sealed-` and 43 characters. */
  readonly accessKeys: readonly string[];
  /** The secret with which the proxy proves to the user's windows that it is theirs: Base64 of 32 bytes. */
  readonly ownership?: string;
}

function isSecrets(value: unknown): boolean {
  return passes(value, { apiKey: isNullOr(isString), accessKeys: isListOf(isString), ownership: isOptional(isString) });
}

/** How to reach the backend from within a company's network. */
export interface NetworkSettings {
  /** The URL of an HTTP proxy, or empty for none. */
  readonly httpsProxy?: string;
  /** As in NO_PROXY. */
  readonly noProxy?: string;
  /** A secret: the value of the header Proxy-Authorization, for a proxy whose URL contains no credentials. */
  readonly proxyAuthorization?: string;
  /** True if the extension answers `findProxy`. If not, the fields above and the environment name the proxy. */
  readonly asksEditor?: boolean;
  /** False accepts any TLS certificate. The attestation is still verified. */
  readonly strictTls?: boolean;
  /** Additional certificate authorities, PEM. */
  readonly certificates?: readonly string[];
  /** True also trusts the certificate authorities of the operating system. */
  readonly systemCertificates?: boolean;
}

const NETWORK: Readonly<Record<keyof NetworkSettings, Check>> = {
  httpsProxy: isOptional(isString),
  noProxy: isOptional(isString),
  proxyAuthorization: isOptional(isString),
  asksEditor: isOptional(isBoolean),
  strictTls: isOptional(isBoolean),
  certificates: isOptional(isListOf(isString)),
  systemCertificates: isOptional(isBoolean),
};

function isNetwork(value: unknown): boolean {
  return passes(value, NETWORK) && Object.keys(fieldsOf(value)).every((name) => Object.hasOwn(NETWORK, name));
}

/** What the user has said about enclave images of the backend, which are named by PCR0 (96 hex characters). */
export interface ImageRules {
  /** Whether a new image needs the user's consent. */
  readonly confirm: boolean;
  /** Whether the first image is used without asking, because no image of this backend is known on this computer. */
  readonly acceptsFirst: boolean;
  /** The image of which the user was told last; null if there is none. */
  readonly last: string | null;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

function isImageRules(value: unknown): boolean {
  return passes(value, {
    confirm: isBoolean,
    acceptsFirst: isBoolean,
    last: isNullOr(isString),
    accepted: isListOf(isString),
    refused: isListOf(isString),
  });
}

/** What approves an image: the list built into this version, a setting of the user, or the signed history. */
export type ApprovalSource = 'pinned' | 'additional' | 'history';

const isApprovalSource = isOneOf('pinned', 'additional', 'history');

/** An enclave image, and what approved it. */
export interface ApprovedImage {
  /** 96 hex characters. */
  readonly pcr0: string;
  readonly approvedBy: ApprovalSource;
  /**
   * The date of the image in the signed history, in milliseconds since 1970; the signature does not cover it. Null if
   * that is not known; left out while it may still be loaded, and by older proxies.
   */
  readonly listedSince?: number | null | undefined;
}

/** An enclave image that is approved as usual, but that needs the user's consent. */
export interface NewImage extends ApprovedImage {
  readonly listedSince: number | null;
  /** Whether the user has chosen not to use it. */
  readonly refused: boolean;
}

/** True if `value` has the shape of a new image. */
export function isNewImage(value: unknown): value is NewImage {
  return passes(value, {
    pcr0: isString,
    approvedBy: isApprovalSource,
    listedSince: isNullOr(isNumber),
    refused: isBoolean,
  });
}

/** The result of a handshake's attestation, for display. Times in milliseconds since 1970. */
export type AttestationSummary =
  | VerifiedSummary
  /** A development backend on this computer, which is not verified. */
  | { readonly kind: 'development'; readonly moduleId: string | null };

export interface VerifiedSummary extends ApprovedImage {
  readonly kind: 'verified';
  readonly environment: string;
  readonly moduleId: string;
  /** When the enclave signed the document, by its own clock. */
  readonly timestamp: number;
  readonly certificateNotBefore: number;
  readonly certificateNotAfter: number;
  /** The attestation document, Base64. */
  readonly document: string;
}

/** True if `value` has the shape of an attestation summary. */
export function isAttestationSummary(value: unknown): value is AttestationSummary {
  if (fieldsOf(value)['kind'] === 'development') return passes(value, { moduleId: isNullOr(isString) });
  return passes(value, {
    kind: isOneOf('verified'),
    environment: isString,
    pcr0: isString,
    approvedBy: isApprovalSource,
    listedSince: isOptional(isNullOr(isNumber)),
    moduleId: isString,
    timestamp: isNumber,
    certificateNotBefore: isNumber,
    certificateNotAfter: isNumber,
    document: isString,
  });
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
      /** Left out: all images that are approved are used without asking. */
      readonly images?: ImageRules | undefined;
    }
  /** The keys to use from now on. */
  | { readonly type: 'secrets'; readonly secrets: ProxySecrets }
  /** Settings that need no restart; those left out stay as they are. */
  | { readonly type: 'update'; readonly settings: Settings; readonly images?: ImageRules | undefined }
  /** The answer to `findProxy`. */
  | { readonly type: 'proxyFound'; readonly url: string; readonly route: ProxyRoute }
  /** Stop listening, let running responses finish, exit. */
  | { readonly type: 'stop' };

/**
 * The message of the extension that `value` is, or undefined.
 * @param isSettings true for settings that a proxy takes
 */
export function parseToProxy<Settings>(
  value: unknown,
  isSettings: (settings: unknown) => settings is Settings,
): ToProxy<Settings> | undefined {
  const checks: Readonly<Record<ToProxy['type'], Checks>> = {
    start: {
      settings: isSettings,
      secrets: isSecrets,
      cacheNamespaceRoot: isString,
      trustFingerprint: isOptional(isString),
      network: isNetwork,
      images: isOptional(isImageRules),
    },
    secrets: { secrets: isSecrets },
    update: { settings: isSettings, images: isOptional(isImageRules) },
    proxyFound: { url: isString, route: isProxyRoute },
    stop: {},
  };
  return isMessage(value, checks) ? (value as ToProxy<Settings>) : undefined;
}

/** From the proxy to the extension. */
export type FromProxy =
  | { readonly type: 'ready'; readonly url: string; readonly port: number; readonly version: string }
  /** A session is live; how its handshake was attested. Also sent for a development backend, which is not verified. */
  | { readonly type: 'verified'; readonly verified: AttestationSummary; readonly establishedAt: number }
  /** The enclave runs an image that needs the user's consent: see `ProxyReport.newImage`. Prompts wait for it. */
  | { readonly type: 'confirmImage'; readonly image: NewImage }
  /** The session is no longer used. A new one is made in the background, or for the next request. */
  | { readonly type: 'sessionLost'; readonly reason: 'expired' | 'slept' | 'rejected' | 'bad_response' | 'closed' }
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
  /** Which proxy would the editor use for this URL? */
  | { readonly type: 'findProxy'; readonly url: string }
  /** A chat that used the access key with this id got a complete response. */
  | { readonly type: 'chatAnswered'; readonly id: string }
  /**
   * What clients have used since `since`, in milliseconds since 1970, and what no earlier message contains. At most every ten
   * seconds, and before the process ends.
   */
  | { readonly type: 'usageSums'; readonly since: number; readonly sums: readonly UsageSum[] }
  /** The proxy cannot start, or cannot use an update. */
  | {
      readonly type: 'failed';
      readonly code: 'invalid_setting' | 'port_taken' | 'cannot_listen' | 'invalid_message';
      /** The name of the setting that is the cause, if one is. */
      readonly setting: string | null;
      readonly message: string;
    };

const FROM_PROXY: Readonly<Record<FromProxy['type'], Checks>> = {
  ready: { url: isString, port: isNumber, version: isString },
  verified: { verified: isAttestationSummary, establishedAt: isNumber },
  confirmImage: { image: isNewImage },
  sessionLost: { reason: isOneOf('expired', 'slept', 'rejected', 'bad_response', 'closed') },
  handshakeFailed: { code: isString, detail: isNullOr(isString), message: isString },
  stopped: {},
  outcomeChanged: { success: isBoolean },
  accessKeyUsed: { id: isString },
  findProxy: { url: isString },
  chatAnswered: { id: isString },
  usageSums: { since: isNumber, sums: isListOf(isUsageSum) },
  failed: {
    code: isOneOf('invalid_setting', 'port_taken', 'cannot_listen', 'invalid_message'),
    setting: isNullOr(isString),
    message: isString,
  },
};

/** `value` as a message of the proxy, or undefined if it is not one. */
export function parseFromProxy(value: unknown): FromProxy | undefined {
  return isMessage(value, FROM_PROXY) ? (value as FromProxy) : undefined;
}

function isMessage(value: unknown, checksByType: Readonly<Record<string, Checks>>): boolean {
  const [, checks] = Object.entries(checksByType).find(([type]) => type === fieldsOf(value)['type']) ?? [];
  return checks !== undefined && passes(value, checks);
}
