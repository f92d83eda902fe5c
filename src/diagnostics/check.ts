// What a check is, and what checks can read. A check changes nothing, and sees no key that it does not need.
import type { ConfigState } from '../assistants/adapters/assistant.ts';
import type { Judgement } from '../assistants/judging/judgement.ts';
import type { ModelOverrides } from '../settings/modelOverrides.ts';
import type { CompleteProxySettings } from '../settings/schema.ts';
import { errorMessage } from '../shared/errors.ts';
import type { NetworkSettings } from '../shared/messages.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import type { Probe } from '../supervisor/portProbe.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

export interface Check {
  readonly name: string;
  /** May throw, and may ignore the signal: see `runCheck()`. */
  readonly run: (signal: AbortSignal) => CheckResult | Promise<CheckResult>;
}

export interface CheckResult {
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The fact that was found, or why the check was skipped. */
  readonly finding: string;
  /** What the user can do, in sentences; empty if there is nothing to do. */
  readonly remedy: string;
  /** What the user must know even if no check failed, in a sentence. */
  readonly warning?: string;
}

export interface NamedResult extends CheckResult {
  readonly name: string;
}

export interface AssistantFinding {
  readonly name: string;
  readonly configState: ConfigState;
  readonly judgement: Judgement;
}

export interface DiagnosticsContext {
  readonly status: () => ProxyStatus;
  /** The number of recent crashes of the proxy process. */
  readonly crashes: () => number;
  readonly settings: () => CompleteProxySettings;
  readonly network: () => NetworkSettings;
  readonly modelOverrides: () => ModelOverrides;
  /** The environment variables that other programs see. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Finds out which program listens on a port. */
  readonly probe: (port: number) => Promise<Probe>;
  readonly withConnection: Supervisor['withConnection'];
  /** Checks the connection to the backend, which updates the status. */
  readonly refresh: () => Promise<void>;
  /** Which keys exist, without the keys themselves. */
  readonly keys: () => Promise<{ readonly hasApiKey: boolean; readonly accessKeys: number }>;
  /** The assistants that can be connected, and their current configuration. */
  readonly assistants: () => Promise<readonly AssistantFinding[]>;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** The time limit of one check, in milliseconds. */
  readonly limit: number;
}

export function passed(finding: string, remedy = ''): CheckResult {
  return { outcome: 'passed', finding, remedy };
}

export function failed(finding: string, remedy: string): CheckResult {
  return { outcome: 'failed', finding, remedy };
}

export function skipped(reason: string): CheckResult {
  return { outcome: 'skipped', finding: reason, remedy: '' };
}

/** For other checks that fail while the backend cannot be used: names the one that says what to do. */
export function whereRemedyIs({ verified }: RunningStatus): string {
  return `See "${verified === null ? 'Handshake' : 'Models'}".`;
}

/** What helps while something has not finished yet. */
export const RUN_AGAIN = 'Run the diagnostics again in a few seconds.';

const SEE_LOG = '"Sealed Proxy: Show Log" may show the reason.';

/**
 * Runs a check. Never rejects: an error or a timeout is a failed check.
 * @param limit in milliseconds; the signal of the check aborts after that
 */
export async function runCheck(run: Check['run'], limit: number): Promise<CheckResult> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => {
      resolve(failed(`No result within ${limit / 1000} s`, `Run the diagnostics again. ${SEE_LOG}`));
      abort.abort();
    }, limit);
  });
  try {
    return await Promise.race([(async () => run(abort.signal))(), timeout]);
  } catch (error) {
    return failed(errorMessage(error), SEE_LOG);
  } finally {
    clearTimeout(timer);
  }
}
