import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { digestOf } from '../../../src/attestation/evidence.ts';
import { PINS } from '../../../src/attestation/pins.ts';
import { verifyEvidence } from '../../../src/attestation/verifyEvidence.ts';
import type { Step, VerifierTrust } from '../../../src/attestation/verifyEvidence.ts';
import type { Evidence, EvidenceCheck } from '../../../src/shared/evidence.ts';
import { EVIDENCE_FOLDER, SETTING_PCR0, readRoot } from '../../support/evidenceFixtures.ts';

const TRUST: VerifierTrust = { anchors: { roots: [readRoot()] }, additionalPcr0: [SETTING_PCR0] };

function read(name: string): Evidence {
  return JSON.parse(readFileSync(new URL(`${name}.json`, EVIDENCE_FOLDER), 'utf8')) as Evidence;
}

function failed(steps: readonly Step[]): string[] {
  return steps.filter(({ result }) => result === 'fail').map(({ id }) => id);
}

function forged(value: Evidence): Evidence {
  return { ...value, digest: digestOf(value) };
}

/** The second valid form of an ECDSA signature on P-384 (Base64). */
function withOtherS(signature: string): string {
  const order = BigInt(`0x${'f'.repeat(48)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`);
  const hex = Buffer.from(signature, 'base64').toString('hex');
  const s = (order - BigInt(`0x${hex.slice(96)}`)).toString(16).padStart(96, '0');
  return Buffer.from(hex.slice(0, 96) + s, 'hex').toString('base64');
}

describe('verifyEvidence()', () => {
  it('does not notice the changes that docs/evidence.md lists', () => {
    const [pin, setting, history] = [read('pin'), read('setting'), read('history')];
    const change = (evidence: Evidence, id: string, examined: EvidenceCheck['examined'], fields: Partial<Evidence>) => {
      const checks = evidence.checks.map((check) =>
        check.id === id ? { ...check, examined: { ...check.examined, ...examined } } : check,
      );
      return { ...evidence, checks, ...fields };
    };
    const entry = history.approval;
    assert.ok(entry?.by === 'history');
    const url = PINS.development.historyUrl;
    const moved = { ...entry, url };
    const verifiedAt = '2026-01-15T15:00:00.000Z';
    const [pcr1, timestamp] = ['00'.repeat(48), 1];
    const bySetting = change(history, 'image_approved', {}, { approval: { by: 'setting' } });
    const recorded = { pcr0: history.pcr0 ?? '', by: 'setting' };
    const checks = bySetting.checks.map((check) =>
      check.id === 'image_approved' ? { ...check, examined: recorded } : check,
    );
    const signature = withOtherS(entry.signature);
    const trustHistory = { ...TRUST, additionalPcr0: [history.pcr0 ?? ''] };
    const document = Buffer.from(pin.attestationDocument, 'base64');
    const other = withOtherS(document.subarray(-96).toString('base64'));
    const signed = Buffer.concat([document.subarray(0, -96), Buffer.from(other, 'base64')]);
    const attestationDocument = signed.toString('base64');
    const sha256 = createHash('sha256').update(signed).digest('hex');
    const hashed = change(pin, 'document_format', { sha256 }, { attestationDocument });
    for (const [what, value, trust] of [
      ['signature of the document', change(hashed, 'document_signature', { signature: other }, {}), TRUST],
      ['version', { ...pin, version: '9.9.9' }, TRUST],
      ['backend', { ...pin, backend: 'https://other.example' }, TRUST],
      ['verifiedAt', change(pin, 'certificate_validity', { time: verifiedAt }, { verifiedAt }), TRUST],
      ['environment of a setting', { ...setting, environment: 'development' }, TRUST],
      [
        'environment of a history',
        change(history, 'image_approved', { url }, { environment: 'development', approval: moved }),
        TRUST,
      ],
      [
        'pcr1 and timestamp of an entry',
        change(
          history,
          'image_approved',
          { pcr1, timestamp: String(timestamp) },
          { approval: { ...entry, pcr1, timestamp } },
        ),
        TRUST,
      ],
      ['setting in place of a history', { ...bySetting, checks }, trustHistory],
      [
        'signature of an entry',
        change(history, 'image_approved', { signature }, { approval: { ...entry, signature } }),
        TRUST,
      ],
    ] as const) {
      assert.deepEqual(failed(verifyEvidence(forged(value), trust)), [], what);
    }
    assert.deepEqual(failed(verifyEvidence(forged({ ...bySetting, checks }), TRUST)), ['image_approved']);
  });
});
