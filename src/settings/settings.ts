// The settings: which there are, what they may be, and what is said where they are not. From the environment of the
// command line or from the editor, by one table of rules.
import { isIP } from 'node:net';
import type { NetworkSettings } from '../shared/messages.ts';
import { parsePcr0 } from '../shared/pcr0.ts';
import { isLoopback, withoutBrackets } from './loopback.ts';
import { parseOriginPattern } from './origins.ts';
import type { OriginPattern } from './origins.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where the enclave is. Plain http means a developer's own backend on this computer, which is not verified. */
export interface Backend {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What stands in front of the paths of the protocol; empty or `/...` without a slash at the end. */
  readonly basePath: string;
  readonly verified: boolean;
  readonly loopback: boolean;
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly backend: Backend;
  /** Which enclave images may be talked to; PCR0 values as `parsePcr0` returns them. */
  readonly policy: { readonly environment: 'production' | 'development'; readonly additional: readonly string[] };
  /** In milliseconds. */
  readonly requestTimeout: number;
  /** In milliseconds. */
  readonly streamIdleTimeout: number;
  /** Lower-case names without port. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly OriginPattern[];
  readonly logLevel: LogLevel;
}

/** A value that cannot be used. The message names the variable, the value unless it is secret, and what is allowed. */
export class ConfigError extends Error {
  readonly variable: Variable | 'HTTPS_PROXY';

  constructor(variable: Variable | 'HTTPS_PROXY', value: string | undefined, allowed: string) {
    super(`${variable}${value === undefined ? '' : `=${printable(value)}`} cannot be used: ${allowed}`);
    this.name = 'ConfigError';
    this.variable = variable;
  }
}

/** The variables of the command line, as the help text lists them. */
export const VARIABLES = [
  ['PROXY_HOST', '127.0.0.1', 'address to listen on; anything but loopback opens the proxy to the network'],
  ['PROXY_PORT', '14114', 'port to listen on, 0 = any free port'],
  ['PROXY_BACKEND_URL', 'https://enclave.trymaple.ai', 'the enclave; http only on loopback'],
  ['PROXY_PCR0_ENVIRONMENT', 'production', 'which enclave images are approved: production or development'],
  ['PROXY_ADDITIONAL_PCR0', '', 'further approved images: PCR0 values of 96 hex digits, comma-separated'],
  ['PROXY_REQUEST_TIMEOUT_SECS', '300', 'seconds for a response to start, or for a whole one that is not streamed'],
  ['PROXY_STREAM_IDLE_TIMEOUT_SECS', '300', 'seconds between two pieces of a stream'],
  ['PROXY_API_KEY', '', "the upstream's key, for clients that send an access key (secret)"],
  ['PROXY_ACCESS_KEYS', '', 'access keys for local clients, comma-separated (secret)'],
  ['PROXY_CACHE_NAMESPACE_ROOT', '(random)', 'Base64 of 32 bytes that keep the prompt cache apart (secret)'],
  ['PROXY_ALLOWED_HOSTS', '', 'further names clients may use in the Host header, comma-separated'],
  ['PROXY_ALLOWED_ORIGINS', 'vscode-webview://*,vscode-file://*', 'web origins that may call, comma-separated'],
  ['PROXY_LOG_LEVEL', 'info', LOG_LEVELS.join(', ')],
] as const;

export type Variable = (typeof VARIABLES)[number][0];
export type Values = Readonly<Partial<Record<Variable, string>>>;

const DEFAULTS = new Map<Variable, string>(VARIABLES.map(([name, value]) => [name, value]));
const PROXY_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:']);
const MAX_TIMEOUT_SECONDS = 2_000_000; // a timer of Node holds no more than 2^31 ms

/**
 * All settings that are no secrets.
 * @throws ConfigError for the first value that cannot be used
 */
export function readSettings(values: Values): Settings {
  return {
    host: readHost(values),
    port: readPort(values),
    backend: readBackend(values),
    policy: { environment: readEnvironment(values), additional: readAdditionalPcr0(values) },
    ...readLiveSettings(values),
  };
}

export type LiveSettings = Pick<
  Settings,
  'requestTimeout' | 'streamIdleTimeout' | 'allowedHosts' | 'allowedOrigins' | 'logLevel'
>;

/**
 * The settings that may change while the proxy runs.
 * @throws ConfigError for the first value that cannot be used
 */
export function readLiveSettings(values: Values): LiveSettings {
  return {
    requestTimeout: readSeconds(values, 'PROXY_REQUEST_TIMEOUT_SECS'),
    streamIdleTimeout: readSeconds(values, 'PROXY_STREAM_IDLE_TIMEOUT_SECS'),
    allowedHosts: readAllowedHosts(values),
    allowedOrigins: readAllowedOrigins(values),
    logLevel: readLogLevel(values),
  };
}

/**
 * The URL of a company's proxy: of the settings, or else of the environment; empty for none.
 * @throws ConfigError
 */
export function readProxyUrl(
  { httpsProxy }: NetworkSettings,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const value = httpsProxy ?? environment['https_proxy'] ?? environment['HTTPS_PROXY'] ?? '';
  if (value === '' || isProxyUrl(value)) return value;
  const shown = value.includes('@') ? undefined : value; // what stands before an @ may be a password
  throw new ConfigError('HTTPS_PROXY', shown, 'it takes the URL of a proxy such as http://proxy.example:3128');
}

function isProxyUrl(value: string): boolean {
  try {
    const { protocol, username, password } = new URL(value);
    decodeURIComponent(username + password); // as the connection to the proxy will
    return PROXY_PROTOCOLS.has(protocol);
  } catch {
    return false;
  }
}

function readHost(values: Values): string {
  const host = withoutBrackets(text(values, 'PROXY_HOST'));
  if (isIP(host) !== 0 || host === 'localhost') return host;
  throw new ConfigError('PROXY_HOST', host, 'it takes an IP address such as 127.0.0.1 or 0.0.0.0, or localhost');
}

function readPort(values: Values): number {
  const port = text(values, 'PROXY_PORT');
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
  throw new ConfigError('PROXY_PORT', port, 'a port is a whole number from 0 to 65535');
}

function readBackend(values: Values): Backend {
  const value = text(values, 'PROXY_BACKEND_URL');
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // What stands before an @ may be a password, and what stands behind a ? or # a token.
  const shown = value.includes('@') ? undefined : value.replace(/[?#].*/s, '');
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ConfigError('PROXY_BACKEND_URL', shown, 'it takes a URL such as https://enclave.trymaple.ai');
  }
  if (url.username !== '' || url.password !== '' || /[?#@]/.test(value)) {
    const allowed = 'the URL must have no user name, password, query or fragment';
    throw new ConfigError('PROXY_BACKEND_URL', shown, allowed);
  }
  const loopback = isLoopback(url.hostname);
  const verified = url.protocol === 'https:';
  if (!verified && !loopback) {
    const allowed = 'http is for a development backend on this computer (localhost, 127.0.0.1, [::1]); use https';
    throw new ConfigError('PROXY_BACKEND_URL', shown, allowed);
  }
  return { origin: url.origin, basePath: url.pathname.replace(/(?<!\/)\/+$/, ''), verified, loopback };
}

function readEnvironment(values: Values): Settings['policy']['environment'] {
  const environment = text(values, 'PROXY_PCR0_ENVIRONMENT');
  if (environment === 'production' || environment === 'development') return environment;
  throw new ConfigError('PROXY_PCR0_ENVIRONMENT', environment, 'it takes production or development');
}

function readAdditionalPcr0(values: Values): string[] {
  return listOf(values, 'PROXY_ADDITIONAL_PCR0').map((value) => {
    const pcr0 = parsePcr0(value);
    if (pcr0 !== undefined && !/^0+$/.test(pcr0)) return pcr0;
    const allowed = 'a PCR0 value has 96 hex digits, not all zero (that is an enclave in debug mode)';
    throw new ConfigError('PROXY_ADDITIONAL_PCR0', value, allowed);
  });
}

function readSeconds(values: Values, name: Variable): number {
  const value = text(values, name);
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0;
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds * 1000;
  throw new ConfigError(name, value, `it takes seconds, above 0 and at most ${MAX_TIMEOUT_SECONDS}`);
}

function readAllowedHosts(values: Values): string[] {
  return listOf(values, 'PROXY_ALLOWED_HOSTS').map((value) => {
    const host = withoutBrackets(value.toLowerCase());
    if (isIP(host) !== 0 || /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host)) return host;
    throw new ConfigError('PROXY_ALLOWED_HOSTS', value, 'it takes host names or addresses without a port');
  });
}

function readAllowedOrigins(values: Values): OriginPattern[] {
  return listOf(values, 'PROXY_ALLOWED_ORIGINS').map((value) => {
    const pattern = parseOriginPattern(value);
    if (pattern !== undefined) return pattern;
    const allowed = 'it takes origins such as https://app.example or vscode-webview://*';
    throw new ConfigError('PROXY_ALLOWED_ORIGINS', value, allowed);
  });
}

function readLogLevel(values: Values): LogLevel {
  const value = text(values, 'PROXY_LOG_LEVEL');
  const level = LOG_LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  throw new ConfigError('PROXY_LOG_LEVEL', value, `it takes ${LOG_LEVELS.join(', ')}`);
}

function text(values: Values, name: Variable): string {
  return valueOf(values, name) ?? DEFAULTS.get(name) ?? '';
}

/** What is set, without the space around it. */
export function valueOf(values: Values, name: Variable): string | undefined {
  const value = values[name]?.trim();
  return value === '' ? undefined : value;
}

/** The items of a comma-separated value. */
export function listOf(values: Values, name: Variable): string[] {
  return text(values, name)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** One line, whatever was typed. */
function printable(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1);
  return escaped.length > 200 ? `${escaped.slice(0, 200)}...` : escaped;
}
