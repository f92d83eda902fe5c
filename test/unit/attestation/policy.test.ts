import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parseHistory, type PcrHistory } from '../../../src/attestation/history.ts';
import { HISTORY_VERIFICATION_KEY, PINS, type Environment } from '../../../src/attestation/pins.ts';
import { parsePcr0 } from '../../../src/shared/pcr0.ts';
import { approveByHistory, approveByPolicy, type Pcr0Policy } from '../../../src/attestation/policy.ts';
import { verifyAttestation, type VerifiedAttestation } from '../../../src/attestation/verify.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import { encodePayload, payloadFields, signPayload } from '../../../src/devEnclave/attestation/document.ts';
import { fromBase64, fromHex } from '../../../src/shared/bytes.ts';

interface PinsFixture {
  readonly historyVerificationKeySpkiBase64: string;
  readonly production: { readonly historyUrl: string; readonly pcr0: readonly string[] };
  readonly development: { readonly historyUrl: string; readonly pcr0: readonly string[] };
}

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
  return verified(new Map([[0, fromHex(pcr0) ?? assert.fail()]]));
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

describe('the pins', () => {
  it('are those of the published list', () => {
    const text = readFileSync(new URL('../../fixtures/pcr0-pins.json', import.meta.url), 'utf8');
    const { historyVerificationKeySpkiBase64, production, development } = JSON.parse(text) as PinsFixture;
    assert.deepEqual(PINS, { production, development });
    assert.deepEqual(
      Buffer.from(HISTORY_VERIFICATION_KEY),
      Buffer.from(fromBase64(historyVerificationKeySpkiBase64) ?? []),
    );
  });

  it('are never in both environments', () => {
    assert.deepEqual(
      PINS.production.pcr0.filter((pcr0) => PINS.development.pcr0.includes(pcr0)),
      [],
    );
  });
});

describe('the PCR0 policy', () => {
  for (const [environment, other] of [
    ['production', 'development'],
    ['development', 'production'],
  ] as const) {
    it(`approves what is pinned for ${environment}, and nothing that is pinned for ${other} only`, () => {
      for (const pcr0 of PINS[environment].pcr0) {
        const approval = approveByPolicy(image(pcr0), policy(environment));
        assert.equal(approval?.source, 'pinned');
        assert.equal(approval.pcr0, pcr0);
        assert.equal(approval.environment, environment);
        assert.equal(approveByPolicy(image(pcr0), policy(other)), undefined);
      }
    });
  }

  it('approves what the user adds, and says so', () => {
    const approval = approveByPolicy(image(UNKNOWN), policy('production', 'b'.repeat(96), UNKNOWN));
    assert.equal(approval?.source, 'additional');
    assert.equal(approval.attestation.moduleId, 'i-development-enc0');
  });

  it('names the pin when the user has added the same value', () => {
    const [pcr0 = ''] = PINS.production.pcr0;
    assert.equal(approveByPolicy(image(pcr0), policy('production', pcr0))?.source, 'pinned');
  });

  it('leaves what neither knows to the history', () => {
    assert.equal(approveByPolicy(image(UNKNOWN), policy('production')), undefined);
    assert.equal(
      approveByPolicy(image(UNKNOWN), policy('production', 'b'.repeat(96), UNKNOWN.slice(1), '')),
      undefined,
    );
  });

  it('approves what the history of the environment signs', () => {
    const approval = approveByHistory(image(UNKNOWN), policy('production'), historyOf('production', UNKNOWN));
    assert.equal(approval.source, 'history');
    assert.equal(approval.environment, 'production');
    assert.equal(approval.pcr0, UNKNOWN);
    assert.equal(approval.attestation.moduleId, 'i-development-enc0');
  });

  it('refuses what the history does not sign', () => {
    const history = historyOf('production', 'b'.repeat(96));
    assert.throws(() => approveByHistory(image(UNKNOWN), policy('production'), history), {
      code: 'pcr0_not_approved',
      message: `the enclave runs an image that is not approved for production, with PCR0 ${UNKNOWN}`,
    });
  });

  it('refuses the history of the other environment, even where it signs the image', () => {
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

  it('refuses what is pinned for the other environment, even where the history of this one signs it', () => {
    for (const [environment, other] of [
      ['production', 'development'],
      ['development', 'production'],
    ] as const) {
      for (const pcr0 of PINS[other].pcr0) {
        const history = historyOf(environment, pcr0, UNKNOWN);
        assert.ok(history.approves(pcr0));
        assert.throws(() => approveByHistory(image(pcr0), policy(environment), history), {
          code: 'pcr0_not_approved',
          message: `the enclave runs an image that is not approved for ${environment}, with PCR0 ${pcr0}`,
        });
        assert.equal(approveByHistory(image(UNKNOWN), policy(environment), history).pcr0, UNKNOWN);
      }
    }
  });

  it('refuses debug mode, even when the user adds it or the history signs it', () => {
    assert.throws(() => approveByPolicy(image(DEBUG), policy('development', DEBUG)), { code: 'debug_mode' });
    const history = historyOf('development', DEBUG);
    assert.ok(history.approves(DEBUG));
    assert.throws(() => approveByHistory(image(DEBUG), policy('development', DEBUG), history), { code: 'debug_mode' });
  });

  it('refuses a document that measures no image', () => {
    const [pcr0 = ''] = PINS.production.pcr0;
    const attestation = verified(new Map([[1, fromHex(pcr0) ?? assert.fail()]]));
    assert.throws(() => approveByPolicy(attestation, policy('production')), { code: 'pcr0_not_approved' });
  });

  it('judges PCR0 alone', () => {
    const [pcr0 = ''] = PINS.production.pcr0;
    const pinned = fromHex(pcr0) ?? assert.fail();
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

describe('a PCR0 value as people write it', () => {
  it('may be in upper case and have space around it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 48, maxLength: 48 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex');
        assert.equal(parsePcr0(` ${hex.toUpperCase()}\n`), hex);
        assert.equal(parsePcr0(hex), hex);
      }),
    );
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      UNKNOWN.slice(1),
      `${UNKNOWN}a`,
      `0x${UNKNOWN}`,
      'g'.repeat(96),
      `${UNKNOWN}\n${UNKNOWN}`,
    ]) {
      assert.equal(parsePcr0(text), undefined);
    }
  });
});
