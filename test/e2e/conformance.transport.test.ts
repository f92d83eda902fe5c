// The cases of the conformance suite for transport V2, against the proxy as a process.
import assert from 'node:assert/strict';
import { MUTANTS } from '../../conformance/transport-v2/mutants.ts';
import { type Result, playAll } from '../../conformance/transport-v2/play.ts';
import { findingsOf } from '../../conformance/transport-v2/proof.ts';
import { quickProxy } from '../../conformance/transport-v2/proxy.ts';
import { AREAS, areaOf, readSuite } from '../../conformance/transport-v2/suite.ts';

const LANES = 4;

describe('The conformance suite for transport V2', () => {
  let results: Promise<readonly Result[]>;

  before(() => {
    results = playAll(readSuite(), quickProxy(), LANES);
    results.catch(() => undefined); // each test has its error
  });

  for (const area of AREAS) {
    it(`is passed by the proxy: ${area}`, async () => {
      const own = (await results).filter(({ one }) => areaOf(one) === area);
      assert.ok(own.length > 0);
      const differing = own.filter(({ outcome }) => outcome !== 'pass');
      assert.deepEqual(
        differing.map(({ one, differences }) => [one.id, differences]),
        [],
      );
    });
  }

  // conformance/transport-v2/proof.ts has all of them.
  for (const wrong of ['sends again after a network error', 'never retires a session']) {
    it(`finds a proxy that ${wrong}`, async () => {
      const mutant = MUTANTS.find((one) => one.wrong === wrong) ?? assert.fail();
      const findings = await findingsOf(mutant);
      assert.ok(findings.length > 0 && findings.length < 20);
    });
  }
});
