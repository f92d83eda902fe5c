import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { verifyChain } from '../../../src/attestation/chain.ts';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { parsePayload } from '../../../src/attestation/document.ts';
import {
  type CertificateSpec,
  basicConstraints,
  chainSpecs,
  createAuthority,
  issueChain,
  keyUsage,
} from '../../../src/devEnclave/attestation/authority.ts';
import { REAL_DOCUMENT } from '../../support/realDocument.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const SPECS = chainSpecs(NOW);
const LEAF = SPECS[3];

function verify(specs: readonly CertificateSpec[]): ReturnType<typeof verifyChain> {
  const { cabundle, leaf } = issueChain(specs);
  return verifyChain(cabundle, leaf.der);
}

/** The correct chain with one certificate changed: 0 is the root, 1 and 2 are intermediates, 3 is the leaf. */
function withChange(index: number, changes: Partial<CertificateSpec>): CertificateSpec[] {
  return SPECS.map((spec, at) => (at === index ? { ...spec, ...changes } : spec));
}

function isBroken(specs: readonly CertificateSpec[], message: RegExp): void {
  assert.throws(() => verify(specs), { name: 'AttestationError', code: 'certificate_chain', message });
}

describe('verifyChain()', () => {
  it('accepts the chain of the real document', () => {
    const { cabundle, certificate } = parsePayload(parseSignedEnvelope(REAL_DOCUMENT).payload);
    const { authorities, leaf } = verifyChain(cabundle, certificate);
    assert.deepEqual(
      authorities.map(({ pathLength }) => pathLength),
      [undefined, 2, 1, 0],
    );
    assert.match(leaf.subjectText, /CN=i-06c79bf817127030a-enc0192d3d4945e0432\.us-east-2\.aws$/);
  });

  it('accepts the chain of a development authority', () => {
    assert.deepEqual(
      verify(SPECS).authorities.map(({ pathLength }) => pathLength),
      [undefined, 1, 0],
    );
  });

  it('accepts a chain of root and leaf only', () => {
    assert.equal(verify([SPECS[0], LEAF]).authorities.length, 1);
  });

  it('rejects a certificate with a different issuer name', () => {
    for (const index of [1, 2, 3]) isBroken(withChange(index, { issuer: 'someone else' }), /not issued by/);
  });

  it('rejects a certificate that is signed with a different key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    for (const index of [1, 2, 3]) isBroken(withChange(index, { signWith: privateKey }), /not signed by/);
  });

  it('rejects a chain with a missing or misplaced certificate', () => {
    const { cabundle, leaf } = createAuthority(NOW);
    const [root, zone, instance] = cabundle;
    assert.ok(root && zone && instance);
    for (const bundle of [
      [root, zone],
      [root, instance],
      [zone, root, instance],
      [root, instance, zone],
    ]) {
      assert.throws(() => verifyChain(bundle, leaf.der), { code: 'certificate_chain' });
    }
  });

  it('rejects certificates of a different authority with the same names', () => {
    const { cabundle } = createAuthority(NOW);
    assert.throws(() => verifyChain(cabundle, createAuthority(NOW).leaf.der), {
      code: 'certificate_chain',
      message: /not signed by/,
    });
  });

  it('rejects an issuer that is not a certificate authority', () => {
    for (const index of [0, 1, 2]) {
      isBroken(
        withChange(index, { extensions: [basicConstraints(false), keyUsage('keyCertSign')] }),
        /not a certificate authority/,
      );
      isBroken(withChange(index, { extensions: [keyUsage('keyCertSign')] }), /not a certificate authority/);
    }
  });

  it('rejects an issuer whose key may not sign certificates', () => {
    for (const index of [0, 1, 2]) {
      isBroken(
        withChange(index, { extensions: [basicConstraints(true), keyUsage('digitalSignature')] }),
        /may not sign cert/,
      );
    }
  });

  it('accepts certificates without key usage', () => {
    assert.ok(verify(withChange(1, { extensions: [basicConstraints(true)] })));
    assert.ok(verify(withChange(3, { extensions: [] })));
  });

  it('rejects a leaf that is a certificate authority', () => {
    isBroken(withChange(3, { extensions: [basicConstraints(true), keyUsage('digitalSignature')] }), /leaf that is a/);
  });

  it('rejects a leaf whose key may not sign documents', () => {
    isBroken(
      withChange(3, { extensions: [basicConstraints(false), keyUsage('keyCertSign')] }),
      /may not sign documents/,
    );
  });

  it('enforces the path length of each issuer', () => {
    const authority = (subject: string, pathLength?: number): CertificateSpec => ({
      ...SPECS[0],
      subject,
      extensions: [basicConstraints(true, pathLength)],
    });
    for (const intermediates of [0, 1, 2, 3]) {
      for (const limit of [0, 1, 2, 3]) {
        const names = Array.from({ length: intermediates }, (_, index) => authority(`intermediate ${index}`));
        for (const above of [[], [authority('above')]]) {
          const specs = [...above, authority('limited', limit), ...names, LEAF];
          if (intermediates <= limit) assert.equal(verify(specs).authorities.length, specs.length - 1);
          else isBroken(specs, /more certificates than the path length allows/);
        }
      }
    }
  });

  it('excludes self-issued certificates from the path length', () => {
    const root = { ...SPECS[0], extensions: [basicConstraints(true, 0)] };
    assert.equal(verify([root, { ...root, notAfter: NOW }, LEAF]).authorities.length, 2);
    isBroken([root, { ...root, subject: 'another name' }, LEAF], /more certificates than the path length allows/);
  });
});
