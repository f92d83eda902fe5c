import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { digestOf } from '../../../src/attestation/evidence.ts';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
import { isVerified, verifyBareDocument, verifyEvidence } from '../../../src/attestation/verifyEvidence.ts';
import type { Step, VerifierTrust } from '../../../src/attestation/verifyEvidence.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import { makeSignedDocument } from '../../../src/devEnclave/attestation/document.ts';
import { CHECK_IDS } from '../../../src/shared/checks.ts';
import { findFormatError } from '../../../src/shared/evidence.ts';
import type { Evidence } from '../../../src/shared/evidence.ts';
import { alterationsOf } from '../../support/alterations.ts';
import { EVIDENCE_FOLDER, EVIDENCE_TIME, SETTING_PCR0, evidenceOf, readRoot } from '../../support/evidenceFixtures.ts';
import { REAL_DOCUMENT, REAL_LEAF_NOT_AFTER, REAL_NONCE, REAL_TIME } from '../../support/realDocument.ts';

const HOUR = 3_600_000;
const STEPS = ['file_format', 'file_digest', ...CHECK_IDS, 'verified_at', 'recorded_values'];
const TRUST: VerifierTrust = { anchors: { roots: [readRoot()] }, additionalPcr0: [SETTING_PCR0] };
const AUTHORITY = createAuthority(EVIDENCE_TIME);
const OWN: VerifierTrust = { anchors: AUTHORITY.anchors, additionalPcr0: [SETTING_PCR0] };

function read(name: string): Evidence {
  return JSON.parse(readFileSync(new URL(`${name}.json`, EVIDENCE_FOLDER), 'utf8')) as Evidence;
}

function failed(steps: readonly Step[]): string[] {
  return steps.filter(({ result }) => result === 'fail').map(({ id }) => id);
}

function skipped(steps: readonly Step[]): string[] {
  return steps.filter(({ result }) => result === 'skipped').map(({ id }) => id);
}

/** With the digest that fits its other fields: a forger can calculate it. */
function forged(value: unknown): unknown {
  return { ...(value as Evidence), digest: digestOf(value as Evidence) };
}

describe('verifyEvidence()', () => {
  for (const name of ['pin', 'history', 'setting']) {
    it(`verifies the example of an image that was approved by: ${name}`, () => {
      const steps = verifyEvidence(read(name), TRUST);
      assert.deepEqual(failed(steps), []);
      assert.deepEqual(
        steps.map(({ id }) => id),
        STEPS,
      );
      assert.ok(isVerified(steps));
    });
  }

  for (const [name, step] of [
    ['document', 'document_format'],
    ['root', 'trusted_root'],
    ['challenge', 'challenge'],
    ['expired', 'certificate_validity'],
    ['debug-mode', 'debug_mode'],
    ['server-key', 'server_key'],
    ['client-key', 'client_key'],
  ] as const) {
    it(`does not verify the example of an enclave that was refused: ${name}`, () => {
      const steps = verifyEvidence(read(`refused-${name}`), TRUST);
      const tooLate = name === 'expired' ? ['verified_at'] : [];
      assert.deepEqual(failed(steps), [step, ...tooLate, 'recorded_values']);
      const later = CHECK_IDS.slice(CHECK_IDS.indexOf(step) + 1);
      const noChain = ['document', 'root'].includes(name) ? ['verified_at'] : [];
      assert.deepEqual(skipped(steps), [...later, ...noChain]);
      const cause = steps.at(-1)?.cause ?? '';
      assert.match(cause, new RegExp(`^the proxy refused this enclave: ${step} \\(\\w+\\)$`));
    });
  }

  it('does not verify a file of a refused enclave even if the verifier trusts its image or another time', () => {
    assert.deepEqual(failed(verifyEvidence(read('refused-image'), TRUST)), ['recorded_values']);
    assert.deepEqual(failed(verifyEvidence(read('refused-image'), { ...TRUST, additionalPcr0: [] })), [
      'image_approved',
      'recorded_values',
    ]);
    assert.deepEqual(failed(verifyEvidence(read('refused-expired'), TRUST, EVIDENCE_TIME)), [
      'verified_at',
      'recorded_values',
    ]);
  });

  it('does not take the word of the file for an image that a setting approved', () => {
    const steps = verifyEvidence(read('setting'), { ...TRUST, additionalPcr0: ['ab'.repeat(48)] });
    assert.deepEqual([failed(steps), skipped(steps)], [['image_approved'], ['server_key', 'client_key']]);
  });

  it('verifies nothing under the root of AWS that a different authority has signed', () => {
    const steps = verifyEvidence(read('pin'), { ...TRUST, anchors: AWS_NITRO_ROOT });
    assert.deepEqual(failed(steps), ['trusted_root', 'recorded_values']);
  });

  it('verifies for another time within the validity of the certificates, and no other', () => {
    for (const [at, expected] of [
      [EVIDENCE_TIME + 3 * HOUR, []],
      [EVIDENCE_TIME + 3 * HOUR + 1, ['certificate_validity']],
      [EVIDENCE_TIME - 6 * 60_000, []],
      [EVIDENCE_TIME - 6 * 60_000 - 1, ['certificate_validity']],
    ] as const) {
      assert.deepEqual(failed(verifyEvidence(read('pin'), TRUST, at)), expected, new Date(at).toISOString());
    }
  });

  it('refuses a verifiedAt that is farther from the signed time than the validity of the leaf and five minutes', () => {
    const limit = 3 * HOUR + 6 * 60_000; // the leaf is valid from a minute before
    for (const [difference, expected] of [
      [limit, []],
      [limit + 1, ['verified_at']],
      [-limit, []],
      [-limit - 1, ['verified_at']],
    ] as const) {
      const evidence = evidenceOf(AUTHORITY, {}, { at: EVIDENCE_TIME + difference });
      const found = failed(verifyEvidence(evidence, OWN, EVIDENCE_TIME)).filter((id) => id === 'verified_at');
      assert.deepEqual(found, expected, String(difference));
    }
  });

  it('reports what is wrong with the form and skips the rest', () => {
    for (const value of [{}, null, [], 'text', { ...read('pin'), format: 'other' }]) {
      const steps = verifyEvidence(value, TRUST);
      assert.deepEqual(failed(steps), ['file_format']);
      assert.deepEqual(skipped(steps), STEPS.slice(1));
      assert.match(steps[0]?.cause ?? '', /^the field format is missing, unknown or not in the required form$/);
    }
  });

  /** The step that a change of this field must fail, besides the digest. */
  const STEP_OF: Readonly<Record<string, readonly string[]>> = {
    version: [],
    backend: [],
    verifiedAt: ['recorded_values'],
    challenge: ['challenge', 'recorded_values'],
    clientPublicKey: ['client_key', 'recorded_values'],
    serverPublicKey: ['recorded_values'],
    pcr0: ['recorded_values'],
    checks: ['recorded_values'],
    digest: [],
  };

  for (const name of ['pin', 'history', 'setting']) {
    it(`rejects every altered field, with the step that failed: ${name}`, function () {
      const alterations = alterationsOf(read(name));
      assert.ok(alterations.length > 150, String(alterations.length));
      for (const { name: what, path, value } of alterations) {
        const steps = verifyEvidence(value, TRUST);
        assert.ok(!isVerified(steps), what);
        assert.equal(steps.length, STEPS.length);
        if (findFormatError(value) === undefined) {
          assert.ok(failed(steps).includes('file_digest'), what);
          const expected = STEP_OF[path.split('.', 1).join()] ?? [];
          for (const step of expected) assert.ok(failed(steps).includes(step), `${what}: ${failed(steps).join()}`);
        } else {
          assert.deepEqual(failed(steps), ['file_format'], what);
        }
      }
    });
  }

  it('rejects every altered field with a forged digest, except those that nothing vouches for', function () {
    const accepted = alterationsOf(read('history'))
      .filter(({ path }) => path !== 'digest')
      .filter(({ value }) => isVerified(verifyEvidence(forged(value), TRUST)));
    assert.deepEqual(
      accepted.map(({ name: what }) => what),
      ['changed version', 'changed backend'],
    );
  });

  it('takes the address of a history from its environment', () => {
    const evidence = read('history');
    const approval = { ...evidence.approval, url: 'https://other.example' };
    assert.deepEqual(failed(verifyEvidence(forged({ ...evidence, approval }), TRUST)), ['recorded_values']);
  });

  it('rejects every value of a field that has only a few', () => {
    const evidence = read('history');
    const changes = [
      { environment: 'development' },
      { approval: null },
      { approval: { by: 'pin' } },
      { approval: { by: 'setting' } },
      ...evidence.checks.flatMap((check, index) =>
        [{ result: 'skipped' }, { result: 'fail', error: 'signature' }, { examined: {} }].map((change) => ({
          checks: evidence.checks.with(index, { ...check, ...change } as typeof check),
        })),
      ),
      { serverPublicKey: null },
      { pcr0: null },
    ];
    for (const change of changes) {
      const steps = verifyEvidence(forged({ ...evidence, ...change }), TRUST);
      assert.ok(failed(steps).includes('recorded_values'), JSON.stringify(change));
    }
  });

  it('rejects a changed bit anywhere in the document, even if everything else fits', () => {
    const evidence = read('setting');
    const document = Buffer.from(evidence.attestationDocument, 'base64');
    for (let at = 0; at < document.length; at += 29) {
      const altered = Buffer.from(document);
      altered.writeUInt8(altered.readUInt8(at) ^ (1 << (at % 8)), at);
      const steps = verifyEvidence(forged({ ...evidence, attestationDocument: altered.toString('base64') }), TRUST);
      assert.ok(
        CHECK_IDS.some((id) => failed(steps).includes(id)),
        `byte ${at}`,
      );
      assert.ok(failed(steps).includes('recorded_values'));
    }
  });

  it('rejects an entry of a history whose signature belongs to another image', () => {
    const other = evidenceOf(AUTHORITY, { pcr0: Buffer.alloc(48, 0xab) }, { approval: read('history').approval });
    assert.deepEqual(failed(verifyEvidence(other, OWN)), ['image_approved', 'recorded_values']);
    assert.equal(other.approval, null);
  });

  it('rejects a document whose time no date can have', () => {
    const bytes = makeSignedDocument(AUTHORITY, {
      nonce: null,
      publicKey: null,
      userData: null,
      timestamp: Number.MAX_SAFE_INTEGER,
    });
    const evidence = evidenceOf(AUTHORITY, {}, { bytes });
    assert.deepEqual(failed(verifyEvidence(evidence, OWN)), ['challenge', 'verified_at', 'recorded_values']);
  });
});

describe('verifyBareDocument()', () => {
  const REAL_TRUST = { anchors: AWS_NITRO_ROOT, additionalPcr0: [] };
  const REAL_PCR0 = /with PCR0 ([0-9a-f]{96})$/;
  const pcr0 = (): string => {
    const trust = { ...REAL_TRUST, additionalPcr0: ['ab'.repeat(48)] };
    const steps = verifyBareDocument({ document: REAL_DOCUMENT, challenge: undefined }, trust, REAL_TIME);
    return REAL_PCR0.exec(steps.find(({ id }) => id === 'image_approved')?.cause ?? '')?.[1] ?? assert.fail();
  };

  it('passes the real document of 2024-10-28 and skips what nothing can be compared with', () => {
    const steps = verifyBareDocument({ document: REAL_DOCUMENT, challenge: undefined }, REAL_TRUST, REAL_TIME);
    assert.deepEqual([failed(steps), skipped(steps)], [[], ['challenge', 'image_approved', 'client_key']]);
    assert.ok(!isVerified(steps));
  });

  it('compares its challenge and its image if they are given, and is never verified completely', () => {
    const given = { document: REAL_DOCUMENT, challenge: REAL_NONCE };
    const steps = verifyBareDocument(given, { ...REAL_TRUST, additionalPcr0: [pcr0()] }, REAL_TIME);
    assert.deepEqual([failed(steps), skipped(steps)], [[], ['client_key']]);
    assert.ok(!isVerified(steps));
    const other = { document: REAL_DOCUMENT, challenge: REAL_NONCE.subarray(1) };
    assert.deepEqual(failed(verifyBareDocument(other, REAL_TRUST, REAL_TIME)), ['challenge']);
  });

  it('fails an hour too early and a millisecond too late', () => {
    const at = (time: number) =>
      verifyBareDocument({ document: REAL_DOCUMENT, challenge: undefined }, REAL_TRUST, time);
    assert.deepEqual(failed(at(REAL_TIME - HOUR)), ['certificate_validity']);
    assert.deepEqual(failed(at(REAL_LEAF_NOT_AFTER)), []);
    const late = at(REAL_LEAF_NOT_AFTER + 1);
    assert.deepEqual(failed(late), ['certificate_validity']);
    assert.equal(
      late.find(({ result }) => result === 'fail')?.cause,
      'a certificate has expired at 2024-10-28T21:48:18.001Z',
    );
  });
});

describe('isVerified()', () => {
  it('never counts a skipped step as passed', () => {
    const pass = { id: 'challenge', result: 'pass' } as const;
    assert.ok(isVerified([pass]));
    assert.ok(!isVerified([pass, { id: 'client_key', result: 'skipped' }]));
    assert.ok(!isVerified([pass, { id: 'client_key', result: 'fail' }]));
    assert.ok(!isVerified([]));
  });
});
