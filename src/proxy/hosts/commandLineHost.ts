// The command line: settings from the environment, one line for each error, exit codes.
import { setTimeout } from 'node:timers/promises';
import { VARIABLES } from '../../settings/environment.ts';
import type { Values } from '../../settings/environment.ts';
import { ConfigError } from '../../settings/proxyConfig.ts';
import { SCHEMA } from '../../settings/schema.ts';
import { createAccessKey } from '../../shared/accessKeys.ts';
import { codeOf } from '../../shared/errors.ts';
import { VERSION } from '../../shared/version.ts';
import { serveMetrics } from '../metrics/listener.ts';
import { Log } from '../process/log.ts';
import { isOver } from '../server/clientLimits.ts';
import { nameProblem, parseLimits } from './accessKeyList.ts';
import { readConfig } from './config.ts';
import type { Config } from './config.ts';
import { saveEvidence } from './evidenceCommand.ts';
import { EXIT, complain } from './exit.ts';
import { HEALTH, READY, probeRunning } from './probe.ts';
import { FileWatch, readSecretFiles, secretPaths } from './secretFiles.ts';
import { SecretReload } from './secretReload.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';
import { SocketError, takeSocket } from './socketActivation.ts';
import { describeAccess, misspelledNames, unknownVariables, warnIfAllExpired } from './startNotes.ts';
import { TlsReload } from './tlsFiles.ts';
import { verifyFile } from './verifyCommand.ts';
import { printBuild } from './versionCommand.ts';

/** How long the end may take after the second signal, in milliseconds. */
const LAST_MOMENT = 1000;

const OPTIONS: readonly string[] = ['--help', '--version', '--health', '--ready'];

const HELP = `sealed-proxy ${VERSION}: a private endpoint on this computer for OpenAI and Anthropic clients.

Usage: sealed-proxy [--help | --version [--verbose] | --health | --ready]
       sealed-proxy keys new NAME [LIMIT...]
       sealed-proxy evidence [FILE]
       sealed-proxy verify FILE [--at TIME] [--pcr0 PCR0]... [--root FILE] [--challenge BASE64]

  --version  print the version; with --verbose, also the commit and the SHA-256 of the installed programs
  --health   check the proxy that runs with these settings; exit with 0 if it answers, else with 1
  --ready    the same, but with 0 only if it has a session with the enclave and is not stopping
  keys new   make an access key for the client NAME, and print a line for the file of the access keys. Possible limits:
             expires=2027-01-31 models=a,b requests=60/min tokens=100000/min
  evidence   verify the backend once, and write what others need to verify it again; an existing FILE is not overwritten
  verify     verify evidence, or an attestation document, without a network; exit with 0 only if every check passed
    --at         for this time (ISO 8601, or milliseconds since 1970) instead of the time in the evidence
    --pcr0       trust this enclave image as well
    --root       trust the certificate in this file (PEM or DER) instead of the root of AWS Nitro Enclaves
    --challenge  the challenge that an attestation document must contain

The base URL ends with /v1 for Chat Completions, with /anthropic for Anthropic's Messages API, and with /responses/v1 for
OpenAI's Responses API.

Settings are environment variables:

${VARIABLES.map(helpOf).join('\n')}

Exit codes: 0 stopped as requested, 1 failed or not verified, 2 a setting, an argument or a file cannot be used, 3 the port is taken, 70 crashed.
`;

function helpOf({ variable, byDefault, description }: (typeof VARIABLES)[number]): string {
  const lines = [`  ${variable.padEnd(31)} ${description.replaceAll('`', '')}`];
  if (byDefault !== '') lines.push(`${' '.repeat(34)}default: ${byDefault}`);
  return lines.join('\n');
}

/**
 * Runs the command; resolves with the exit code, or with undefined while the proxy serves.
 * @param mainFile as in `ServiceOptions`
 */
export async function runCommandLine(
  args: readonly string[],
  environment: Values,
  mainFile: string,
): Promise<number | undefined> {
  const [argument, ...rest] = args;
  if ((argument === 'evidence' || argument === 'verify' || argument === 'keys') && rest.some(isHelp))
    return runCommandLine(['--help'], environment, mainFile);
  if (argument === 'evidence') return saveEvidence(rest, environment);
  if (argument === 'verify') return verifyFile(rest);
  if (argument === 'keys') return makeKey(rest);
  const misplaced = args.map(misplacedSetting).find((sentence) => sentence !== undefined);
  if (misplaced !== undefined) return complain(EXIT.invalid, misplaced);
  if (argument === '--version' && rest.length === 1 && rest[0] === '--verbose') return printBuild(mainFile);
  if (rest.length > 0 && argument?.startsWith('--') === true)
    return complain(EXIT.invalid, 'only one argument is possible; see --help');
  switch (argument) {
    case undefined:
      return serve(environment, mainFile);
    case '--help':
    case '-h':
      process.stdout.write(HELP);
      return EXIT.ok;
    case '--version':
      process.stdout.write(`sealed-proxy ${VERSION}\n`);
      return EXIT.ok;
    case '--health':
      return probeRunning(environment, HEALTH);
    case '--ready':
      return probeRunning(environment, READY);
    default:
      return complain(EXIT.invalid, unknownArgument(argument));
  }
}

/** A limit that `keys new` was given and that cannot be used. */
class LimitError extends Error {
  override readonly name = 'LimitError';
}

/** Prints a line for the file of the access keys. */
async function makeKey([action, name, ...limits]: readonly string[]): Promise<number> {
  if (action !== 'new' || name === undefined) {
    return complain(EXIT.invalid, 'to make an access key, run: sealed-proxy keys new NAME [LIMIT...]');
  }
  const problem = name.startsWith('-') ? 'the name of a client does not begin with "-"' : nameProblem(name);
  if (problem !== undefined) return complain(EXIT.invalid, problem);
  try {
    const { expires } = parseLimits(limits, (reason) => new LimitError(reason));
    if (expires !== undefined && isOver(expires, Date.now())) {
      throw new LimitError('expires: this day is over, so the key would be refused');
    }
  } catch (error) {
    if (error instanceof LimitError) return complain(EXIT.invalid, error.message);
    throw error;
  }
  const line = `${[`${name}=${createAccessKey()}`, ...limits].join(' ')}\n`;
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(line, resolve);
  });
  if (!error) return EXIT.ok;
  return complain(EXIT.failed, `the key could not be written (${codeOf(error) ?? 'unknown'}): run the command again`);
}

/** Does not show the argument, which may be a key. */
function unknownArgument(argument: string): string {
  if (/^PROXY_[A-Z0-9_]+=/.test(argument)) {
    return 'settings are environment variables: write NAME=VALUE before the command, not after it; see --help';
  }
  const [, word = ''] = /^-*([^=]*)/.exec(argument.toLowerCase()) ?? [];
  const option = word === 'v' ? '--version' : OPTIONS.find((name) => name === `--${word}`);
  return option === undefined ? 'unknown argument; see --help' : `unknown argument: did you mean ${option}? See --help`;
}

/** What to do in place of an argument such as `--port`; undefined for one that is not named like a setting. */
function misplacedSetting(argument: string): string | undefined {
  const [, name = ''] = /^--?([a-z][a-z0-9_-]*)(?:=|$)/i.exec(argument) ?? [];
  const variable = `PROXY_${name
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^PROXY_/, '')}`;
  if (!VARIABLES.some((known) => known.variable === variable)) return undefined;
  return `settings are environment variables: set ${variable} in place of --${name}; see --help`;
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h';
}

async function serve(environment: Values, mainFile: string): Promise<number | undefined> {
  let config: Config | undefined;
  let reload: SecretReload | undefined;
  let listening: 'port' | 'metricsPort' = 'port';
  try {
    const socket = takeSocket(process.env, process.pid);
    const paths = secretPaths(environment);
    const watch = await FileWatch.begin([...paths.values()], () => void reload?.load('file'));
    config = readConfig(environment, await readSecretFiles(paths));
    const log = new Log(config.logLevel, (text) => process.stderr.write(text));
    const tls = await TlsReload.begin(config, log);
    listening = 'metricsPort';
    const observer = await serveMetrics(config, log);
    listening = 'port';
    const service = await startService({
      config,
      log,
      mainFile,
      checksApiKey: config.checkApiKey,
      tls: tls?.first,
      socket,
      observer,
    });
    reload = new SecretReload(service, environment, paths, log);
    watch.start();
    tls?.start(service);
    reloadOnSignal(reload, tls);
    stopOnSignals(service, config, log); // before the first line: its reader may send a signal at once
    process.stdout.write(`sealed-proxy ${VERSION} listening on ${service.url}\n`);
    const access = describeAccess(config, Date.now());
    log.info('access', access);
    warnIfAllExpired(access, log);
    for (const warning of unknownVariables(environment)) log.warn('unknown_variable', warning);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return complain(EXIT.invalid, error.message + misspelledNames(environment));
    if (error instanceof SocketError) return complain(EXIT.invalid, error.message);
    if (config === undefined) throw error;
    const address = { host: config.host, port: config[listening] ?? 0 };
    const nameOf = (name: 'host' | 'port') => SCHEMA[name === 'port' ? listening : name].variable ?? name;
    const { exitCode, sentence } = listenFailure(error, address, nameOf);
    return complain(exitCode, sentence);
  }
}

/**
 * Why an address cannot be used to listen on.
 * @param nameOf the name of a setting where the user can change it
 */
export function listenFailure(
  error: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
  nameOf: (setting: 'host' | 'port') => string,
): { readonly exitCode: number; readonly sentence: string; readonly setting: 'host' | 'port' } {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE' || (code === 'EACCES' && process.platform === 'win32')) {
    const advice = `stop the other program, or set ${nameOf('port')} to another port (0 = any free one)`;
    return { exitCode: EXIT.portTaken, sentence: `port ${port} on ${host} is taken: ${advice}`, setting: 'port' };
  }
  if (code === 'EACCES') {
    const sentence = `port ${port} needs administrator rights: set ${nameOf('port')} to a port above 1023`;
    return { exitCode: EXIT.failed, sentence, setting: 'port' };
  }
  const cause =
    code === 'EADDRNOTAVAIL' ? `this computer has no address ${host}` : `cannot listen on ${host} (${code})`;
  const sentence = `${cause}: set ${nameOf('host')} to an address of this computer, such as 127.0.0.1`;
  return { exitCode: EXIT.failed, sentence, setting: 'host' };
}

/** Not on Windows, where the signal means that the console was closed. */
function reloadOnSignal(...reloads: readonly (SecretReload | TlsReload | undefined)[]): void {
  if (process.platform === 'win32') return;
  process.on('SIGHUP', () => {
    for (const reload of reloads) void reload?.load('SIGHUP');
  });
}

/**
 * The first signal makes the proxy unready, and then drains it; the second one ends it at once. Each request that is cut off
 * has its line in the log, and the last line counts them.
 */
function stopOnSignals(service: Service, { drainDelay, drain }: Config, log: Log): void {
  const second = new AbortController();
  let signals = 0;
  const stop = async (signal: NodeJS.Signals) => {
    log.info('stopping', { signal });
    service.announceStop();
    if (drainDelay > 0) await setTimeout(drainDelay, undefined, { signal: second.signal }).catch(() => undefined);
    const { finished, cutOff } = await service.stop(second.signal.aborted ? 0 : drain);
    log.info('stopped', { finished, cutOff });
    log.flush();
    process.exit(EXIT.ok);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    signals++;
    if (signals === 1) {
      void stop(signal);
    } else if (signals === 2) {
      second.abort();
      service.cutOff();
      void setTimeout(LAST_MOMENT).then(() => process.exit(EXIT.ok));
    } else {
      process.exit(EXIT.ok);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
