import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type PcrHistory, parseHistory } from '../../../src/attestation/history.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../../src/attestation/pins.ts';
import type { Environment } from '../../../src/attestation/pins.ts';
import { approveImage, localApproval, measuredImage } from '../../../src/attestation/policy.ts';
import type { Pcr0Policy } from '../../../src/attestation/policy.ts';
import { listedImage } from '../../support/evidenceFixtures.ts';

const UNKNOWN = 'a'.repeat(96);
const [PINNED = ''] = PINS.production.pcr0;
const ENVIRONMENTS = [
  ['production', 'development'],
  ['development', 'production'],
] as const;
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });

function policy(environment: Environment, ...additional: readonly string[]): Pcr0Policy {
  return { environment, additional };
}

/** A history that properly signs these values. */
function historyOf(environment: Environment, ...values: readonly string[]): PcrHistory {
  const entries = values.map((PCR0) => {
    const signature = sign('sha384', Buffer.from(PCR0), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return { PCR0, PCR1: UNKNOWN, PCR2: UNKNOWN, timestamp: 1, signature: signature.toString('base64') };
  });
  const key = publicKey.export({ format: 'der', type: 'spki' });
  return parseHistory(Buffer.from(JSON.stringify(entries)), environment, key);
}

describe('measuredImage()', () => {
  const measured = (...pcrs: readonly (readonly [number, string])[]) =>
    measuredImage({ pcrs: new Map(pcrs.map(([index, hex]) => [index, Buffer.from(hex, 'hex')])) });

  it('is PCR0 in hex, whatever the others are', () => {
    assert.equal(measured([0, UNKNOWN], [1, PINNED], [2, PINNED]), UNKNOWN);
  });

  it('rejects debug mode', () => {
    assert.throws(() => measured([0, '0'.repeat(96)]), { code: 'debug_mode' });
  });

  it('rejects a document without PCR0', () => {
    assert.throws(() => measured([1, PINNED]), { code: 'pcr0_not_approved' });
  });
});

describe('localApproval()', () => {
  for (const [environment, other] of ENVIRONMENTS) {
    it(`approves images pinned for ${environment} and none pinned only for ${other}`, () => {
      for (const pcr0 of PINS[environment].pcr0) {
        assert.deepEqual(localApproval(pcr0, policy(environment)), { by: 'pin' });
        assert.equal(localApproval(pcr0, policy(other)), undefined);
      }
    });
  }

  it('approves values that the user adds', () => {
    const added = policy('production', 'b'.repeat(96), UNKNOWN);
    assert.deepEqual(localApproval(UNKNOWN, added), { by: 'setting' });
  });

  it('names the pin if the user adds the same value', () => {
    assert.deepEqual(localApproval(PINNED, policy('production', PINNED)), { by: 'pin' });
  });

  it('leaves other images to the history', () => {
    assert.equal(localApproval(UNKNOWN, policy('production')), undefined);
    assert.equal(localApproval(UNKNOWN, policy('production', 'b'.repeat(96), UNKNOWN.slice(1), '')), undefined);
  });
});

describe('approveImage()', () => {
  it('asks the policy first, which needs no history', () => {
    const history = historyOf('production', PINNED, UNKNOWN);
    assert.deepEqual(approveImage(PINNED, policy('production'), history), { by: 'pin' });
    assert.deepEqual(approveImage(UNKNOWN, policy('production', UNKNOWN), undefined), { by: 'setting' });
  });

  it('approves an image that the history of the environment signs, with its entry', () => {
    const { pcr0, approval } = listedImage();
    const bytes = readFileSync(new URL('../../fixtures/pcr-history-prod.json', import.meta.url));
    const history = parseHistory(bytes, 'production', HISTORY_VERIFICATION_KEY);
    assert.deepEqual(approveImage(pcr0, policy('production'), history), approval);
  });

  it('rejects images that the history does not sign, or without a history', () => {
    for (const history of [historyOf('production', 'b'.repeat(96)), undefined]) {
      assert.throws(() => approveImage(UNKNOWN, policy('production'), history), {
        code: 'pcr0_not_approved',
        message: `the enclave runs an image that is not trusted for production, with PCR0 ${UNKNOWN}`,
      });
    }
  });

  for (const [environment, other] of ENVIRONMENTS) {
    it(`rejects the history of ${other} for ${environment} even if it signs the image`, () => {
      assert.throws(() => approveImage(UNKNOWN, policy(environment), historyOf(other, UNKNOWN)), {
        code: 'history_invalid',
        message: `the ${other} history cannot approve for ${environment}`,
      });
    });

    it(`rejects images pinned for ${other} even if the history of ${environment} signs them`, () => {
      for (const pcr0 of PINS[other].pcr0) {
        const history = historyOf(environment, pcr0, UNKNOWN);
        assert.ok(history.approves(pcr0));
        assert.throws(() => approveImage(pcr0, policy(environment), history), {
          code: 'pcr0_not_approved',
          message: `the enclave runs an image that is not trusted for ${environment}, with PCR0 ${pcr0}`,
        });
        assert.equal(approveImage(UNKNOWN, policy(environment), history).by, 'history');
      }
    });
  }
});
