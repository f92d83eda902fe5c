// The listener for the metrics: a port of its own, so that a network policy can keep clients from it. It serves until the
// process ends, also while the proxy stops.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../process/log.ts';
import { isOwnHost } from '../server/guard.ts';
import type { HostRule } from '../server/guard.ts';
import { readHost, readTarget } from '../server/requestTarget.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';

/** More than scrapers need. */
const MAX_CONNECTIONS = 32;
/** In milliseconds: one that sends nothing must not keep scrapers out for long. */
const TIMEOUTS = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 };
const TEXT = 'text/plain; charset=utf-8';

export interface MetricsOptions {
  readonly host: string;
  /** 0: any free one. Null: no metrics. */
  readonly metricsPort: number | null;
  readonly allowedHosts: readonly string[];
}

/**
 * Listens if the settings have a port for it.
 * @throws (rejection) NodeJS.ErrnoException `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, ...
 */
export async function serveMetrics(
  { host, metricsPort, allowedHosts }: MetricsOptions,
  log: Log,
): Promise<Metrics | undefined> {
  if (metricsPort === null) return undefined;
  const metrics = await createMetrics();
  const server = createServer(TIMEOUTS, (req, res) => {
    answer(req, res, { boundTo: host, allowed: allowedHosts }, metrics).catch(() => {
      res.destroy(); // a metric that cannot be read must not end the proxy
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(metricsPort, host);
  await once(server, 'listening');
  server.unref(); // the proxy decides when the process ends
  server.on('error', (error: NodeJS.ErrnoException) => {
    log.error('metrics_error', { code: error.code });
  });
  log.info('metrics', { host, port: (server.address() as AddressInfo).port, path: '/metrics' });
  return metrics;
}

async function answer(req: IncomingMessage, res: ServerResponse, rule: HostRule, metrics: Metrics): Promise<void> {
  res.on('error', () => undefined); // the scraper has gone
  const { method = '', url = '', rawHeaders } = req;
  const target = readTarget(method, url);
  const host = readHost(rawHeaders, target?.authority);
  if (host === undefined || !isOwnHost(host, rule)) {
    send(res, 403, TEXT, 'The Host header does not name this computer. Add the name to PROXY_ALLOWED_HOSTS.\n');
  } else if (target?.target.split('?', 1)[0] !== '/metrics') {
    send(res, 404, TEXT, 'This listener serves only GET /metrics.\n');
  } else if (method !== 'GET') {
    res.setHeader('allow', 'GET');
    send(res, 405, TEXT, 'This listener serves only GET /metrics.\n');
  } else {
    send(res, 200, metrics.contentType, await metrics.text());
  }
}

function send(res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
