import { startEnclave } from '../../../src/devEnclave/server.ts';
import type { EnclaveOptions, RunningEnclave } from '../../../src/devEnclave/server.ts';

const { error } = console;
const muted: unknown[][] = [];

/** Collects the output of console.error until the end of the current test. Requires `useEnclaves` in the suite. */
export function muteErrors(): readonly unknown[][] {
  muted.length = 0;
  console.error = (...message: unknown[]) => {
    muted.push(message);
  };
  return muted;
}

/** Returns a function that starts enclaves, which are closed after the test that started them. */
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
