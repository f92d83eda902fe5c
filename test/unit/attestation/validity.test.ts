import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Certificate } from '../../../src/attestation/certificates.ts';
import { verifyChain } from '../../../src/attestation/chain.ts';
import { checkValidity, describeClockSkew } from '../../../src/attestation/validity.ts';
import { chainSpecs, issueChain } from '../../../src/devEnclave/attestation/authority.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 15, 12);
const NOT_BEFORE = NOW - HOUR;
const NOT_AFTER = NOW + 2 * HOUR;

/** The certificates of a chain. The one at `index` is valid for three hours, the others longer. */
function chainWithShort(index: number): Certificate[] {
  const specs = chainSpecs(NOW).map((spec, at) => ({
    ...spec,
    notBefore: at === index ? NOT_BEFORE : NOW - 9 * DAY,
    notAfter: at === index ? NOT_AFTER : NOW + 9 * DAY,
  }));
  const { cabundle, leaf } = issueChain(specs);
  const { authorities, leaf: parsedLeaf } = verifyChain(cabundle, leaf.der);
  return [...authorities, parsedLeaf];
}

describe('checkValidity()', () => {
  it('accepts each certificate from exactly five minutes before notBefore until notAfter', () => {
    for (const index of [0, 1, 2, 3]) {
      const chain = chainWithShort(index);
      for (const now of [NOT_BEFORE - 5 * MINUTE, NOW, NOT_AFTER]) {
        checkValidity(chain, now, now);
      }
      const tooEarly = NOT_BEFORE - 5 * MINUTE - 1;
      assert.throws(
        () => {
          checkValidity(chain, tooEarly, tooEarly);
        },
        { code: 'certificate_not_yet_valid' },
      );
      assert.throws(
        () => {
          checkValidity(chain, NOT_AFTER + 1, NOT_AFTER + 1);
        },
        { code: 'certificate_expired' },
      );
    }
  });

  it('rejects NaN as the current time', () => {
    assert.throws(
      () => {
        checkValidity(chainWithShort(0), NaN, NOW);
      },
      { code: 'certificate_not_yet_valid', clockSkewMs: undefined },
    );
  });

  it('reports the expiry if the clocks differ by at most a minute', () => {
    const chain = chainWithShort(3);
    for (const difference of [-MINUTE, 0, MINUTE]) {
      const now = NOT_AFTER + 1000;
      assert.throws(
        () => {
          checkValidity(chain, now, now - difference);
        },
        {
          code: 'certificate_expired',
          message: 'a certificate of the enclave expired at 2026-01-15T14:00:00.000Z',
          clockSkewMs: undefined,
        },
      );
      const early = NOT_BEFORE - HOUR;
      assert.throws(
        () => {
          checkValidity(chain, early, early - difference);
        },
        {
          code: 'certificate_not_yet_valid',
          message: 'a certificate of the enclave is not valid before 2026-01-15T11:00:00.000Z',
          clockSkewMs: undefined,
        },
      );
    }
  });

  it('reports how far the clock is off if it is more than a minute', () => {
    const chain = chainWithShort(3);
    assert.throws(
      () => {
        checkValidity(chain, NOW + 3 * HOUR, NOW);
      },
      {
        code: 'certificate_expired',
        message: "this computer's clock is about 3 hours ahead of the enclave's",
        clockSkewMs: 3 * HOUR,
      },
    );
    assert.throws(
      () => {
        checkValidity(chain, NOW - 3 * HOUR, NOW);
      },
      {
        code: 'certificate_not_yet_valid',
        message: "this computer's clock is about 3 hours behind the enclave's",
        clockSkewMs: -3 * HOUR,
      },
    );
    assert.throws(
      () => {
        checkValidity(chain, NOT_AFTER + 1, NOT_AFTER - MINUTE);
      },
      { clockSkewMs: MINUTE + 1 },
    );
    assert.throws(
      () => {
        checkValidity(chain, NOT_BEFORE - HOUR, NOT_BEFORE - HOUR + MINUTE + 1);
      },
      { clockSkewMs: -MINUTE - 1 },
    );
  });
});

describe('describeClockSkew()', () => {
  it('uses one unit, in the singular for one', () => {
    const durations = [MINUTE, 5 * MINUTE, 89 * MINUTE, 90 * MINUTE, 24 * HOUR, 35 * HOUR, 36 * HOUR, 750 * DAY];
    assert.deepEqual(
      durations.map((ms) => describeClockSkew(ms).match(/about (.*) ahead/)?.[1]),
      ['1 minute', '5 minutes', '89 minutes', '2 hours', '24 hours', '35 hours', '2 days', '750 days'],
    );
  });

  it('names the direction', () => {
    assert.equal(describeClockSkew(HOUR * 3), "this computer's clock is about 3 hours ahead of the enclave's");
    assert.equal(describeClockSkew(-HOUR * 3), "this computer's clock is about 3 hours behind the enclave's");
  });

  it('is never off by more than half of the stated duration', () => {
    const units = { minute: MINUTE, hour: HOUR, day: DAY };
    fc.assert(
      fc.property(fc.integer({ min: MINUTE, max: 10_000 * DAY }), fc.boolean(), (ms, ahead) => {
        const [, amount, unit] = /about (\d+) (minute|hour|day)s? /.exec(describeClockSkew(ahead ? ms : -ms)) ?? [];
        assert.ok(unit === 'minute' || unit === 'hour' || unit === 'day');
        const said = Number(amount) * units[unit];
        assert.ok(Math.abs(said - ms) <= said / 2, `${ms} ms as ${amount ?? ''} ${unit}`);
      }),
    );
  });
});
