import assert from 'node:assert/strict';
import type { DiagnosticsContext, NamedResult } from '../../src/diagnostics/check.ts';
import { CHECK_LIMIT } from '../../src/diagnostics/diagnose.ts';
import type { HostInfo } from '../../src/diagnostics/report.ts';
import { AT, runningStatus } from './statuses.ts';
import { SETTINGS } from './supervisors.ts';

export const HOST: HostInfo = {
  version: '1.2.3',
  commit: 'c0ffee',
  programs: [{ name: 'proxy.js', sha256: 'ab12' }],
  platform: 'linux x64',
  node: '24.0.0',
  editor: 'Visual Studio Code 1.125.0',
  remote: undefined,
  at: AT,
};

/** A proxy that has just started. */
export const RUNNING = runningStatus({
  url: 'http://127.0.0.1:1',
  port: 1,
  verified: null,
  establishedAt: null,
  health: { kind: 'checking' },
});

/** A context without a proxy process. */
export function makeContext(change: Partial<DiagnosticsContext> = {}): DiagnosticsContext {
  return {
    status: () => RUNNING,
    crashes: () => 0,
    settings: () => ({ ...SETTINGS, port: 1, backendUrl: RUNNING.backendUrl }),
    network: () => ({}),
    modelOverrides: () => ({}),
    environment: {},
    probe: () => Promise.resolve({ kind: 'free' }),
    withConnection: () => Promise.reject(new Error('No connection')),
    refresh: () => Promise.resolve(),
    keys: () => Promise.resolve({ hasApiKey: true, accessKeys: 1 }),
    assistants: () => Promise.resolve([]),
    clock: () => performance.now(),
    limit: CHECK_LIMIT,
    ...change,
  };
}

export function resultNamed(results: readonly NamedResult[], name: string): NamedResult {
  const found = results.find((result) => result.name === name);
  assert.ok(found, name);
  return found;
}

const STEP = 'Attestation: ';

/** The outcomes by name, and the outcomes of the attestation steps as one word. */
export function outline(results: readonly NamedResult[]): Readonly<Record<string, string>> {
  const [steps, others] = [true, false].map((isStep) => results.filter(({ name }) => name.startsWith(STEP) === isStep));
  return {
    ...Object.fromEntries((others ?? []).map(({ name, outcome }) => [name, outcome])),
    steps: (steps ?? []).map(({ outcome }) => ({ passed: '✓', failed: '✗', skipped: '–' })[outcome]).join(''),
  };
}
