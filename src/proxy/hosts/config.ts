// All that a proxy is started with: the settings and the secrets.
import { randomBytes } from 'node:crypto';
import { isCredential } from '../../session/envelope.ts';
import { CACHE_ROOT_LENGTH } from '../../session/wire.ts';
import { ConfigError, listOf, readSettings, valueOf } from '../../settings/settings.ts';
import type { Settings, Values } from '../../settings/settings.ts';
import { fromBase64 } from '../../shared/bytes.ts';
import { isAccessKey } from '../../shared/accessKeys.ts';

export interface Config extends Settings {
  readonly apiKey: string | null;
  readonly accessKeys: readonly string[];
  /** 32 bytes. */
  readonly cacheNamespaceRoot: Uint8Array;
}

/**
 * The settings of the command line. A variable that is empty counts as not set.
 * @throws ConfigError for the first value that cannot be used
 */
export function readConfig(values: Values): Config {
  const apiKey = valueOf(values, 'PROXY_API_KEY');
  const accessKeys = listOf(values, 'PROXY_ACCESS_KEYS');
  const bothOrNeither = 'set PROXY_API_KEY and PROXY_ACCESS_KEYS together, or neither of them';
  if (apiKey !== undefined && accessKeys.length === 0)
    throw new ConfigError('PROXY_ACCESS_KEYS', undefined, bothOrNeither);
  if (apiKey === undefined && accessKeys.length > 0) throw new ConfigError('PROXY_API_KEY', undefined, bothOrNeither);
  return {
    ...readSettings(values),
    ...checkSecrets(apiKey ?? null, accessKeys),
    cacheNamespaceRoot: readCacheRoot(values),
  };
}

/**
 * Keys, however they came.
 * @throws ConfigError without the value
 */
export function checkSecrets(
  apiKey: string | null,
  accessKeys: readonly string[],
): Pick<Config, 'apiKey' | 'accessKeys'> {
  if (apiKey !== null && !isCredential(apiKey)) {
    throw new ConfigError('PROXY_API_KEY', undefined, 'a key has 1 to 16,384 visible ASCII characters and no space');
  }
  if (apiKey !== null && apiKey.startsWith('sealed-')) {
    throw new ConfigError('PROXY_API_KEY', undefined, "this is an access key of the proxy; set the upstream's key");
  }
  if (!accessKeys.every(isAccessKey)) {
    const allowed = 'an access key is "sealed-" and 43 characters of Base64url';
    throw new ConfigError('PROXY_ACCESS_KEYS', undefined, allowed);
  }
  return { apiKey, accessKeys };
}

/** @throws ConfigError without the value */
export function readCacheRoot(values: Values): Uint8Array {
  const text = valueOf(values, 'PROXY_CACHE_NAMESPACE_ROOT');
  if (text === undefined) return new Uint8Array(randomBytes(CACHE_ROOT_LENGTH));
  const root = fromBase64(text);
  if (root?.length === CACHE_ROOT_LENGTH) return root;
  throw new ConfigError('PROXY_CACHE_NAMESPACE_ROOT', undefined, 'it takes the Base64 of exactly 32 bytes');
}
