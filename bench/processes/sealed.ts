import { fileURLToPath } from 'node:url';
import { NodeTarget } from './target.ts';
import type { NodeOptions } from './target.ts';

/** Starts the bundle of the sealed proxy in front of this development enclave. */
export function startSealed(enclave: string, options: NodeOptions): Promise<NodeTarget> {
  const environment = { PROXY_PORT: '0', PROXY_BACKEND_URL: enclave, PROXY_LOG_LEVEL: 'error' };
  return NodeTarget.start(fileURLToPath(new URL('../../dist/proxy.js', import.meta.url)), [], {
    ...options,
    environment,
  });
}
