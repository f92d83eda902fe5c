// Everything a proxy is started with: settings and secrets.
import { randomBytes } from 'node:crypto';
import { isCredential } from '../../session/envelope.ts';
import { CACHE_ROOT_LENGTH } from '../../session/wire.ts';
import { fileVariable, readEnvironment, textOf } from '../../settings/environment.ts';
import type { Values } from '../../settings/environment.ts';
import { IN_QUOTES, isQuoted } from '../../settings/kinds.ts';
import { ConfigError } from '../../settings/proxyConfig.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import { SECRETS } from '../../settings/schema.ts';
import type { SecretName } from '../../settings/schema.ts';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { fromBase64 } from '../../shared/bytes.ts';
import { AccessKeys } from '../server/accessKeys.ts';
import { KEY_RULE, parseKeyFile, parseKeyVariable } from './accessKeyList.ts';
import type { AccessKeyList } from './accessKeyList.ts';

export interface Config extends ProxyConfig {
  readonly apiKey: string | null;
  readonly accessKeys: readonly string[];
  /** The names of clients on the command line, by the id of their access key. */
  readonly clientNames?: AccessKeyList['clientNames'];
  /** The same for the limits of access keys. */
  readonly keyLimits?: AccessKeyList['keyLimits'];
  /** 32 bytes. */
  readonly cacheNamespaceRoot: Uint8Array;
}

/** A secret that was read from a file. */
export interface SecretFile {
  /** For messages. */
  readonly path: string;
  readonly text: string;
}

/** The files of the secrets that are in files. */
export type SecretFiles = Readonly<Partial<Record<SecretName, SecretFile>>>;

/** The secrets of the command line. */
export interface Secrets extends AccessKeyList {
  readonly apiKey: string | null;
  /** 32 bytes; null: it is not set. */
  readonly cacheNamespaceRoot: Uint8Array | null;
}

/**
 * The configuration of the command line.
 * @throws ConfigError for the first value that cannot be used
 */
export function readConfig(values: Values, files: SecretFiles = {}): Config {
  const secrets = readSecrets(values, files);
  const settings = readEnvironment(values);
  if (settings.accessKeysOnly && secrets.accessKeys.length === 0) {
    throw new ConfigError('accessKeysOnly', 'no client could use the proxy: set PROXY_API_KEY and PROXY_ACCESS_KEYS');
  }
  const { metricsPort } = settings;
  if (metricsPort !== null && metricsPort !== 0 && metricsPort === settings.port) {
    throw new ConfigError('metricsPort', 'it must differ from PROXY_PORT', String(metricsPort));
  }
  return { ...settings, ...secrets, cacheNamespaceRoot: secrets.cacheNamespaceRoot ?? randomBytes(CACHE_ROOT_LENGTH) };
}

/**
 * The secrets of the command line, from variables and files.
 * @throws ConfigError, which shows the file and the line, and nothing else
 */
export function readSecrets(values: Values, files: SecretFiles): Secrets {
  const list = read('accessKeys', checkAccessKeys) ?? { accessKeys: [], clientNames: new Map(), keyLimits: new Map() };
  const apiKey = read('apiKey', (text, refuse) => checkApiKey(text, list.accessKeys, refuse)) ?? null;
  if ((apiKey === null) !== (list.accessKeys.length === 0)) {
    const missing = apiKey === null ? 'apiKey' : 'accessKeys';
    throw new ConfigError(
      missing,
      'it is missing or empty: set PROXY_API_KEY and PROXY_ACCESS_KEYS together, or neither of them',
    );
  }
  return { apiKey, ...list, cacheNamespaceRoot: read('cacheNamespaceRoot', checkCacheRoot) ?? null };

  function read<Used>(name: SecretName, check: (text: string, refuse: Refuse, isFile: boolean) => Used) {
    const file = files[name];
    const text = file === undefined ? textOf(values, name) : file.text.trim();
    if (text === undefined) return undefined;
    const refuse: Refuse = (reason, line) => {
      if (file === undefined) return new ConfigError(name, reason);
      const place = line === undefined ? file.path : `${file.path}, line ${line}`;
      return new ConfigError(name, `${place}: ${reason}`, undefined, fileVariable(name));
    };
    if (text === '') throw refuse('the file is empty');
    const { variable } = SECRETS[name];
    if (text.startsWith(`${variable}=`)) throw refuse(`the value begins with ${variable}=; remove that part`);
    const isList = file !== undefined && name === 'accessKeys';
    return check(isList ? file.text : text, refuse, file !== undefined); // lines are counted from the file's first one
  }
}

/** Makes the error for a secret that cannot be used, in a line of its file. */
type Refuse = (reason: string, line?: number) => Error;

/** @throws ConfigError, which does not show the keys */
export function checkKeys({ apiKey, accessKeys }: Pick<Config, 'apiKey' | 'accessKeys'>) {
  if (!accessKeys.every(isAccessKey)) throw new ConfigError('accessKeys', KEY_RULE);
  if (apiKey !== null) checkApiKey(apiKey, accessKeys, (reason) => new ConfigError('apiKey', reason));
  return { apiKey, accessKeys };
}

/** The backend must not see an access key, as such or as a part of what should be the API key. */
function checkApiKey(text: string, accessKeys: readonly string[], refuse: Refuse): string {
  if (new AccessKeys(null, accessKeys).isIn('key', text)) {
    throw refuse('this contains an access key of the proxy; set the API key of the backend');
  }
  if (isQuoted(text)) {
    throw refuse('the key is in quotes; remove them (docker --env-file and systemd keep some quotes)');
  }
  if (!isCredential(text)) {
    const remedy = /\s/.test(text) ? '; set the key alone, without Bearer, comments or a second key' : '';
    throw refuse(`a key has 1 to 16,384 visible ASCII characters and no space or line break${remedy}`);
  }
  return text;
}

function checkAccessKeys(text: string, refuse: Refuse, isFile: boolean): AccessKeyList {
  if (!isFile) return parseKeyVariable(text, refuse);
  const list = parseKeyFile(text, (line, reason) => refuse(reason, line));
  if (list.accessKeys.length === 0) throw refuse('the file has no access key');
  return list;
}

/**
 * @returns 32 bytes
 * @throws ConfigError, which does not show the text
 */
export function parseCacheRoot(text: string): Uint8Array {
  return checkCacheRoot(text.trim(), (reason) => new ConfigError('cacheNamespaceRoot', reason));
}

function checkCacheRoot(text: string, refuse: Refuse): Uint8Array {
  const root = fromBase64(text);
  if (root?.length === CACHE_ROOT_LENGTH) return root;
  const allowed = 'it must be the Base64 of exactly 32 bytes, as openssl rand -base64 32 makes it';
  throw refuse(isQuoted(text) ? IN_QUOTES : allowed);
}
