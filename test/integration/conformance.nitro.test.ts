import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { AREAS } from '../../conformance/nitro/generator/cases.ts';
import { P384, keyFrom } from '../../conformance/nitro/generator/signer.ts';
import { checkMutants, refusalMutants } from '../../conformance/nitro/mutants.ts';
import { faultOf, prove } from '../../conformance/nitro/proof.ts';
import { REASONS } from '../../conformance/nitro/reasons.ts';
import { EXIT, Implementation, areaOf, inputOf, readSuite } from '../../conformance/nitro/suite.ts';
import { CHECKS, CHECK_IDS } from '../../src/shared/checks.ts';
import { fromRoot } from '../support/e2e/process.ts';

const CASES = readSuite();
const RUNNER = fromRoot('conformance/nitro/runners/typescript.ts');

describe('The conformance suite for Nitro attestation', () => {
  it('is what its generator writes', () => {
    const { status, stderr } = spawnSync(process.execPath, [fromRoot('conformance/nitro/generate.ts'), '--check'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  it('has documents that are accepted and refused in each area, each with a name of its own', () => {
    assert.equal(new Set(CASES.map(({ id }) => id)).size, CASES.length);
    for (const area of AREAS) {
      const found = CASES.filter((one) => areaOf(one) === area).map(({ expected }) => expected.verdict);
      // What is wrong with a point or an algorithm has no correct counterpart but the correct chain.
      const accepts = area !== 'points' && area !== 'algorithms';
      assert.deepEqual(new Set(found), new Set(accepts ? ['accepted', 'rejected'] : ['rejected']), area);
    }
  });

  it('has the numbers of cases that its README states', () => {
    const readme = readFileSync(fromRoot('conformance/nitro/README.md'), 'utf8');
    const stated = new Map(
      [...readme.matchAll(/^\| `([a-z-]+)` +\| (\d+) /gm)].map(([, area, count]) => [area, Number(count)]),
    );
    const counted = AREAS.map((area) => [area, CASES.filter((one) => areaOf(one) === area).length] as const);
    assert.deepEqual(stated, new Map(counted));
    const required = CASES.filter(({ strength }) => strength === 'required').length;
    const accepted = CASES.filter(({ expected }) => expected.verdict === 'accepted').length;
    const numbers =
      /There are (\d+) cases: (\d+) are required .* (\d+) are decided .* (\d+) documents are accepted/.exec(
        readme.replaceAll('\n', ' '),
      );
    const expected = [CASES.length, required, CASES.length - required, accepted];
    assert.deepEqual(numbers?.slice(1).map(Number), expected);
  });

  it('has every code of the checks', () => {
    const codes = CASES.flatMap(({ expected }) => (expected.verdict === 'rejected' ? [expected.code] : []));
    // The signed history of images is not a part of Nitro.
    const all = CHECK_IDS.flatMap((id) => CHECKS[id].errors).filter((code) => code !== 'history_invalid');
    assert.deepEqual(new Set(codes), new Set(all));
  });

  it('is passed by the verifier, with the same codes', () => {
    const results = new Implementation([process.execPath, RUNNER]).results(CASES);
    const differing = results.filter(({ outcome }) => outcome !== 'pass');
    assert.deepEqual(
      differing.map(({ one, output }) => [one.id, output]),
      [],
    );
  });

  it('has a contract with one exit code for each kind of answer', () => {
    const accepted = CASES.find(({ expected }) => expected.verdict === 'accepted') ?? assert.fail();
    const rejected = CASES.find(({ expected }) => expected.verdict === 'rejected') ?? assert.fail();
    const input = inputOf(accepted);
    const implementation = new Implementation([process.execPath, RUNNER]);
    const other = { ...input, policy: { ...input.policy, publicKeyBytes: 33 } };
    for (const [text, code] of [
      [JSON.stringify(input), EXIT.accepted],
      [JSON.stringify(inputOf(rejected)), EXIT.rejected],
      [JSON.stringify(other), EXIT.notSupported],
      [JSON.stringify({ ...input, document: '!' }), EXIT.badInput],
      ['not JSON', EXIT.badInput],
    ] as const) {
      assert.equal(implementation.run('verify', text).code, code, text.slice(0, 100));
    }
  });

  it('has cases that only one check refuses: without it, they alone change', () => {
    for (const proof of prove(checkMutants(), CASES)) {
      assert.equal(faultOf(proof), undefined, proof.mutant.removed);
      assert.ok(proof.accepted.length > 0, proof.mutant.removed);
    }
  });

  it('gives reasons only for refusals that exist', () => {
    const names = new Set(refusalMutants().map(({ file, removed }) => `${file}: ${removed}`));
    assert.deepEqual(
      Object.keys(REASONS).filter((name) => !names.has(name)),
      [],
    );
  });
});

describe('keyFrom()', () => {
  it('signs as RFC 6979 section A.2.6 does', () => {
    const key = keyFrom(
      0x6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5n,
      P384,
    );
    const { r, s } = key.sign(Buffer.from('sample'));
    assert.equal(
      r.toString(16),
      '94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46',
    );
    assert.equal(
      s.toString(16),
      '99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8',
    );
  });
});
