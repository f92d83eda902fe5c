import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { certificateChain } from '../../../../src/presentation/dashboard/certificateChain.ts';
import type { Evidence } from '../../../../src/shared/evidence.ts';
import { fromRoot } from '../../../support/e2e/process.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(fromRoot(`test/fixtures/evidence/${name}.json`), 'utf8')) as Evidence;

describe('certificateChain()', () => {
  it('has every certificate of real evidence, root first, with its validity and fingerprint', () => {
    const chain = certificateChain(read('pin'));
    assert.deepEqual([chain[0]?.role, chain.at(-1)?.role], ['root', 'leaf']);
    assert.ok(chain.length >= 3);
    for (const { name, subject, validFrom, validTo, sha256 } of chain) {
      assert.ok(name !== '' && subject.includes(name));
      assert.ok(validFrom < validTo);
      assert.match(sha256, /^[0-9a-f]{64}$/);
    }
    assert.equal(new Set(chain.map(({ sha256 }) => sha256)).size, chain.length);
  });

  it('is also known if a later check failed, but not if that of the chain did, or was skipped', () => {
    assert.equal(certificateChain(read('refused-image')).length, certificateChain(read('pin')).length);
    assert.deepEqual(certificateChain(read('refused-root')), []);
    assert.deepEqual(certificateChain(read('refused-document')), []);
  });

  it('shows hostile names as one line of visible characters', () => {
    const evidence = read('pin');
    const checks = evidence.checks.map((check) =>
      check.id === 'certificate_chain'
        ? { ...check, examined: { ...check.examined, subjects: ['CN=<b>\u202e\u001b[0m', 'O=x\nL=y', ''] } }
        : check,
    );
    const [first, second] = certificateChain({ ...evidence, checks });
    assert.equal(first?.name, '<b>\ufffd\ufffd[0m');
    assert.deepEqual([second?.name, second?.subject], ['O=x L=y', 'O=x, L=y']);
  });
});
