// Checks of this computer: process, port, addresses, proxy variables, access keys.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { PortUser, ProxyStatus } from '../shared/status.ts';
import type { Probe } from '../supervisor/portProbe.ts';
import { failed, passed, skipped } from './check.ts';
import type { Check, CheckResult, DiagnosticsContext } from './check.ts';

const FREE_PORT = 'Quit the other program, or choose "Use a Free Port" in the status bar menu.';
const OWN_PORT = 'Choose "Use a Free Port" in the status bar menu. This editor then keeps that port.';
const UPDATE = 'Reload this window, or update the extension first. Both windows can then share the proxy.';
const RESTART = '"Sealed Proxy: Restart" switches all windows to the version and the settings of this window.';
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
  const crashed = crashes === 0 ? '' : `; crashes within three minutes: ${crashes}`;
  const remedy = crashes === 0 ? '' : SEE_LOG;
  switch (status.kind) {
    case 'running':
      return passed(`Running${status.shared ? ' in another window' : ''}, version ${status.version}${crashed}`, remedy);
    case 'off':
      return failed(
        status.allWindows === true ? 'Off in all windows' : 'Off in this window',
        'Start it with "Sealed Proxy: Start".',
      );
    case 'starting':
      return failed(`Starting${crashed}`, 'Run the diagnostics again in a few seconds.');
    case 'restarting':
      return failed(`Restarting${crashed}`, remedy || 'Run the diagnostics again in a few seconds.');
    case 'failed':
      return failed(`${status.message}${crashed}`, failedRemedy(status.reason));
    case 'portTaken':
      return failed('Not started: the port is in use', portRemedy(status.by));
    case 'otherVersion':
      return failed(`Another window runs version ${status.version}`, status.isNewer ? UPDATE : RESTART);
    case 'otherSettings':
      return failed('Another window uses a different backend or trusts different enclave images', RESTART);
  }
}

function failedRemedy(reason: Extract<ProxyStatus, { kind: 'failed' }>['reason']): string {
  if (reason === 'setting') return 'Correct the setting. The proxy then starts automatically.';
  return `${SEE_LOG} Then run "Sealed Proxy: Restart".`;
}

function checkOwner(port: number, found: Probe, status: ProxyStatus): CheckResult {
  switch (found.kind) {
    case 'own': {
      const finding = `Port ${port}: Sealed Proxy ${found.report.version}`;
      const remedy = status.kind === 'otherVersion' && status.isNewer ? UPDATE : RESTART;
      const differs = status.kind === 'otherVersion' || status.kind === 'otherSettings';
      return differs ? failed(`${finding} (another window)`, remedy) : passed(`${finding} (this editor)`);
    }
    case 'held':
      return checkHeld(port, found.by === 'system');
    case 'free':
      if (status.kind === 'portTaken' && (status.by === 'system' || status.by === 'silent'))
        return checkHeld(port, status.by === 'system');
      if (status.kind !== 'running') return passed(`Port ${port}: free`);
      return failed(`Port ${port}: nothing listens, although the proxy is running`, 'Run "Sealed Proxy: Restart".');
    case 'foreign':
      if (found.isSealedProxy)
        return failed(
          `Port ${port}: a Sealed Proxy of another editor or computer. No key was sent to it.`,
          portRemedy('sealedProxy'),
        );
      return failed(`Port ${port}: another program. Sealed Proxy sent it no key.`, portRemedy('program'));
    case 'unresponsive':
      return failed(
        `Port ${port}: a program that does not respond. Sealed Proxy sent it no key.`,
        portRemedy('unresponsive'),
      );
  }
}

function checkHeld(port: number, bySystem: boolean): CheckResult {
  const holder = bySystem ? 'reserved by the system' : 'held by a program that does not listen on it';
  return failed(`Port ${port}: ${holder}`, portRemedy(bySystem ? 'system' : 'silent'));
}

function portRemedy(by: PortUser): string {
  return by === 'sealedProxy' || by === 'system' ? OWN_PORT : FREE_PORT;
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
