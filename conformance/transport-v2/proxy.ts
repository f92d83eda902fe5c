// How this project's own client is started.
import { fileURLToPath } from 'node:url';
import type { Command } from './client.ts';

const fromRoot = (path: string) => new URL(`../../${path}`, import.meta.url);
const PROXY_FILE = fileURLToPath(fromRoot('dist/proxy.js'));

export const PROXY: Command = {
  program: process.execPath,
  args: [PROXY_FILE],
  env: {
    PROXY_PORT: '{port}',
    PROXY_BACKEND_URL: '{enclave}',
    PROXY_REQUEST_TIMEOUT_SECS: '{timeout}',
    PROXY_STREAM_IDLE_TIMEOUT_SECS: '{timeout}',
  },
};

/**
 * The same with timers that are 20 times as fast, for tests: almost every case takes the pause of a second between two
 * handshakes. The limits are ten times as long, so that they stay far above what an answer takes.
 */
export function quickProxy(file = PROXY_FILE): Command {
  return {
    ...PROXY,
    args: ['--import', fromRoot('test/support/quickTimers.mjs').href, file],
    env: { ...PROXY.env, PROXY_REQUEST_TIMEOUT_SECS: '{timeout}0', PROXY_STREAM_IDLE_TIMEOUT_SECS: '{timeout}0' },
  };
}
