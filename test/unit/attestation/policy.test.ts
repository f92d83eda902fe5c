import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { type PcrHistory, parseHistory } from '../../../src/attestation/history.ts';
import { type Environment, PINS } from '../../../src/attestation/pins.ts';
import { type Pcr0Policy, approveByHistory, approveByPolicy } from '../../../src/attestation/policy.ts';
import { type VerifiedAttestation, verifyAttestation } from '../../../src/attestation/verify.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import { encodePayload, payloadFields, signPayload } from '../../../src/devEnclave/attestation/document.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const AUTHORITY = createAuthority(NOW);
const NONCE = new Uint8Array(32).fill(1);
const UNKNOWN = 'a'.repeat(96);
const DEBUG = '0'.repeat(96);
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });

function verified(pcrs: ReadonlyMap<number, Uint8Array>): VerifiedAttestation {
  const options = { nonce: NONCE, publicKey: null, userData: null, timestamp: NOW };
  const payload = encodePayload(new Map([...payloadFields(AUTHORITY, options), ['pcrs', pcrs]]));
  const document = signPayload(payload, AUTHORITY.leaf);
  return verifyAttestation(document, { anchors: AUTHORITY.anchors, now: NOW, nonce: NONCE });
}

/** A verified document of the enclave image with this PCR0. */
function image(pcr0: string): VerifiedAttestation {
  return verified(new Map([[0, Buffer.from(pcr0, 'hex')]]));
}

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

describe('approveByPolicy() and approveByHistory()', () => {
  for (const [environment, other] of [
    ['production', 'development'],
    ['development', 'production'],
  ] as const) {
    it(`approves images pinned for ${environment} and none pinned only for ${other}`, () => {
      for (const pcr0 of PINS[environment].pcr0) {
        const approval = approveByPolicy(image(pcr0), policy(environment));
        assert.equal(approval?.source, 'pinned');
        assert.equal(approval.pcr0, pcr0);
        assert.equal(approval.environment, environment);
        assert.equal(approveByPolicy(image(pcr0), policy(other)), undefined);
      }
    });
  }

  it('approves values that the user adds, with their source', () => {
    const approval = approveByPolicy(image(UNKNOWN), policy('production', 'b'.repeat(96), UNKNOWN));
    assert.equal(approval?.source, 'additional');
    assert.equal(approval.attestation.moduleId, 'i-development-enc0');
  });

  it('names the pin as the source if the user adds the same value', () => {
    const [pcr0 = ''] = PINS.production.pcr0;
    assert.equal(approveByPolicy(image(pcr0), policy('production', pcr0))?.source, 'pinned');
  });

  it('leaves other images to the history', () => {
    assert.equal(approveByPolicy(image(UNKNOWN), policy('production')), undefined);
    assert.equal(
      approveByPolicy(image(UNKNOWN), policy('production', 'b'.repeat(96), UNKNOWN.slice(1), '')),
      undefined,
    );
  });

  it('approves images that the history of the environment signs', () => {
    const approval = approveByHistory(image(UNKNOWN), policy('production'), historyOf('production', UNKNOWN));
    assert.equal(approval.source, 'history');
    assert.equal(approval.environment, 'production');
    assert.equal(approval.pcr0, UNKNOWN);
    assert.equal(approval.attestation.moduleId, 'i-development-enc0');
  });

  it('rejects images that the history does not sign', () => {
    const history = historyOf('production', 'b'.repeat(96));
    assert.throws(() => approveByHistory(image(UNKNOWN), policy('production'), history), {
      code: 'pcr0_not_approved',
      message: `the enclave runs an image that is not trusted for production, with PCR0 ${UNKNOWN}`,
    });
  });

  it('rejects the history of the other environment even if it signs the image', () => {
    for (const [environment, other] of [
      ['production', 'development'],
      ['development', 'production'],
    ] as const) {
      const approve = (): unknown => approveByHistory(image(UNKNOWN), policy(environment), historyOf(other, UNKNOWN));
      assert.throws(approve, {
        code: 'history_invalid',
        message: `the ${other} history cannot approve for ${environment}`,
      });
    }
  });

  it('rejects images pinned for the other environment even if the history signs them', () => {
    for (const [environment, other] of [
      ['production', 'development'],
      ['development', 'production'],
    ] as const) {
      for (const pcr0 of PINS[other].pcr0) {
        const history = historyOf(environment, pcr0, UNKNOWN);
        assert.ok(history.approves(pcr0));
        assert.throws(() => approveByHistory(image(pcr0), policy(environment), history), {
          code: 'pcr0_not_approved',
          message: `the enclave runs an image that is not trusted for ${environment}, with PCR0 ${pcr0}`,
        });
        assert.equal(approveByHistory(image(UNKNOWN), policy(environment), history).pcr0, UNKNOWN);
      }
    }
  });

  it('rejects debug mode even if the user adds it or the history signs it', () => {
    assert.throws(() => approveByPolicy(image(DEBUG), policy('development', DEBUG)), { code: 'debug_mode' });
    const history = historyOf('development', DEBUG);
    assert.ok(history.approves(DEBUG));
    assert.throws(() => approveByHistory(image(DEBUG), policy('development', DEBUG), history), { code: 'debug_mode' });
  });

  it('rejects a document without PCR0', () => {
    const [pcr0 = ''] = PINS.production.pcr0;
    const attestation = verified(new Map([[1, Buffer.from(pcr0, 'hex')]]));
    assert.throws(() => approveByPolicy(attestation, policy('production')), { code: 'pcr0_not_approved' });
  });

  it('checks no other PCR', () => {
    const [pcr0 = ''] = PINS.production.pcr0;
    const pinned = Buffer.from(pcr0, 'hex');
    const attestation = verified(
      new Map([
        [0, new Uint8Array(48).fill(1)],
        [1, pinned],
        [2, pinned],
      ]),
    );
    assert.equal(approveByPolicy(attestation, policy('production')), undefined);
  });
});
