// How connections leave this computer: through which HTTP proxy, and with which certificate authorities.
import { isCount, isListOf, isNullOr, isOneOf, isString, passes } from './json.ts';

const SOURCES = [
  /** The setting http.proxy. */
  'setting',
  /** The variable HTTPS_PROXY (for the editor, also HTTP_PROXY). */
  'environment',
  /** The operating system's settings or a PAC script, as the editor resolved them. */
  'system',
  /** None, because of http.noProxy or NO_PROXY. */
  'exception',
  /** None, because of http.proxySupport. */
  'off',
  /** None is configured. */
  'none',
  /** None, because the address is on this computer. */
  'local',
] as const;

/** Why a connection uses a proxy, or none. */
export type ProxySource = (typeof SOURCES)[number];

/** The way to one address. */
export interface ProxyRoute {
  /** The URL of an HTTP or SOCKS proxy, or empty for a direct connection. May contain a password: never logged. */
  readonly url: string;
  readonly source: ProxySource;
}

export function isProxyRoute(value: unknown): value is ProxyRoute {
  return passes(value, { url: isString, source: isOneOf(...SOURCES) });
}

/** A way that was used, for display: without credentials. */
export interface RouteReport {
  /** The host and port of the proxy, or empty for a direct connection. */
  readonly proxy: string;
  readonly source: ProxySource;
  /** What is known of the proxy's authentication. `required`: it asked, and there were no credentials to send. */
  readonly authentication: 'none' | 'sent' | 'required' | 'refused';
  /** The authentication schemes that the proxy offered, if it asked. */
  readonly schemes: readonly string[];
}

const isRouteReport = isNullOr((value) =>
  passes(value, {
    proxy: isString,
    source: isOneOf(...SOURCES),
    authentication: isOneOf('none', 'sent', 'required', 'refused'),
    schemes: isListOf(isString),
  }),
);

/** The number of certificate authorities by origin. */
export interface CertificateReport {
  /** Those of Node.js. */
  readonly bundled: number;
  /** Those of NODE_EXTRA_CA_CERTS. */
  readonly extra: number;
  /** Those of the operating system: null if they are not used, `failed` if they could not be read. */
  readonly system: number | 'failed' | null;
}

const isCertificateReport = isNullOr((value) =>
  passes(value, {
    bundled: isCount,
    extra: isCount,
    system: (count) => isCount(count) || count === null || count === 'failed',
  }),
);

/** What the proxy's connections used last; null for what has not been needed or is not known yet. */
export interface NetworkReport {
  readonly backend: RouteReport | null;
  readonly history: RouteReport | null;
  readonly certificates: CertificateReport | null;
}

/** True if `value` has the shape of a network report. */
export function isNetworkReport(value: unknown): value is NetworkReport {
  return passes(value, { backend: isRouteReport, history: isRouteReport, certificates: isCertificateReport });
}

/** The prefix of the paths below a backend's URL: empty, or `/...` without a slash at the end. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '');
}
