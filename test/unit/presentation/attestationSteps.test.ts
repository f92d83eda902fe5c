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
      stepOutcomes(runningStatus({ verified: { ...VERIFIED, approvedBy } }))[7]?.found;
    assert.equal(found('additional'), 'Added by you (sealedProxy.additionalPcr0)');
    assert.equal(found('history'), 'In the signed history of production images');
  });

  for (const [code, detail, expected] of [
    ['attestation_refused', 'malformed_document', '✗––––––––––'],
    ['attestation_refused', 'untrusted_root', '✓✗–––––––––'],
    ['attestation_refused', 'certificate_chain', '✓✓✗––––––––'],
    ['attestation_refused', 'signature', '✓✓✓✗–––––––'],
    ['attestation_refused', 'nonce_mismatch', '✓✓✓✓✗––––––'],
    ['attestation_refused', 'certificate_expired', '✓✓✓✓✓✗–––––'],
    ['attestation_refused', 'clock', '✓✓✓✓✓✗–––––'],
    ['attestation_refused', 'debug_mode', '✓✓✓✓✓✓✗––––'],
    ['attestation_refused', 'pcr0_not_approved', '✓✓✓✓✓✓✓✗–––'],
    ['history_unavailable', null, '✓✓✓✓✓✓✓✗–––'],
    ['attestation_refused', 'public_key_mismatch', '✓✓✓✓✓✓✓✓✗––'],
    ['attestation_refused', 'user_data_mismatch', '✓✓✓✓✓✓✓✓✓✗–'],
    ['session_id_mismatch', null, '✓✓✓✓✓✓✓✓✓✓✗'],
  ] as const) {
    it(`says which check failed, and which passed before: ${detail ?? code}`, () => {
      assert.equal(marks(refusedFor(code, detail)), expected);
    });
  }

  it('says which check failed for every error of the checks', () => {
    for (const [index, id] of CHECK_IDS.entries()) {
      for (const code of CHECKS[id].errors) {
        const outcomes = stepOutcomes(refusedFor('attestation_refused', code));
        assert.equal(
          outcomes.findIndex(({ result }) => result === 'failed'),
          index,
          code,
        );
      }
    }
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
    assert.equal(marks(development), '????✗??????');
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
