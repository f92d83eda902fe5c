import assert from 'node:assert/strict';
import { STEPS, stepOutcomes } from '../../../src/presentation/attestationSteps.ts';
import type { StepOutcome } from '../../../src/presentation/attestationSteps.ts';
import { CHECKS, CHECK_IDS } from '../../../src/shared/checks.ts';
import { VERIFIED, refusedFor, runningStatus } from '../../support/statuses.ts';

const MARKS: Readonly<Record<StepOutcome['result'], string>> = {
  passed: '✓',
  failed: '✗',
  notReached: '–',
  notChecked: '?',
};
const marks = (status: Parameters<typeof stepOutcomes>[0]) =>
  stepOutcomes(status)
    .map(({ result }) => MARKS[result])
    .join('');

describe('stepOutcomes()', () => {
  it('has passed every check of a verified session, and says what was found', () => {
    const outcomes = stepOutcomes(runningStatus({ verified: VERIFIED }));
    assert.ok(outcomes.every(({ result }) => result === 'passed'));
    const found = outcomes.map((outcome) => outcome.found).join('\n');
    assert.match(found, /On the production list built into the extension/);
    assert.match(found, /Last certificate: 2026-01-15T11:59:59Z to 2026-01-15T13:00:00Z/);
  });

  it('says why the image is trusted', () => {
    const found = (approvedBy: 'additional' | 'history') =>
      stepOutcomes(runningStatus({ verified: { ...VERIFIED, approvedBy } })).at(
        STEPS.findIndex(({ id }) => id === 'image_approved'),
      )?.found;
    assert.equal(found('additional'), 'Added by you (sealedProxy.additionalPcr0)');
    assert.equal(found('history'), 'In the signed history of production images');
  });

  for (const [code, detail, failing] of [
    ...CHECK_IDS.flatMap((id) => CHECKS[id].errors.map((error) => ['attestation_refused', error, id] as const)),
    ['attestation_refused', 'clock', 'certificate_validity'],
    ['history_unavailable', null, 'image_approved'],
    ['session_id_mismatch', null, 'session_id'],
    ['weak_public_key', null, 'session_id'],
  ] as const) {
    it(`says which check failed, and which passed before: ${detail ?? code}`, () => {
      const before = STEPS.findIndex(({ id }) => id === failing);
      const expected = `${'✓'.repeat(before)}✗`.padEnd(STEPS.length, '–');
      assert.equal(marks(refusedFor(code, detail)), expected);
    });
  }

  it('counts no check as reached after the challenge failed', () => {
    assert.equal(marks(refusedFor('attestation_refused', 'nonce_mismatch')).slice(0, 6), '✓✓✓✓✗–');
  });

  it('counts no check as passed without a session, without a failed check, or for a development backend', () => {
    const nothing = '?'.repeat(STEPS.length);
    for (const status of [
      { kind: 'off' },
      runningStatus({ verified: null }),
      runningStatus({ verified: { kind: 'development', moduleId: null }, backendUrl: 'http://127.0.0.1:9' }),
      refusedFor('network', 'ECONNREFUSED'),
    ] as const) {
      assert.equal(marks(status), nothing);
    }
    const development = { ...refusedFor('attestation_refused', 'nonce_mismatch'), backendUrl: 'http://127.0.0.1:9' };
    assert.equal(marks(development), '????✗'.padEnd(STEPS.length, '?'));
  });
});

describe('STEPS', () => {
  it('has the checks of the evidence in their order, and then that of the session ID', () => {
    assert.deepEqual(
      STEPS.map(({ id }) => id),
      [...CHECK_IDS, 'session_id'],
    );
  });
});
