// src/extension/doctor looks at everything once and says what to do. It must not import the editor, change anything, or
// see a key that it does not need. This file: what a check is.
import type { NetworkSettings } from '../shared/messages.ts';
import type { ProxyStatus } from '../shared/status.ts';
import type { ConfigState } from '../assistants/types.ts';
import type { ModelOverrides } from '../chat/models.ts';
import type { VerifiedConnection, Probe } from '../supervisor/localProxy.ts';
import type { CompleteSettings } from '../supervisor/supervisorHost.ts';

export interface CheckResult {
  readonly result: 'ok' | 'failed' | 'skipped';
  /** What was found; of one that was skipped, why. */
  readonly value: string;
  /** A sentence of what to do; empty where there is nothing to do. */
  readonly advice: string;
}

export interface Check {
  readonly name: string;
  /** Never throws, and ends in the time that it has. */
  run(): Promise<CheckResult>;
}

/** What the checks look at. */
export interface DoctorContext {
  readonly status: () => ProxyStatus;
  /** How often the process ended by itself lately. */
  readonly crashes: () => number;
  readonly settings: () => CompleteSettings;
  readonly network: () => NetworkSettings;
  readonly modelOverrides: () => ModelOverrides;
  /** The environment variables that other programs see. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whose a port is. */
  readonly probe: (port: number) => Promise<Probe>;
  /** A connection that has proved to be ours, which the caller ends. */
  readonly connect: () => Promise<{ readonly line: VerifiedConnection; readonly accessKey: string }>;
  /** Asks the backend, so that the status is of now. */
  readonly refresh: () => Promise<void>;
  /** What there is, not what it says. */
  readonly keys: () => Promise<{ readonly hasApiKey: boolean; readonly accessKeys: number }>;
  /** The assistants that are written for the person, and what they are set to. */
  readonly assistants: () => Promise<readonly { readonly name: string; readonly configState: ConfigState }[]>;
  /** Milliseconds of any clock that never jumps. */
  readonly clock: () => number;
  /** How long one check may take, in milliseconds. */
  readonly limit: number;
}

export type Running = Extract<ProxyStatus, { kind: 'running' }>;

export function ok(value: string, advice = ''): CheckResult {
  return { result: 'ok', value, advice };
}

export function failed(value: string, advice: string): CheckResult {
  return { result: 'failed', value, advice };
}

export function skipped(why: string): CheckResult {
  return { result: 'skipped', value: why, advice: '' };
}

/**
 * A check of this name.
 * @param limit in milliseconds; what `act` does is told to end after that
 */
export function check(
  name: string,
  limit: number,
  act: (signal: AbortSignal) => CheckResult | Promise<CheckResult>,
): Check {
  return { name, run: () => inTime(limit, act) };
}

async function inTime(
  limit: number,
  act: (signal: AbortSignal) => CheckResult | Promise<CheckResult>,
): Promise<CheckResult> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => {
      resolve(failed(`no result within ${limit / 1000} s`, 'Run this again; the log may say what hangs.'));
      abort.abort();
    }, limit);
  });
  const acting = async () => act(abort.signal);
  try {
    return await Promise.race([acting(), tooLong]);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error), 'The log may say more.');
  } finally {
    clearTimeout(timer);
  }
}
