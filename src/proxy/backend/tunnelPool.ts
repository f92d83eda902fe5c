// The connection to an HTTP proxy that opens tunnels.
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { codeOf } from '../../shared/errors.ts';
import type { RouteReport } from '../../shared/network.ts';
import { isWithoutTls } from './describeError.ts';
import { ProxyError } from './proxyError.ts';

type ReportAuthentication = (seen: Pick<RouteReport, 'authentication' | 'schemes'>) => void;

const SCHEMES = ['Basic', 'Bearer', 'Digest', 'Negotiate', 'NTLM', 'Kerberos'];
const OK = 200;
/** Some proxies answer 401 where 407 is meant. */
const AUTHENTICATION_REQUIRED = [401, 407];

/**
 * A pool for the CONNECT requests of undici's ProxyAgent, which says no more of a refusal than its status.
 * @param hasCredentials whether the requests carry credentials
 */
export function openTunnelPool(
  proxy: URL,
  options: Pool.Options,
  hasCredentials: boolean,
  onAuthentication: ReportAuthentication,
): Dispatcher {
  const pool = new Pool(proxy, options);
  const openTunnel: (request: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> = pool.connect.bind(pool);
  const connect = async (request: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    let response: Dispatcher.ConnectData;
    try {
      response = await openTunnel(request);
    } catch (cause) {
      const code = codeOf(cause);
      throw new ProxyError('proxy_unreachable', `The HTTP proxy ${proxy.host} cannot be reached${reasonOf(code)}`, {
        cause,
      });
    }
    const { statusCode, headers, socket } = response;
    if (statusCode === OK) {
      onAuthentication({ authentication: hasCredentials ? 'sent' : 'none', schemes: [] });
      return response;
    }
    socket.on('error', () => undefined).destroy();
    if (!AUTHENTICATION_REQUIRED.includes(statusCode)) {
      throw new ProxyError(
        'proxy_refused',
        `The HTTP proxy ${proxy.host} refused the connection: status ${statusCode}`,
      );
    }
    const schemes = schemesOf(headers['proxy-authenticate'] ?? headers['www-authenticate']);
    onAuthentication({ authentication: hasCredentials ? 'refused' : 'required', schemes });
    throw authenticationError(proxy.host, hasCredentials, schemes);
  };
  return Object.assign(pool, { connect });
}

/** The end of the sentence that it cannot be reached. */
function reasonOf(code: string | undefined): string {
  if (code === undefined) return '';
  return isWithoutTls(code) ? `: it does not speak TLS (${code}); use http:// in its URL` : ` (${code})`;
}

function authenticationError(host: string, hasCredentials: boolean, schemes: readonly string[]): ProxyError {
  if (schemes.length > 0 && !schemes.includes('Basic')) {
    const message = `The HTTP proxy ${host} accepts only ${schemes.join(', ')} authentication`;
    return new ProxyError('proxy_authentication_unsupported', message);
  }
  const message = hasCredentials
    ? `The HTTP proxy ${host} refused the user name and the password`
    : `The HTTP proxy ${host} requires a user name and a password`;
  return new ProxyError('proxy_authentication', message);
}

/** The schemes in a header Proxy-Authenticate: known names only, since the text comes from the network. */
function schemesOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = ` ${[header ?? []].flat().join(', ')} `.toLowerCase();
  return SCHEMES.filter((scheme) => new RegExp(`[ ,]${scheme.toLowerCase()}[ ,]`).test(text));
}
