// What the user reads about the network between this computer and the backend.
import type { CertificateReport, ProxySource, RouteReport } from '../shared/network.ts';

/** What to do if nothing more is known. */
export const NETWORK_REMEDY = 'Check your network and the settings sealedProxy.backendUrl and http.proxy.';

const NO_ROUTE =
  'A firewall may block direct connections. If your network needs a proxy, set http.proxy. Otherwise check your ' +
  'network, your VPN and the setting sealedProxy.backendUrl.';
const REFUSED =
  'Nothing accepts connections at the address in the setting sealedProxy.backendUrl. Check it. A firewall may also ' +
  'refuse direct connections: if your network needs a proxy, set http.proxy.';
const NO_NAME =
  'The name of the server cannot be resolved. Check your network, your VPN and the setting sealedProxy.backendUrl. ' +
  'If your network needs a proxy, set http.proxy.';
const UNTRUSTED =
  'Your network may inspect TLS with a certificate of its own. Install that certificate in the operating system and ' +
  'turn on http.systemCertificates, or name its file in the variable NODE_EXTRA_CA_CERTS, then restart the editor.';
const REDIRECTED =
  'Your network may redirect connections, for example to a sign-in page. Open a web page in a browser, then try again.';

/** By the code of a failure's cause: of the proxy process, the operating system or TLS. */
const REMEDIES: Readonly<Record<string, string>> = {
  proxy_unreachable:
    'Check http.proxy and the proxy settings of the operating system, or connect to the network that has this proxy.',
  proxy_authentication:
    'Set http.proxyAuthorization to "Basic " followed by the Base64 of USER:PASSWORD, or add the user name and the ' +
    'password to the URL in http.proxy.',
  proxy_authentication_unsupported:
    'Sealed Proxy can sign in only with a user name and a password (Basic). Run a local proxy that signs in for you, ' +
    'such as Px or Cntlm, and set http.proxy to it, or ask your network administrator for an exception.',
  proxy_refused: 'Ask your network administrator to allow connections to this server.',
  proxy_unsupported: 'Set http.proxy to an HTTP, HTTPS or SOCKS5 proxy of your network.',
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
  ECONNREFUSED: REFUSED,
  ECONNRESET: NO_ROUTE,
  ETIMEDOUT: NO_ROUTE,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  UND_ERR_CONNECT_TIMEOUT: NO_ROUTE,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: REDIRECTED,
  CERT_HAS_EXPIRED: REDIRECTED,
};

/** What to do about a connection that failed with this code. */
export function networkRemedy(code: string | null | undefined): string {
  return (Object.hasOwn(REMEDIES, code ?? '') ? REMEDIES[code ?? ''] : undefined) ?? NETWORK_REMEDY;
}

const PROXY_SOURCES: Readonly<Record<ProxySource, string>> = {
  setting: 'from http.proxy',
  environment: 'from the environment (HTTPS_PROXY or HTTP_PROXY)',
  system: 'from the operating system or a PAC script',
  exception: '',
  off: '',
  none: '',
  local: '',
};
const DIRECT_SOURCES: Readonly<Record<ProxySource, string>> = {
  setting: 'no proxy',
  environment: 'no proxy',
  system: 'the operating system or its PAC script names no proxy',
  exception: 'the address is an exception in http.noProxy or NO_PROXY',
  off: 'http.proxySupport is off',
  none: 'no proxy is configured',
  local: 'the backend is on this computer',
};

/** Which proxy is used and why, and what it wants. */
export function describeRoute({ proxy, source, authentication, schemes }: RouteReport): string {
  if (proxy === '') return `Direct: ${DIRECT_SOURCES[source]}`;
  const offered = schemes.length === 0 ? '' : ` (${schemes.join(', ')})`;
  const state = {
    none: 'it asked for no authentication',
    sent: 'credentials are sent',
    required: `it requires authentication${offered}, and no credentials are set`,
    refused: `it refused the credentials${offered}`,
  }[authentication];
  return `${proxy}, ${PROXY_SOURCES[source]}; ${state}`;
}

/** How many certificate authorities are trusted, by origin. */
export function describeCertificates({ bundled, extra, system }: CertificateReport): string {
  const ofSystem = {
    failed: 'those of the operating system could not be read',
    unused: 'none from the operating system',
  };
  return [
    `${bundled} bundled with Node.js`,
    typeof system === 'number' ? `${system} from the operating system` : ofSystem[system ?? 'unused'],
    extra === 0 ? 'NODE_EXTRA_CA_CERTS: none' : `${extra} from NODE_EXTRA_CA_CERTS`,
  ].join(', ');
}
