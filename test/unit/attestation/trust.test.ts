import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AWS_NITRO_ROOT, isTrustAnchor } from '../../../src/attestation/trust.ts';

const ROOT_DER = readFileSync(new URL('../../fixtures/aws-nitro-root.der', import.meta.url));

describe('AWS_NITRO_ROOT', () => {
  it('contains only the root that AWS publishes, byte for byte', () => {
    assert.deepEqual(
      AWS_NITRO_ROOT.roots.map((root) => Buffer.from(root)),
      [ROOT_DER],
    );
    assert.equal(
      createHash('sha256').update(ROOT_DER).digest('hex'),
      '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b',
    );
  });
});

describe('isTrustAnchor()', () => {
  it('accepts each certificate in the list', () => {
    const other = Uint8Array.of(1, 2, 3);
    assert.ok(isTrustAnchor({ roots: [other, ROOT_DER] }, ROOT_DER));
    assert.ok(isTrustAnchor({ roots: [ROOT_DER, other] }, ROOT_DER));
    assert.ok(!isTrustAnchor({ roots: [other] }, ROOT_DER));
  });

  it('accepts nothing if the list is empty', () => {
    assert.ok(!isTrustAnchor({ roots: [] }, ROOT_DER));
    assert.ok(!isTrustAnchor({ roots: [] }, new Uint8Array(0)));
  });

  it('rejects a certificate that is a prefix or an extension of an anchor', () => {
    assert.ok(!isTrustAnchor(AWS_NITRO_ROOT, ROOT_DER.subarray(0, -1)));
    assert.ok(!isTrustAnchor(AWS_NITRO_ROOT, Buffer.concat([ROOT_DER, Buffer.of(0)])));
    assert.ok(!isTrustAnchor(AWS_NITRO_ROOT, new Uint8Array(0)));
  });
});
