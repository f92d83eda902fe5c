// The command line: settings from the environment, one line for each thing that goes wrong, exit codes.
import { request } from 'node:http';
import { VERSION } from '../../shared/version.ts';
import { ConfigError, VARIABLES, readSettings } from '../../settings/settings.ts';
import { readConfig } from './config.ts';
import type { Config } from './config.ts';
import { Log } from '../log.ts';
import { startService } from '../service.ts';
import type { Service } from '../service.ts';

export const EXIT = { ok: 0, failed: 1, invalid: 2, portTaken: 3, crashed: 70 } as const;

/** How long running responses may take to finish when the proxy is asked to end, in milliseconds. */
export const GRACE = 30_000;
const HEALTH_TIMEOUT = 5000;

const HELP = `sealed-proxy ${VERSION}: a private, OpenAI-compatible endpoint on this computer.

Usage: sealed-proxy [--help | --version | --health]

  --health   ask the proxy that runs with these settings; exit 0 if it answers, else 1

Settings come from the environment:

${VARIABLES.map(([name, value, meaning]) => `  ${name.padEnd(31)} ${meaning}${value === '' ? '' : `\n${' '.repeat(34)}default: ${value}`}`).join('\n')}

Exit codes: 0 ended as asked, 1 failed, 2 a setting cannot be used, 3 the port is taken.
`;

/** Runs the command; resolves with the exit code, or with undefined while the proxy serves. */
export async function runCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number | undefined> {
  const [argument, ...rest] = args;
  if (rest.length > 0) return complain(EXIT.invalid, 'sealed-proxy takes one argument at most; see --help');
  switch (argument) {
    case undefined:
      return serve(environment);
    case '--help':
    case '-h':
      process.stdout.write(HELP);
      return EXIT.ok;
    case '--version':
      process.stdout.write(`sealed-proxy ${VERSION}\n`);
      return EXIT.ok;
    case '--health':
      return checkHealth(environment);
    default:
      return complain(EXIT.invalid, 'sealed-proxy knows --help, --version and --health; settings come by environment');
  }
}

async function serve(environment: Readonly<Record<string, string | undefined>>): Promise<number | undefined> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return complain(EXIT.invalid, error.message);
    throw error;
  }
  const log = new Log(config.logLevel, (text) => process.stderr.write(text));
  let service: Service;
  try {
    service = await startService({ config, log });
  } catch (error) {
    if (error instanceof ConfigError) return complain(EXIT.invalid, error.message);
    const { exitCode, sentence } = listenFailure(error, config);
    return complain(exitCode, sentence);
  }
  stopOnSignals(service, log); // before the line: who reads it may send a signal at once
  process.stdout.write(`sealed-proxy ${VERSION} listening on ${service.url}\n`);
  return undefined;
}

/** Why an address cannot be listened on: exit code, a sentence, and which setting it is about. */
export function listenFailure(
  error: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
): { readonly exitCode: number; readonly sentence: string; readonly setting: 'host' | 'port' } {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE' || (code === 'EACCES' && process.platform === 'win32')) {
    const advice = 'stop the other program, or set PROXY_PORT to another port (0 = any free one)';
    return { exitCode: EXIT.portTaken, sentence: `port ${port} on ${host} is taken: ${advice}`, setting: 'port' };
  }
  if (code === 'EACCES') {
    const sentence = `port ${port} needs more rights: set PROXY_PORT to one above 1023`;
    return { exitCode: EXIT.failed, sentence, setting: 'port' };
  }
  const what =
    code === 'EADDRNOTAVAIL' ? `this computer has no address ${host}` : `${host} cannot be listened on (${code})`;
  return {
    exitCode: EXIT.failed,
    sentence: `${what}: set PROXY_HOST to one it has, such as 127.0.0.1`,
    setting: 'host',
  };
}

function stopOnSignals(service: Service, log: Log): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(EXIT.ok);
    stopping = true;
    log.info('stopping', { signal });
    void service.stop(GRACE).then(() => process.exit(EXIT.ok));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Asks the running proxy, as a container's health check does. */
async function checkHealth(environment: Readonly<Record<string, string | undefined>>): Promise<number> {
  let host: string;
  let port: number;
  try {
    ({ host, port } = readSettings(environment));
  } catch (error) {
    if (error instanceof ConfigError) return complain(EXIT.failed, error.message);
    throw error;
  }
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const failure = await new Promise<string | undefined>((resolve) => {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT);
    const asking = request({ host: address, port, path: '/health', agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('error', () => undefined); // `close` follows
      response.on('close', () => {
        if (!response.complete) resolve('it broke off its answer');
        else resolve(response.statusCode === 200 && isHealthy(text) ? undefined : 'another program answers there');
      });
    });
    asking.on('error', ({ name, message }) => {
      resolve(name === 'AbortError' ? `no answer within ${HEALTH_TIMEOUT / 1000} seconds` : message);
    });
    asking.end();
  });
  if (failure === undefined) return EXIT.ok;
  return complain(EXIT.failed, `no healthy proxy on ${address} port ${port}: ${failure}`);
}

function isHealthy(text: string): boolean {
  try {
    const { status, service } = JSON.parse(text) as { status?: unknown; service?: unknown };
    return status === 'ok' && service === 'sealed-proxy';
  } catch {
    return false;
  }
}

function complain(code: number, sentence: string): number {
  process.stderr.write(`sealed-proxy: ${sentence}\n`);
  return code;
}
