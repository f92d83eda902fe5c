// The cases of the conformance suite for transport V2, against the proxy as a process.
import assert from 'node:assert/strict';
import { type Result, playAll } from '../../conformance/transport-v2/play.ts';
import { PROXY } from '../../conformance/transport-v2/proxy.ts';
import { AREAS, areaOf, readSuite } from '../../conformance/transport-v2/suite.ts';

const LANES = 4;
/** Shortens the pause between two handshakes, which most cases take; the limits of a case stay far above its own times. */
const QUICK: typeof PROXY = {
  ...PROXY,
  args: ['--import', new URL('../support/quickTimers.mjs', import.meta.url).href, ...PROXY.args],
  env: { ...PROXY.env, PROXY_REQUEST_TIMEOUT_SECS: '{timeout}0', PROXY_STREAM_IDLE_TIMEOUT_SECS: '{timeout}0' },
};

describe('The conformance suite for transport V2', () => {
  let results: Promise<readonly Result[]>;

  before(() => {
    results = playAll(readSuite(), QUICK, LANES);
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
});
