import assert from 'node:assert/strict';
import { describeClockSkew } from '../../../src/attestation/validity.ts';
import { backendChecks } from '../../../src/diagnostics/backendChecks.ts';
import { runCheck } from '../../../src/diagnostics/check.ts';
import type { DiagnosticsContext, NamedResult } from '../../../src/diagnostics/check.ts';
import { CHECK_LIMIT } from '../../../src/diagnostics/diagnose.ts';
import type { Health, ProxyStatus, RunningStatus } from '../../../src/shared/status.ts';
import { RUNNING, makeContext, outline, resultNamed } from '../../support/diagnostics.ts';
import { AT } from '../../support/statuses.ts';

const refused = (detail: string, message: string): Health => {
  const failure = { at: AT, code: 'attestation_refused', detail, message };
  const cause = detail === 'clock' ? 'clock' : 'attestation';
  return { kind: 'unreachable', cause, message, failure, checkedAt: AT, retryAt: null };
};

describe('backendChecks()', () => {
  const run = async (status: ProxyStatus, change: Partial<DiagnosticsContext> = {}) => {
    const results: NamedResult[] = [];
    for (const { name, run } of backendChecks(makeContext({ status: () => status, ...change }))) {
      results.push({ name, ...(await runCheck(run, CHECK_LIMIT)) });
    }
    return results;
  };
  const runWith = (change: Partial<RunningStatus>) => run({ ...RUNNING, ...change });

  it('skips everything while the proxy is not running', async () => {
    const results = await run({ kind: 'off' });
    assert.ok(results.every(({ outcome }) => outcome === 'skipped'));
    assert.equal(resultNamed(results, 'API key').finding, 'Set, but not tested. Sealed Proxy is off in this window.');
    assert.equal(resultNamed(results, 'Models').finding, 'Not tested. Sealed Proxy is off in this window.');
  });

  it('explains why the attestation of a development backend is not verified', async () => {
    const backendUrl = 'http://127.0.0.1:2';
    const stepsOf = (results: readonly NamedResult[]) =>
      new Set(results.filter(({ name }) => name.startsWith('Attestation: ')).map(({ finding }) => finding));
    const connected = await runWith({ backendUrl, verified: { kind: 'development', moduleId: null } });
    assert.deepEqual([...stepsOf(connected)], ['Not verified: the document of a development backend is not signed']);
    assert.match(resultNamed(connected, 'Handshake').warning ?? '', /development backend, which is not verified\.$/);
    const failed = await runWith({ backendUrl, health: refused('nonce_mismatch', 'A different challenge') });
    assert.deepEqual([...stepsOf(failed)], ['Not verified: the handshake failed', 'Failed']);
    assert.equal(outline(failed)['steps'], '––––✗––––––');
  });

  it('reports each attestation step that passed before one failed', async () => {
    const results = await runWith({ health: refused('signature', 'The signature is wrong') });
    assert.equal(outline(results)['steps'], '✓✓✓✗–––––––');
    assert.equal(resultNamed(results, 'System clock').outcome, 'skipped');
  });

  it('reports that the clock of this computer is hours ahead, and how to correct it', async () => {
    const skew = describeClockSkew(5 * 3_600_000);
    const message = `The attestation failed: ${skew}: set its date and time, then try again`;
    const results = await runWith({ health: refused('clock', message) });
    const { outcome, finding, remedy } = resultNamed(results, 'System clock');
    assert.deepEqual([outcome, finding], ['failed', "About 5 hours ahead of the enclave's clock"]);
    assert.match(remedy, /Set this computer's date and time/);
    const { finding: handshake, remedy: none } = resultNamed(results, 'Handshake');
    assert.deepEqual([handshake, none], ['Failed: see "System clock" (attestation_refused, clock)', '']);
    assert.equal(outline(results)['steps'], '✓✓✓✓✓✗–––––');
  });

  for (const [seconds, outcome] of [
    [2, 'passed'],
    [-3600, 'failed'],
    [3600, 'failed'],
  ] as const) {
    it(`compares the clock of a verified enclave with that of this computer: ${seconds} s`, async () => {
      const verified = {
        kind: 'verified',
        environment: 'production',
        pcr0: 'ab'.repeat(48),
        approvedBy: 'additional',
        moduleId: 'i-1',
        timestamp: AT,
        certificateNotBefore: AT - 1000,
        certificateNotAfter: AT + 3_600_000,
        document: '',
      } as const;
      const results = await runWith({ verified, establishedAt: AT + seconds * 1000 });
      const clock = resultNamed(results, 'System clock');
      assert.equal(clock.outcome, outcome);
      assert.match(clock.finding, seconds < 0 ? /behind/ : /ahead of/);
      assert.match(
        resultNamed(results, 'Handshake').finding,
        /^Verified enclave \(production\); last successful handshake at/,
      );
      assert.equal(outline(results)['steps'], '✓'.repeat(11));
    });
  }
});
