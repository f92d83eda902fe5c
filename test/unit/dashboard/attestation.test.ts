import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { attestationSection } from '../../../src/dashboard/attestation.ts';
import type { AttestationSection } from '../../../src/dashboard/model.ts';
import { STEPS } from '../../../src/presentation/attestationSteps.ts';
import { CHECK_IDS, EVIDENCE_VERSION } from '../../../src/shared/checks.ts';
import type { CheckId } from '../../../src/shared/checks.ts';
import type { Evidence, EvidenceCheck } from '../../../src/shared/evidence.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { AT, VERIFIED, refusedFor, runningStatus } from '../../support/statuses.ts';

const DEVELOPMENT = runningStatus({
  verified: { kind: 'development', moduleId: 'i-dev' },
  backendUrl: 'http://127.0.0.1:9',
});

/** Evidence in which every check passed, up to the one that failed. */
function evidence(change: Partial<Evidence> = {}, failed?: readonly [CheckId, error: string]): Evidence {
  const last = failed === undefined ? CHECK_IDS.length : CHECK_IDS.indexOf(failed[0]);
  const checks = CHECK_IDS.map((id, index): EvidenceCheck => {
    if (index > last) return { id, result: 'skipped', examined: {} };
    const examined = EXAMINED[id] ?? { [`value of ${id}`]: 'abc' };
    return index === last
      ? { id, result: 'fail', examined, error: failed?.[1] ?? '' }
      : { id, result: 'pass', examined };
  });
  return {
    format: 'sealed-proxy-evidence',
    formatVersion: EVIDENCE_VERSION,
    version: '1.2.3',
    backend: 'https://enclave.example',
    verifiedAt: new Date(AT).toISOString(),
    environment: 'production',
    challenge: '',
    clientPublicKey: '',
    serverPublicKey: '',
    attestationDocument: VERIFIED.document,
    pcr0: VERIFIED.pcr0,
    approval: { by: 'pin' },
    checks,
    digest: '',
    ...change,
  };
}

const EXAMINED: Partial<Record<CheckId, EvidenceCheck['examined']>> = {
  trusted_root: { sha256: `01234567${'f'.repeat(48)}89abcdef` },
  certificate_chain: {
    sha256: ['11', '22', '33'],
    subjects: ['C=US\nO=Amazon\nCN=aws.nitro-enclaves', 'CN=zonal', 'O=nameless'],
    notBefore: [AT - 3000, AT - 2000, AT - 1000].map((at) => new Date(at).toISOString()),
    notAfter: [AT + 3000, AT + 2000, AT + 1000].map((at) => new Date(at).toISOString()),
  },
};
/** As the handshake that this is the evidence of has it. */
const chainOf = (of: Evidence) =>
  attestationSection(
    runningStatus({ backendUrl: of.backend, verified: { ...VERIFIED, document: of.attestationDocument } }),
    of,
  ).chain;
const read = (name: string) =>
  JSON.parse(readFileSync(fromRoot(`test/fixtures/evidence/${name}.json`), 'utf8')) as Evidence;
const results = (steps: readonly { readonly result: string }[]) => steps.map(({ result }) => result);
/** All checks, in the order in which they run. */
const stepsOf = ({ groups }: AttestationSection) => {
  const shown = groups.flatMap(({ steps }) => steps);
  return STEPS.flatMap(({ what }) => shown.find((step) => step.what === what) ?? []);
};

describe('attestationSection()', () => {
  it('shows the verified image that waits for consent, and how to give it', () => {
    const newImage = { pcr0: 'cd'.repeat(48), approvedBy: 'history', listedSince: AT, refused: false } as const;
    const waiting = { ...runningStatus({ verified: null, health: { kind: 'checking' } }), newImage };
    const shown = attestationSection(waiting, evidence({ pcr0: newImage.pcr0, attestationDocument: 'other' }));
    assert.equal(shown.tone, 'warning');
    assert.equal(shown.headline, 'The enclave is verified, but its new image needs your consent.');
    assert.match(shown.detail, /To answer, run "Sealed Proxy: Review New Enclave Image…"\.$/);
    assert.equal(shown.image?.pcr0, newImage.pcr0);
    assert.match(shown.image.approval, /^The signed history of images lists it since /);
    assert.equal(shown.chain.length, 3);
    assert.deepEqual(
      results(stepsOf(shown)),
      STEPS.map(() => 'passed'),
    );
    assert.equal(attestationSection(waiting, evidence({ pcr0: 'ef'.repeat(48) })).chain.length, 0);
  });

  it('does not promise for a development backend what holds for an enclave', () => {
    const health = { kind: 'noKey' } as const;
    const promise = /No prompt leaves this computer without a verified session\.$/;
    const detailFor = (backendUrl: string) =>
      attestationSection(runningStatus({ verified: null, backendUrl, health }), null).detail;
    assert.match(detailFor('https://enclave.example'), promise);
    assert.doesNotMatch(detailFor('http://127.0.0.1:9'), promise);
    assert.match(detailFor('http://127.0.0.1:9'), /a development backend on this computer, which is never verified\.$/);
  });

  it('shows each check with its result, the chain, the image and what is not checked', () => {
    const shown = attestationSection(runningStatus(), evidence());
    assert.equal(shown.tone, 'good');
    assert.equal(shown.headline, 'The enclave is verified.');
    assert.equal(stepsOf(shown).length, STEPS.length);
    assert.ok(stepsOf(shown).every(({ result }) => result === 'passed'));
    assert.deepEqual(stepsOf(shown)[0]?.examined, [{ name: 'value of document_format', value: 'abc' }]);
    assert.equal(stepsOf(shown)[1]?.found, 'SHA-256 01234567…89abcdef');
    assert.deepEqual(
      shown.chain.map(({ role, name, sha256, validTo }) => [role, name, sha256, validTo]),
      [
        ['root', 'aws.nitro-enclaves', '11', AT + 3000],
        ['intermediate', 'zonal', '22', AT + 2000],
        ['leaf', 'O=nameless', '33', AT + 1000],
      ],
    );
    assert.equal(shown.chain[0]?.subject, 'C=US, O=Amazon, CN=aws.nitro-enclaves');
    assert.deepEqual(shown.image, {
      pcr0: VERIFIED.pcr0,
      approval: 'On the production list built into the extension.',
    });
    assert.match(shown.limits.join('\n'), /What the program in the image does\./);
    assert.equal(shown.canSaveEvidence, true);
  });

  it('shows every certificate of real evidence, root first, with its validity and fingerprint', () => {
    const chain = chainOf(read('pin'));
    assert.deepEqual([chain[0]?.role, chain.at(-1)?.role], ['root', 'leaf']);
    assert.ok(chain.length >= 3);
    for (const { name, subject, validFrom, validTo, sha256 } of chain) {
      assert.ok(name !== '' && subject.includes(name));
      assert.ok(validFrom < validTo);
      assert.match(sha256, /^[0-9a-f]{64}$/);
    }
    assert.equal(new Set(chain.map(({ sha256 }) => sha256)).size, chain.length);
  });

  it('shows the chain also if a later check failed, but not if its own check did, or was skipped', () => {
    assert.equal(chainOf(read('refused-image')).length, chainOf(read('pin')).length);
    assert.deepEqual(chainOf(read('refused-root')), []);
    assert.deepEqual(chainOf(read('refused-document')), []);
  });

  it('names each of several examined values', () => {
    const chain = stepsOf(attestationSection(runningStatus(), evidence()))[2]?.examined ?? [];
    assert.deepEqual(
      chain.slice(0, 3).map(({ name }) => name),
      ['SHA-256 1', 'SHA-256 2', 'SHA-256 3'],
    );
    assert.ok(chain.some(({ name }) => name === 'Valid from 2 (notBefore)'));
  });

  it('shows since when the history lists the image, and that the date is not signed', () => {
    const history = { by: 'history', url: '', pcr1: '', pcr2: '', timestamp: 1_767_225_600, signature: '' } as const;
    const status = runningStatus({ verified: { ...VERIFIED, approvedBy: 'history' } });
    assert.equal(
      attestationSection(status, evidence({ approval: history })).image?.approval,
      'In the signed history of production images. The history lists it since January 1, 2026; this date is not signed.',
    );
    assert.equal(attestationSection(status, null).image?.approval, 'In the signed history of production images.');
  });

  it('shows the checks of the status if the evidence is of another handshake', () => {
    for (const other of [evidence({ attestationDocument: 'AAAA' }), evidence({ backend: 'https://other.example' })]) {
      const shown = attestationSection(runningStatus(), other);
      assert.ok(stepsOf(shown).every(({ result, examined }) => result === 'passed' && examined.length === 0));
      assert.deepEqual(shown.chain, []);
    }
  });

  it('never shows a check as passed that the evidence skipped or failed', () => {
    const skipped = evidence({ checks: CHECK_IDS.map((id) => ({ id, result: 'skipped', examined: {} })) });
    const shown = stepsOf(attestationSection(runningStatus(), skipped));
    assert.deepEqual(results(shown).slice(0, 10), Array<string>(10).fill('notChecked'));
    const failed = stepsOf(attestationSection(runningStatus(), evidence({}, ['challenge', 'nonce_mismatch'])));
    assert.equal(failed[4]?.result, 'failed');
  });

  it('shows the check that failed, what was examined until then, and the chain', () => {
    const refused = evidence({ approval: null }, ['image_approved', 'pcr0_not_approved']);
    const status = refusedFor('attestation_refused', 'pcr0_not_approved', `It has PCR0 ${VERIFIED.pcr0}`);
    const shown = attestationSection(status, refused);
    assert.equal(shown.tone, 'error');
    assert.equal(shown.headline, 'The enclave is not verified.');
    assert.equal(
      shown.detail,
      'Sealed Proxy refused to connect: the enclave could not be authenticated. No prompts or keys were sent.',
    );
    assert.doesNotMatch(shown.detail, /Show Attestation|No prompt leaves/);
    assert.deepEqual(results(stepsOf(shown)), [
      ...Array<string>(CHECK_IDS.indexOf('image_approved')).fill('passed'),
      ...['failed', 'notReached', 'notReached', 'notReached'],
    ]);
    assert.equal(shown.chain.length, 3);
    const step = stepsOf(shown).find(({ result }) => result === 'failed');
    assert.equal(step?.examined.length, 1);
    assert.deepEqual(shown.image, { pcr0: VERIFIED.pcr0, approval: 'This image is not trusted.' });
  });

  it('answers four questions, each with a verdict before its checks', () => {
    const { groups } = attestationSection(runningStatus(), evidence());
    assert.deepEqual(
      groups.map(({ question, steps }) => [question, steps.length]),
      [
        ['Who signed it?', 4],
        ['Which program runs?', 2],
        ['Whose keys are used?', 3],
        ['Is it fresh?', 2],
      ],
    );
    assert.deepEqual(new Set(results(groups)), new Set(['passed']));
    assert.ok(groups.every(({ verdict, reason }) => verdict.endsWith('.') && reason === ''));
  });

  it('gives the reason and the remedy to the question that failed, and no verdict to those that were not reached', () => {
    const status = refusedFor('attestation_refused', 'nonce_mismatch', 'The challenge is another one');
    const { groups } = attestationSection(status, null);
    assert.deepEqual(
      groups.map(({ result, verdict, reason }) => [result, verdict, reason].join(' | ')),
      [
        'passed | AWS: the signature of the attestation document leads to its root certificate. | ',
        'notReached | Not reached: an earlier check failed. | ',
        'notReached | Not reached: an earlier check failed. | ',
        'failed | It is not proven that the document was made for this handshake, with valid certificates. | ' +
          'The challenge is another one. Traffic may be intercepted. Try another network.',
      ],
    );
  });

  it('does not take the evidence of an earlier success for that of a failure', () => {
    const shown = attestationSection(refusedFor('attestation_refused', 'signature'), evidence());
    assert.deepEqual(shown.chain, []);
    assert.equal(stepsOf(shown)[3]?.result, 'failed');
  });

  it('warns of a development backend, and counts no check as passed', () => {
    const shown = attestationSection(DEVELOPMENT, null);
    assert.equal(shown.tone, 'warning');
    assert.match(shown.headline, /It is not verified\./);
    assert.match(shown.detail, /send it nothing private.*sealedProxy\.backendUrl/);
    assert.deepEqual(new Set(results(stepsOf(shown))), new Set(['notChecked']));
    assert.equal(shown.canSaveEvidence, false);
    assert.deepEqual(shown.limits, []);
  });

  it('lists no checks if there was no document, and says why nothing is verified', () => {
    const off = attestationSection({ kind: 'off' }, null);
    assert.match(off.detail, /^Sealed Proxy is off in this window\./);
    for (const shown of [off, attestationSection(refusedFor('network', 'ECONNREFUSED'), null)]) {
      assert.equal(shown.headline, 'The enclave is not verified.');
      assert.equal(shown.tone, 'neutral');
      assert.deepEqual([shown.groups, shown.chain, shown.image], [[], [], null]);
    }
  });
});
