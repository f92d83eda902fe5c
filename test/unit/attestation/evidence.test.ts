import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { approvalOf, canonicalJson, digestOf, makeEvidence } from '../../../src/attestation/evidence.ts';
import { parseHistory } from '../../../src/attestation/history.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../../src/attestation/pins.ts';
import { approveByHistory, approveByPolicy } from '../../../src/attestation/policy.ts';
import { verifyAttestation } from '../../../src/attestation/verify.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import { makeSignedDocument } from '../../../src/devEnclave/attestation/document.ts';
import { parseEvidence } from '../../../src/shared/evidence.ts';
import { EVIDENCE_TIME, SETTING_PCR0, evidenceOf, listedImage } from '../../support/evidenceFixtures.ts';

const AUTHORITY = createAuthority(EVIDENCE_TIME);
const NONCE = new Uint8Array(32).fill(1);
const NOTHING = { environment: 'production', additional: [] } as const;

function image(pcr0: string) {
  const document = makeSignedDocument(AUTHORITY, {
    nonce: NONCE,
    publicKey: null,
    userData: null,
    timestamp: EVIDENCE_TIME,
    pcr0: Buffer.from(pcr0, 'hex'),
  });
  return verifyAttestation(document, { anchors: AUTHORITY.anchors, now: EVIDENCE_TIME, nonce: NONCE });
}

describe('makeEvidence()', () => {
  it('makes a file of the documented form, in which every check has passed', () => {
    const evidence = evidenceOf(AUTHORITY);
    assert.deepEqual(parseEvidence(JSON.parse(JSON.stringify(evidence))), evidence);
    assert.ok(evidence.checks.every(({ result }) => result === 'pass'));
    assert.deepEqual([evidence.pcr0, evidence.approval], [SETTING_PCR0, { by: 'setting' }]);
    assert.equal(evidence.digest, digestOf(evidence));
  });

  it('records the pin, even if a setting has the image too', () => {
    const [pcr0 = ''] = PINS.production.pcr0;
    const policy = { environment: 'production', additional: [pcr0] } as const;
    const evidence = evidenceOf(AUTHORITY, { pcr0: Buffer.from(pcr0, 'hex') }, { policy });
    assert.deepEqual(evidence.approval, { by: 'pin' });
  });

  it('records the entry of the history, after checking its signature again', () => {
    const { pcr0, approval } = listedImage();
    const document = { pcr0: Buffer.from(pcr0, 'hex') };
    assert.deepEqual(evidenceOf(AUTHORITY, document, { policy: NOTHING, approval }).approval, approval);
    assert.ok(approval.by === 'history');
    const forged = { ...approval, signature: Buffer.alloc(96).toString('base64') };
    const refused = evidenceOf(AUTHORITY, document, { policy: NOTHING, approval: forged });
    assert.equal(refused.approval, null);
    assert.equal(refused.checks.find(({ result }) => result === 'fail')?.id, 'image_approved');
  });

  it('has no keys or measurements of a document that cannot be parsed', () => {
    const evidence = evidenceOf(AUTHORITY, {}, { document: new Uint8Array(0) });
    assert.deepEqual([evidence.serverPublicKey, evidence.pcr0, evidence.attestationDocument], [null, null, '']);
    assert.ok(parseEvidence(evidence));
  });

  it('has the measurement and the key that a refused document claims', () => {
    const evidence = evidenceOf(AUTHORITY, {}, { anchors: { roots: [] } });
    assert.deepEqual([evidence.pcr0, evidence.serverPublicKey?.length], [SETTING_PCR0, 44]);
    assert.equal(evidenceOf(AUTHORITY, { publicKey: new Uint8Array(31) }).serverPublicKey, null);
  });

  it('depends on nothing but its source', () => {
    const source = {
      version: '1.0.0',
      backend: 'https://enclave.example',
      anchors: AUTHORITY.anchors,
      policy: NOTHING,
      approval: null,
      document: new Uint8Array(3),
      challenge: NONCE,
      clientPublicKey: NONCE,
      at: EVIDENCE_TIME,
    };
    assert.deepEqual(makeEvidence(source), makeEvidence(source));
  });
});

describe('approvalOf()', () => {
  it('names what approved the image in the handshake', () => {
    const [pinned = ''] = PINS.production.pcr0;
    const pin = approveByPolicy(image(pinned), NOTHING);
    const setting = approveByPolicy(image(SETTING_PCR0), { ...NOTHING, additional: [SETTING_PCR0] });
    assert.ok(pin && setting);
    assert.deepEqual([approvalOf(pin), approvalOf(setting)], [{ by: 'pin' }, { by: 'setting' }]);
    const { pcr0, approval } = listedImage();
    const bytes = readFileSync(new URL('../../fixtures/pcr-history-prod.json', import.meta.url));
    const history = parseHistory(bytes, 'production', HISTORY_VERIFICATION_KEY);
    assert.deepEqual(approvalOf(approveByHistory(image(pcr0), NOTHING, history)), approval);
  });
});

describe('canonicalJson()', () => {
  it('sorts names at every level, and writes no white space', () => {
    const value = { b: 1, a: [{ d: null, c: 'x' }, 'é\n"\\\u0001'], B: '€' };
    assert.equal(canonicalJson(value), '{"B":"€","a":[{"c":"x","d":null},"é\\n\\"\\\\\\u0001"],"b":1}');
  });

  it('does not depend on the order in which names were given', () => {
    const evidence = evidenceOf(AUTHORITY);
    const reversed = Object.fromEntries(Object.entries(evidence).reverse());
    assert.equal(canonicalJson(reversed), canonicalJson(evidence));
  });
});

describe('digestOf()', () => {
  it('is the SHA-256 of the canonical JSON of all other fields', () => {
    const { digest, ...rest } = evidenceOf(AUTHORITY);
    assert.equal(digest, createHash('sha256').update(canonicalJson(rest), 'utf8').digest('hex'));
  });
});
