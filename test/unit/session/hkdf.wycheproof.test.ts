import { expandOnce, hkdfSha256 } from '../../../src/session/hkdf.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { hex } from '../../support/vectors.ts';
import { assertCases, readWycheproof } from '../../support/wycheproof.ts';

/** The length of one HMAC, in bytes. HKDF's output begins with it, and the product never needs more. */
const BLOCK = 32;

describe("hkdfSha256 with Wycheproof's cases", () => {
  const cases = readWycheproof('hkdf_sha256', 'ikm', 'salt', 'info', 'size', 'okm');

  it('derives the first 32 bytes of each output', () => {
    const valid = cases.filter(({ result }) => result === 'valid');
    assertCases(valid, 83, ({ ikm, salt, info, size, okm }) => {
      const length = Math.min(Number(size), BLOCK);
      const prk = hkdfSha256.extract(hex(salt), hex(ikm));
      return toHex(expandOnce(hkdfSha256, prk, length, hex(info))) === okm.slice(0, 2 * length);
    });
  });

  it('leaves out three cases, for outputs that are longer than HKDF can make', () => {
    const others = cases.filter(({ result }) => result !== 'valid');
    assertCases(others, 3, ({ size }) => Number(size) > 255 * BLOCK);
  });
});

describe("hkdfSha256.extract() with Wycheproof's cases for HMAC", () => {
  const cases = readWycheproof('hmac_sha256', 'key', 'msg', 'tag');
  /** Some tags are cut to half of their length. */
  const matches = ({ key, msg, tag }: (typeof cases)[number]) =>
    toHex(hkdfSha256.extract(hex(key), hex(msg))).startsWith(tag);

  it('computes each valid tag', () => {
    assertCases(
      cases.filter(({ result }) => result === 'valid'),
      66,
      matches,
    );
  });

  it('does not compute an invalid tag', () => {
    assertCases(
      cases.filter(({ result }) => result !== 'valid'),
      108,
      (test) => !matches(test),
    );
  });
});
