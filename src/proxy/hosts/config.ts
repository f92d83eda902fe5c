// Everything a proxy is started with: settings and secrets.
import { randomBytes } from 'node:crypto';
import { isCredential } from '../../session/envelope.ts';
import { CACHE_ROOT_LENGTH } from '../../session/wire.ts';
import { readEnvironment, textOf } from '../../settings/environment.ts';
import type { Values } from '../../settings/environment.ts';
import { splitList } from '../../settings/kinds.ts';
import { ConfigError } from '../../settings/proxyConfig.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { fromBase64, toBase64 } from '../../shared/bytes.ts';

export interface Config extends ProxyConfig {
  readonly apiKey: string | null;
  readonly accessKeys: readonly string[];
  /** 32 bytes. */
  readonly cacheNamespaceRoot: Uint8Array;
}

/**
 * The configuration of the command line.
 * @throws ConfigError for the first value that cannot be used
 */
export function readConfig(values: Values): Config {
  const apiKey = textOf(values, 'apiKey') ?? null;
  if (apiKey !== null && /^(["'`]).*\1$/.test(apiKey)) {
    throw new ConfigError(
      'apiKey',
      'the key is in quotes; remove them (docker --env-file and systemd keep some quotes)',
    );
  }
  const accessKeys = splitList(textOf(values, 'accessKeys') ?? '');
  if ((apiKey === null) !== (accessKeys.length === 0)) {
    const missing = apiKey === null ? 'apiKey' : 'accessKeys';
    throw new ConfigError(missing, 'set PROXY_API_KEY and PROXY_ACCESS_KEYS together, or neither of them');
  }
  const cacheRoot = textOf(values, 'cacheNamespaceRoot') ?? toBase64(randomBytes(CACHE_ROOT_LENGTH));
  return {
    ...readEnvironment(values),
    ...checkKeys({ apiKey, accessKeys }),
    cacheNamespaceRoot: parseCacheRoot(cacheRoot),
  };
}

/** @throws ConfigError, which does not show the keys */
export function checkKeys({ apiKey, accessKeys }: Pick<Config, 'apiKey' | 'accessKeys'>) {
  if (apiKey !== null && !isCredential(apiKey)) {
    throw new ConfigError('apiKey', 'a key has 1 to 16,384 visible ASCII characters and no space');
  }
  if (apiKey?.startsWith('sealed-') === true) {
    throw new ConfigError('apiKey', 'this is an access key of the proxy; set the API key of the backend');
  }
  if (!accessKeys.every(isAccessKey)) {
    throw new ConfigError('accessKeys', 'an access key is "sealed-" and 43 characters of Base64url');
  }
  return { apiKey, accessKeys };
}

/**
 * @returns 32 bytes
 * @throws ConfigError, which does not show the text
 */
export function parseCacheRoot(text: string): Uint8Array {
  const root = fromBase64(text.trim());
  if (root?.length === CACHE_ROOT_LENGTH) return root;
  throw new ConfigError('cacheNamespaceRoot', 'it must be the Base64 of exactly 32 bytes');
}
