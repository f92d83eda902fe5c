import { startEnclave } from '../../../src/devEnclave/server.ts';
import type { EnclaveOptions, RunningEnclave } from '../../../src/devEnclave/server.ts';

const { error } = console;
const muted: unknown[][] = [];

/** Collects what would be written to stderr, until a test of a suite that uses enclaves is over. */
export function muteErrors(): readonly unknown[][] {
  muted.length = 0;
  console.error = (...message: unknown[]) => {
    muted.push(message);
  };
  return muted;
}

/** Enclaves for the tests of the suite that calls this: each is closed behind the test that started it. */
export function useEnclaves(): (options?: EnclaveOptions) => Promise<RunningEnclave> {
  const running: RunningEnclave[] = [];
  afterEach(async () => {
    console.error = error;
    await Promise.all(running.splice(0).map((enclave) => enclave.close()));
  });
  return async (options = {}) => {
    const enclave = await startEnclave(options);
    running.push(enclave);
    return enclave;
  };
}
