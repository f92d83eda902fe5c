import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { canonicalJson, digestOf, makeEvidence } from '../../../src/attestation/evidence.ts';
import { PINS } from '../../../src/attestation/pins.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import { parseEvidence } from '../../../src/shared/evidence.ts';
import { EVIDENCE_TIME, SETTING_PCR0, evidenceOf, listedImage } from '../../support/evidenceFixtures.ts';

const AUTHORITY = createAuthority(EVIDENCE_TIME);
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
    const evidence = evidenceOf(AUTHORITY, { pcr0: Buffer.from(pcr0, 'hex') }, { additional: [pcr0] });
    assert.deepEqual(evidence.approval, { by: 'pin' });
  });

  it('records the entry of the history, after checking its signature again', () => {
    const { pcr0, approval } = listedImage();
    const document = { pcr0: Buffer.from(pcr0, 'hex') };
    assert.deepEqual(evidenceOf(AUTHORITY, document, { additional: [], approval }).approval, approval);
    assert.ok(approval.by === 'history');
    const forged = { ...approval, signature: Buffer.alloc(96).toString('base64') };
    const refused = evidenceOf(AUTHORITY, document, { additional: [], approval: forged });
    assert.equal(refused.approval, null);
    assert.equal(refused.checks.find(({ result }) => result === 'fail')?.id, 'image_approved');
  });

  it('has no keys or measurements of a document that cannot be parsed', () => {
    const evidence = evidenceOf(AUTHORITY, {}, { bytes: new Uint8Array(0) });
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
      environment: 'production',
      approve: undefined,
      bytes: new Uint8Array(3),
      challenge: new Uint8Array(32),
      clientPublicKey: new Uint8Array(32),
      at: EVIDENCE_TIME,
    } as const;
    assert.deepEqual(makeEvidence(source), makeEvidence(source));
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
