// How the proxy's connections leave this computer.
import type { SecureContext } from 'node:tls';
import { Pool, ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import { readProxyUrl } from '../../settings/proxyConfig.ts';
import { configuredRoute } from '../../settings/proxyRoute.ts';
import { isProxyUrl } from '../../settings/rules.ts';
import type { NetworkSettings } from '../../shared/messages.ts';
import type { NetworkReport, ProxyRoute, RouteReport } from '../../shared/network.ts';
import type { Log } from '../process/log.ts';
import { readCertificates } from './certificates.ts';
import type { Certificates } from './certificates.ts';
import { hideInformationalResponses } from './informationalResponses.ts';
import { ProxyError } from './proxyError.ts';
import { RoutedDispatcher } from './routedDispatcher.ts';
import { openTunnelPool } from './tunnelPool.ts';

/** As many as there may be requests at once (see requestLimits.ts), and some for handshakes. */
const MAX_CONNECTIONS = 264;
/**
 * How long an idle connection to the backend stays open, in milliseconds: long enough for the pauses of a conversation, and
 * shorter than the idle timeout of servers, because a request that meets a closing connection must not be sent again.
 * `server.ts` has that of clients.
 */
const IDLE_LIFETIME = 20_000;
/** The relay sets the time limits, not the library. */
const NO_LIMITS = {
  connections: MAX_CONNECTIONS,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: IDLE_LIFETIME,
} as const;

/**
 * The time limit for opening a connection, in milliseconds, also if no request waits for it any more. Longer than a
 * handshake may take, so that an unresponsive backend is a timeout and not a network error.
 */
const CONNECT_LIMIT = 35_000;

/** Finds the proxy for a URL; undefined if it cannot be found in time. */
export type FindProxy = (url: string) => Promise<ProxyRoute | undefined>;

/** What a connection is for. */
type Use = 'backend' | 'history';

interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly secureContext?: SecureContext;
}

const LOCAL: ProxyRoute = { url: '', source: 'local' };

export class Network {
  readonly #settings: NetworkSettings;
  readonly #findProxy: FindProxy | undefined;
  readonly #log: Pick<Log, 'info' | 'warn'> | undefined;
  readonly #closing = new AbortController();
  readonly #showInformational = hideInformationalResponses();
  readonly #certificates: Promise<Certificates>;
  #report: NetworkReport = { backend: null, history: null, certificates: null };

  /**
   * Starts to read the certificates, and opens no connection.
   * @param findProxy asks the editor; without it, the settings and the environment decide
   * @throws ConfigError for an HTTP proxy with an unusable address
   */
  constructor(settings: NetworkSettings = {}, findProxy?: FindProxy, log?: Pick<Log, 'info' | 'warn'>) {
    this.#settings = settings;
    this.#findProxy = findProxy;
    this.#log = log;
    if (findProxy === undefined) readProxyUrl(settings, process.env);
    this.#certificates = this.#readCertificates();
  }

  /** Resolves when the certificates have been read. */
  get ready(): Promise<unknown> {
    return this.#certificates;
  }

  get report(): NetworkReport {
    return this.#report;
  }

  /** The connections to one origin, which never use a proxy if it is on this computer. */
  dispatcher(use: Use, origin: string, loopback: boolean): RoutedDispatcher {
    return new RoutedDispatcher(async () => {
      const [{ secureContext }, route] = await Promise.all([
        this.#certificates,
        loopback ? LOCAL : this.#findRoute(origin),
      ]);
      // A forged history could approve other images, so its TLS certificates are checked whatever the settings are.
      const rejectUnauthorized = use === 'history' || (this.#settings.strictTls ?? true);
      const tls = secureContext === undefined ? { rejectUnauthorized } : { rejectUnauthorized, secureContext };
      return this.#connect(use, origin, route, tls);
    });
  }

  /** To be called when no connection is needed any more. Ends the reading of certificates. */
  close(): void {
    this.#closing.abort();
    this.#showInformational();
  }

  async #readCertificates(): Promise<Certificates> {
    const certificates = await readCertificates(this.#settings, this.#closing.signal);
    const { bundled, extra, system } = certificates.report;
    this.#report = { ...this.#report, certificates: certificates.report };
    if (system === 'failed' && !this.#closing.signal.aborted) {
      const note = "The operating system's certificates could not be read; those of Node.js are used.";
      this.#log?.warn('certificates', { bundled, extra, system, note });
    }
    // Node.js skips such a file.
    if (extra === 0 && (process.env['NODE_EXTRA_CA_CERTS'] ?? '') !== '') {
      const note =
        'No certificate could be read from the file that NODE_EXTRA_CA_CERTS names. It must exist, and have certificates in PEM: -----BEGIN CERTIFICATE-----. To convert DER: openssl x509 -inform der -in FILE -out FILE.pem';
      this.#log?.warn('certificates', { bundled, extra, system, note });
    }
    return certificates;
  }

  async #findRoute(origin: string): Promise<ProxyRoute> {
    const found = await this.#findProxy?.(`${origin}/`);
    return found ?? configuredRoute(origin, this.#settings, process.env);
  }

  #connect(use: Use, origin: string, route: ProxyRoute, tls: TlsOptions): Dispatcher {
    const connect = { timeout: CONNECT_LIMIT, ...tls };
    const options = { ...NO_LIMITS, connect };
    if (route.url === '') {
      this.#note(use, { proxy: '', source: route.source, authentication: 'none', schemes: [] });
      return new Pool(origin, options);
    }
    const uri = route.url.replace(/^socks5h:/i, 'socks5:'); // undici leaves the name to the proxy in any case
    if (!isProxyUrl(uri)) {
      const message =
        'The proxy of this network is of a kind that is not supported, such as SOCKS4; use a SOCKS5 or an HTTP proxy';
      throw new ProxyError('proxy_unsupported', message);
    }
    const { host, username } = new URL(uri);
    const token = username === '' ? this.#settings.proxyAuthorization : undefined;
    const hasCredentials = username !== '' || token !== undefined;
    const { source } = route;
    const report = { proxy: host, source, authentication: hasCredentials ? 'sent' : 'none', schemes: [] } as const;
    const known = this.#report[use];
    if (known?.proxy !== host || known.source !== source) this.#note(use, report);
    return new ProxyAgent({
      ...options,
      uri,
      ...(token === undefined ? {} : { token }),
      connectTimeout: CONNECT_LIMIT,
      requestTls: connect,
      // With this option, undici would speak TLS to a SOCKS proxy.
      ...(/^socks/i.test(uri) ? {} : { proxyTls: connect }),
      clientFactory: (proxy, more) =>
        openTunnelPool(proxy, { ...more, headersTimeout: CONNECT_LIMIT }, hasCredentials, (seen) => {
          this.#note(use, { ...report, ...seen });
        }),
    });
  }

  #note(use: Use, route: RouteReport): void {
    const previous = this.#report[use];
    this.#report = { ...this.#report, [use]: route };
    const { proxy, source, authentication } = route;
    if (source === 'local' || JSON.stringify(previous) === JSON.stringify(route)) return;
    this.#log?.info('route', { use, proxy, source, authentication });
  }
}
