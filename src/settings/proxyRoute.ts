// The proxy that the settings and the environment name for an address. The editor knows more: see `findProxy`.
import type { NetworkSettings } from '../shared/messages.ts';
import type { ProxyRoute } from '../shared/network.ts';
import { splitList } from './kinds.ts';
import { withoutBrackets } from './loopback.ts';
import { readProxyUrl } from './proxyConfig.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError if the URL of the proxy cannot be used */
export function configuredRoute(url: string, network: NetworkSettings, environment: Environment): ProxyRoute {
  const proxy = readProxyUrl(network, environment);
  if (proxy === '') return { url: '', source: network.httpsProxy === '' ? 'off' : 'none' };
  const exceptions = network.noProxy ?? environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  if (isException(exceptions, url)) return { url: '', source: 'exception' };
  return { url: proxy, source: network.httpsProxy === undefined ? 'environment' : 'setting' };
}

/**
 * Whether a list such as that of NO_PROXY contains the host of a URL. The entries: `*`, `example.com` and `.example.com`
 * (with subdomains), `*.example.com` (subdomains only), an address; each may end with a port.
 */
export function isException(list: string, url: string): boolean {
  const { hostname, port, protocol } = new URL(url);
  const host = withoutBrackets(hostname).replace(/\.$/, '');
  const actualPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return splitList(list.replace(/\s/g, ',')).some((entry) => {
    const { name, port: onlyPort = actualPort } = parseEntry(entry.toLowerCase());
    if (onlyPort !== actualPort) return false;
    if (name === '*') return true;
    const domain = name.replace(/^\*?\./, '');
    return host.endsWith(`.${domain}`) || (host === domain && !name.startsWith('*'));
  });
}

/** An IPv6 address needs brackets before a port. */
function parseEntry(entry: string): { readonly name: string; readonly port?: string } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  const name = (bracketed ?? plain ?? entry).replace(/\.$/, '');
  return port === undefined ? { name } : { name, port };
}
