// How connections leave this computer: through which HTTP proxy, and with which certificate authorities.
import { fieldsOf } from './json.ts';
import { isCount } from './usage.ts';

/** Why a connection uses a proxy, or none. */
export type ProxySource =
  /** The setting http.proxy. */
  | 'setting'
  /** The variable HTTPS_PROXY (for the editor, also HTTP_PROXY). */
  | 'environment'
  /** The operating system's settings or a PAC script, as the editor resolved them. */
  | 'system'
  /** None, because of http.noProxy or NO_PROXY. */
  | 'exception'
  /** None, because of http.proxySupport. */
  | 'off'
  /** None is configured. */
  | 'none'
  /** None, because the address is on this computer. */
  | 'local';

/** The way to one address. */
export interface ProxyRoute {
  /** The URL of an HTTP or SOCKS proxy, or empty for a direct connection. May contain a password: never logged. */
  readonly url: string;
  readonly source: ProxySource;
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

/** The number of certificate authorities by origin. */
export interface CertificateReport {
  /** Those of Node.js. */
  readonly bundled: number;
  /** Those of NODE_EXTRA_CA_CERTS. */
  readonly extra: number;
  /** Those of the operating system: null if they are not used, `failed` if they could not be read. */
  readonly system: number | 'failed' | null;
}

/** What the proxy's connections used last; null for what has not been needed or is not known yet. */
export interface NetworkReport {
  readonly backend: RouteReport | null;
  readonly history: RouteReport | null;
  readonly certificates: CertificateReport | null;
}

const SOURCES: Readonly<Record<ProxySource, true>> = {
  setting: true,
  environment: true,
  system: true,
  exception: true,
  off: true,
  none: true,
  local: true,
};
const AUTHENTICATIONS: Readonly<Record<RouteReport['authentication'], true>> = {
  none: true,
  sent: true,
  required: true,
  refused: true,
};

export function isProxyRoute(value: unknown): value is ProxyRoute {
  const { url, source } = fieldsOf(value);
  return typeof url === 'string' && typeof source === 'string' && Object.hasOwn(SOURCES, source);
}

/** True if `value` has the shape of a network report. */
export function isNetworkReport(value: unknown): value is NetworkReport {
  const { backend, history, certificates } = fieldsOf(value);
  return [backend, history].every(isRouteReport) && (certificates === null || isCertificateReport(certificates));
}

function isRouteReport(value: unknown): boolean {
  const { proxy, source, authentication, schemes } = fieldsOf(value);
  return (
    value === null ||
    (isProxyRoute({ url: proxy, source }) &&
      typeof authentication === 'string' &&
      Object.hasOwn(AUTHENTICATIONS, authentication) &&
      Array.isArray(schemes) &&
      schemes.every((scheme) => typeof scheme === 'string'))
  );
}

function isCertificateReport(value: unknown): boolean {
  const { bundled, extra, system } = fieldsOf(value);
  return isCount(bundled) && isCount(extra) && (isCount(system) || system === null || system === 'failed');
}

/** The prefix of the paths below a backend's URL: empty, or `/...` without a slash at the end. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '');
}
