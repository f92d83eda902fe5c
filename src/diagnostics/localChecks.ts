// What can be seen on this computer: process, port, addresses, proxies of companies, access keys.
import { connect } from 'node:net';
import type { NetworkSettings } from '../shared/messages.ts';
import type { ProxyStatus } from '../shared/status.ts';
import type { Probe } from '../supervisor/localProxy.ts';
import { check, failed, ok, skipped } from './check.ts';
import type { Check, CheckResult, DoctorContext } from './check.ts';

export function localChecks(context: DoctorContext): readonly Check[] {
  const { limit, status, network, environment } = context;
  const withPort = (act: (port: number, signal: AbortSignal) => Promise<CheckResult>) => (signal: AbortSignal) => {
    const port = portOf(context);
    if (port !== 0) return act(port, signal);
    return skipped('any free port is wanted, and there is none while the proxy does not run');
  };
  return [
    check('Process', limit, () => processResult(status(), context.crashes())),
    check(
      'Owner of the port',
      limit,
      withPort(async (port) => ownerResult(port, await context.probe(port), status())),
    ),
    check(
      '127.0.0.1',
      limit,
      withPort(async (port, signal) => ipv4Result(await reach('127.0.0.1', port, signal), status())),
    ),
    check(
      '::1',
      limit,
      withPort(async (port, signal) => ipv6Result(port, await reach('::1', port, signal))),
    ),
    check('http.proxy and http.noProxy', limit, () => networkResult(network(), status())),
    check('Proxy variables of the environment', limit, () => environmentResult(environment)),
    check('Access keys', limit, async () => {
      const { accessKeys } = await context.keys();
      return ok(`${accessKeys} in all, that of the extension included`);
    }),
  ];
}

/** 0: none is known. */
function portOf({ status, settings }: DoctorContext): number {
  const now = status();
  const port: unknown = 'port' in now ? now.port : settings().port;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

function processResult(status: ProxyStatus, crashes: number): CheckResult {
  const ended = crashes === 0 ? '' : `; it ended by itself ${crashes}x within three minutes`;
  const more = crashes === 0 ? '' : 'The log says why it ended.';
  switch (status.kind) {
    case 'running':
      return ok(`${status.shared ? "runs, as another window's" : 'runs'}, version ${status.version}${ended}`, more);
    case 'off':
      return failed('the proxy is off in this window', 'Start it with "Sealed Proxy: Start".');
    case 'starting':
      return failed(`it is starting${ended}`, 'Run this again in a few seconds.');
    case 'restarting':
      return failed(`it is about to be started again${ended}`, more || 'Run this again in a few seconds.');
    case 'failed':
      return failed(`${status.message}${ended}`, failedAdvice(status.reason));
    case 'portTaken':
      return failed('not started: the port is taken', PORT_ADVICE);
    case 'otherVersion':
      return failed(`another window runs version ${status.version}`, RESTART_ADVICE);
    case 'otherSettings':
      return failed('another window serves the port with another backend or other images', RESTART_ADVICE);
  }
}

const PORT_ADVICE =
  'End the other program, or choose another port with "Use a Free Port" in the menu of the status bar.';
const RESTART_ADVICE = '"Sealed Proxy: Restart" makes all windows use what this one has.';

function failedAdvice(reason: Extract<ProxyStatus, { kind: 'failed' }>['reason']): string {
  if (reason === 'setting') return 'Correct the setting; the proxy then starts by itself.';
  return 'Look into the log, then use "Sealed Proxy: Restart".';
}

function ownerResult(port: number, found: Probe, status: ProxyStatus): CheckResult {
  switch (found.kind) {
    case 'own': {
      const { version } = found.report;
      const differs = status.kind === 'otherVersion' || status.kind === 'otherSettings';
      const value = `port ${port}: a proxy of ours, version ${version}`;
      return differs ? failed(`${value}, of another window`, RESTART_ADVICE) : ok(value);
    }
    case 'free':
      if (status.kind !== 'running') return ok(`port ${port}: free`);
      return failed(`port ${port}: nobody, though the proxy runs`, 'Use "Sealed Proxy: Restart".');
    case 'foreign':
      return failed(`port ${port}: a program that is not ours; no key was sent to it`, PORT_ADVICE);
    case 'unresponsive':
      return failed(`port ${port}: a program that does not answer; no key was sent to it`, PORT_ADVICE);
  }
}

/** Undefined: somebody accepts connections. Else the code of the error. */
function reach(host: string, port: number, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (code: string | undefined) => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(code);
    };
    const stop = () => {
      settle('ETIMEDOUT');
    };
    signal.addEventListener('abort', stop);
    socket.on('connect', () => {
      settle(undefined);
    });
    socket.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      settle(code);
    });
  });
}

function ipv4Result(code: string | undefined, status: ProxyStatus): CheckResult {
  if (status.kind !== 'running') {
    const who = code === undefined ? 'somebody accepts connections' : `nobody accepts connections (${code})`;
    return skipped(`the proxy is not running in this window; ${who}`);
  }
  if (code === undefined) return ok('accepts connections');
  const advice = 'A firewall or another program of this computer keeps local connections away: make an exception.';
  return failed(`does not accept connections (${code})`, advice);
}

/** The proxy listens on 127.0.0.1 alone. */
function ipv6Result(port: number, code: string | undefined): CheckResult {
  if (code === 'ECONNREFUSED') return ok('nobody listens there');
  if (code !== undefined) return skipped(`this computer has no such address (${code})`);
  const advice = `Write 127.0.0.1 into base URLs: "localhost" may lead to that program. Or end it, or choose another port.`;
  return failed(`somebody else's program answers on [::1]:${port}`, advice);
}

function networkResult({ httpsProxy, noProxy, strictTls }: NetworkSettings, status: ProxyStatus): CheckResult {
  const lax = strictTls === false ? '; http.proxyStrictSSL is off, so TLS certificates are not checked' : '';
  const exceptions = `exceptions: ${(noProxy ?? '').split(',').filter((entry) => entry.trim() !== '').length}`;
  if (httpsProxy === undefined) return ok(`not set, ${exceptions}${lax}`);
  if (httpsProxy === '') return ok(`switched off${lax}`);
  const host = hostOf(httpsProxy);
  if (host === undefined) return failed('http.proxy is no URL', 'Write it as http://HOST:PORT.');
  const value = `${host}, ${exceptions}${lax}`;
  const unreached = status.kind === 'running' && status.health.kind === 'unreachable';
  if (!unreached || status.health.cause !== 'network') return ok(value);
  return failed(`${value}; the backend is not reached`, 'Check http.proxy, or except the backend in http.noProxy.');
}

/** Without the name and the password that may stand in it. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host || undefined : undefined;
}

/** By these, programs send plain HTTP through a proxy. */
const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
const EXCEPTIONS = ['no_proxy', 'NO_PROXY'];

/** Whether the programs of this computer would ask a company's proxy for what is on this computer. */
function environmentResult(environment: DoctorContext['environment']): CheckResult {
  const isSet = (name: string) => (environment[name] ?? '').trim() !== '';
  const proxies = PROXY_VARIABLES.filter(isSet);
  if (proxies.length === 0) return ok('none that concerns plain HTTP');
  const named = EXCEPTIONS.filter(isSet);
  const value = `set: ${[...proxies, ...named].join(', ')}`;
  if (named.length > 0 && named.every((name) => exceptsLoopback(environment[name] ?? ''))) return ok(value);
  const advice = 'Add 127.0.0.1 to no_proxy and NO_PROXY: else programs may send local requests, keys and all, there.';
  return failed(`${value}; 127.0.0.1 is not excepted`, advice);
}

function exceptsLoopback(list: string): boolean {
  const entries = list.split(/[\s,]+/).map((entry) => entry.replace(/:\d+$/, ''));
  return entries.some((entry) => entry === '*' || entry === '127.0.0.1');
}
