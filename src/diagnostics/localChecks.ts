// Checks of this computer: process, port, addresses, proxy variables, access keys.
import { once } from 'node:events';
import { connect } from 'node:net';
import { PORT_USERS, describeStatus } from '../presentation/statusText.ts';
import { joined } from '../presentation/text.ts';
import type { PortUser, ProxyStatus } from '../shared/status.ts';
import type { Probe } from '../supervisor/portProbe.ts';
import { RUN_AGAIN, failed, passed, skipped } from './check.ts';
import type { Check, CheckResult, DiagnosticsContext } from './check.ts';

const FREE_PORT = '"Use a Free Port" is in the status bar menu.';
const RESTART =
  '"Sealed Proxy: Restart" switches all windows to the backend and the trusted enclave images of this window.';
const SEE_LOG = '"Sealed Proxy: Show Log" shows the reason.';

export function localChecks(context: DiagnosticsContext): readonly Check[] {
  const { status, environment } = context;
  const withPort = (name: string, run: (port: number, signal: AbortSignal) => Promise<CheckResult>): Check => ({
    name,
    run: (signal) => {
      const port = portOf(context);
      return port === 0 ? skipped('Not tested: a free port is chosen when the proxy starts') : run(port, signal);
    },
  });
  return [
    { name: 'Proxy process', run: () => checkProcess(status(), context.crashes()) },
    withPort('Port owner', async (port) => checkOwner(port, await context.probe(port), status())),
    withPort('Connection to 127.0.0.1', async (port, signal) =>
      checkIpv4(await tryConnect('127.0.0.1', port, signal), status()),
    ),
    withPort('Connection to ::1', async (port, signal) => checkIpv6(port, await tryConnect('::1', port, signal))),
    { name: 'Proxy environment variables', run: () => checkEnvironment(environment) },
    {
      name: 'Access keys',
      run: async () => {
        const { accessKeys } = await context.keys();
        return passed(accessKeys === 1 ? "1 (the extension's own)" : `${accessKeys}, including the extension's own`);
      },
    },
  ];
}

/** 0 = unknown. */
function portOf({ status, settings }: DiagnosticsContext): number {
  const current = status();
  const port: unknown = 'port' in current ? current.port : settings().port;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

function checkProcess(status: ProxyStatus, crashes: number): CheckResult {
  const crashed = crashes === 0 ? '' : `Crashes within three minutes: ${crashes}.`;
  const remedy = crashes === 0 ? '' : SEE_LOG;
  if (status.kind === 'running') {
    return passed(
      joined(`Running${status.shared ? ' in another window' : ''}, version ${status.version}.`, crashed),
      remedy,
    );
  }
  const { headline } = describeStatus(status);
  const detail = detailOf(status);
  if (status.kind === 'portTaken') return failed(joined(headline, crashed), joined(detail, FREE_PORT));
  if (status.kind === 'failed') return failed(joined(headline, detail, crashed), failedRemedy(status.reason));
  return failed(joined(headline, crashed), detail || remedy || RUN_AGAIN);
}

/** The report is for others to read, so it does not name the backend of another window. */
function detailOf(status: ProxyStatus): string {
  return status.kind === 'otherSettings' ? RESTART : describeStatus(status).detail;
}

function failedRemedy(reason: Extract<ProxyStatus, { kind: 'failed' }>['reason']): string {
  if (reason === 'setting') return 'Correct the setting. The proxy then starts automatically.';
  return `${SEE_LOG} Then run "Sealed Proxy: Restart".`;
}

function checkOwner(port: number, found: Probe, status: ProxyStatus): CheckResult {
  switch (found.kind) {
    case 'own': {
      const finding = `Port ${port}: Sealed Proxy ${found.report.version}`;
      const differs = status.kind === 'otherVersion' || status.kind === 'otherSettings';
      if (!differs) return passed(`${finding} (this editor)`);
      return failed(`${finding} (another window)`, detailOf(status));
    }
    case 'held':
      return taken(port, found.by === 'system' ? 'system' : 'silent');
    case 'free':
      if (status.kind === 'portTaken' && (status.by === 'system' || status.by === 'silent'))
        return taken(port, status.by);
      if (status.kind !== 'running') return passed(`Port ${port}: free`);
      return failed(`Port ${port}: nothing listens, although the proxy is running`, 'Run "Sealed Proxy: Restart".');
    case 'foreign':
      return taken(port, found.isSealedProxy ? 'sealedProxy' : 'program');
    case 'unresponsive':
      return taken(port, 'unresponsive');
  }
}

function taken(port: number, by: PortUser): CheckResult {
  const { problem, detail } = PORT_USERS[by];
  return failed(`Port ${port}: ${problem}`, joined(detail, FREE_PORT));
}

/** Undefined if a program accepts connections, otherwise the error code. */
async function tryConnect(host: string, port: number, signal: AbortSignal): Promise<string | undefined> {
  const socket = connect({ host, port, signal });
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return signal.aborted ? 'ETIMEDOUT' : ((error as NodeJS.ErrnoException).code ?? 'unknown');
  } finally {
    socket.destroy();
  }
}

function checkIpv4(code: string | undefined, status: ProxyStatus): CheckResult {
  if (status.kind !== 'running') {
    if (code === undefined) return skipped('Not tested: another program or window uses this port');
    return skipped(`Not tested: the proxy is not running in this window (${code})`);
  }
  if (code === undefined) return passed('Accepts connections');
  const remedy = 'A firewall or another program blocks local connections. Add an exception for 127.0.0.1.';
  return failed(`Does not accept connections (${code})`, remedy);
}

/** The proxy does not listen on ::1. */
function checkIpv6(port: number, code: string | undefined): CheckResult {
  if (code === 'ECONNREFUSED') return passed('Nothing listens, as expected');
  if (code !== undefined) return skipped(`Not available on this computer (${code})`);
  const remedy = 'Use 127.0.0.1 in base URLs, because "localhost" may lead to that program. Or use another port.';
  return failed(`Another program listens on [::1]:${port}`, remedy);
}

/** With these variables, programs send plain HTTP through a proxy. */
const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
const EXCEPTIONS = ['no_proxy', 'NO_PROXY'];

/** Fails if programs on this computer would send requests for 127.0.0.1 to an HTTP proxy. */
function checkEnvironment(environment: DiagnosticsContext['environment']): CheckResult {
  const isSet = (name: string) => (environment[name] ?? '').trim() !== '';
  const proxies = PROXY_VARIABLES.filter(isSet);
  if (proxies.length === 0) return passed('None that affects local requests');
  const exceptions = EXCEPTIONS.filter(isSet);
  const finding = `Set: ${[...proxies, ...exceptions].join(', ')}`;
  const isExcepted = exceptions.length > 0 && exceptions.every((name) => exceptsLoopback(environment[name] ?? ''));
  if (isExcepted) return passed(finding);
  const remedy = 'Add 127.0.0.1 to no_proxy and NO_PROXY. Otherwise programs may send local requests with keys there.';
  return failed(`${finding}; 127.0.0.1 is not an exception`, remedy);
}

function exceptsLoopback(list: string): boolean {
  const entries = list.split(/[\s,]+/).map((entry) => entry.replace(/:\d+$/, ''));
  return entries.some((entry) => entry === '*' || entry === '127.0.0.1');
}
