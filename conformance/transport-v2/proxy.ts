// How this project's own client is started.
import { fileURLToPath } from 'node:url';
import type { Command } from './client.ts';

export const PROXY: Command = {
  program: process.execPath,
  args: [fileURLToPath(new URL('../../dist/proxy.js', import.meta.url))],
  env: {
    PROXY_PORT: '{port}',
    PROXY_BACKEND_URL: '{enclave}',
    PROXY_REQUEST_TIMEOUT_SECS: '{timeout}',
    PROXY_STREAM_IDLE_TIMEOUT_SECS: '{timeout}',
  },
};
