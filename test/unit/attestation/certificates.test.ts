import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { parseCertificate } from '../../../src/attestation/certificates.ts';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
import {
  type CertificateSpec,
  basicConstraints,
  chainSpecs,
  issueChain,
  keyUsage,
} from '../../../src/devEnclave/attestation/authority.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const [ROOT] = chainSpecs(NOW);

/** DER of a self-issued certificate, correct except for `changes`. */
function certificate(changes: Partial<CertificateSpec> = {}): Uint8Array {
  const spec = { ...ROOT, ...changes };
  return issueChain([spec, ROOT]).cabundle[0] ?? assert.fail();
}

function isMalformed(der: Uint8Array, why: RegExp): void {
  assert.throws(
    () => parseCertificate(der),
    (error: { code?: unknown; cause?: { message?: string } }) => {
      assert.equal(error.code, 'malformed_certificate');
      assert.match(error.cause?.message ?? '', why);
      return true;
    },
  );
}

function usesWrongAlgorithm(changes: Partial<CertificateSpec>, message: RegExp): void {
  assert.throws(() => parseCertificate(certificate(changes)), { code: 'certificate_algorithm', message });
}

const unknownExtension = (critical: boolean) => ({ oid: '1.3.6.1.4.1.99999.1', critical, value: Uint8Array.of(5, 0) });

describe('parseCertificate()', () => {
  it('returns the properties of the AWS root', () => {
    const { isCa, pathLength, keyUsage, notBefore, notAfter, subjectText } = parseCertificate(
      AWS_NITRO_ROOT.roots[0] ?? assert.fail(),
    );
    assert.deepEqual(
      { isCa, pathLength, keyUsage },
      {
        isCa: true,
        pathLength: undefined,
        keyUsage: { certificateSigning: true, digitalSignature: true },
      },
    );
    assert.equal(notBefore, Date.UTC(2019, 9, 28, 13, 28, 5));
    assert.equal(notAfter, Date.UTC(2049, 9, 28, 14, 28, 5));
    assert.equal(subjectText, 'C=US\nO=Amazon\nOU=AWS\nCN=aws.nitro-enclaves');
  });

  it('accepts a path length, a key usage, or neither', () => {
    const limited = parseCertificate(certificate({ extensions: [basicConstraints(true, 3), keyUsage('keyCertSign')] }));
    assert.equal(limited.pathLength, 3);
    assert.deepEqual(limited.keyUsage, { certificateSigning: true, digitalSignature: false });
    const signing = parseCertificate(
      certificate({ extensions: [basicConstraints(false), keyUsage('digitalSignature')] }),
    );
    assert.equal(signing.isCa, false);
    assert.deepEqual(signing.keyUsage, { certificateSigning: false, digitalSignature: true });
    const bare = parseCertificate(certificate({ extensions: [] }));
    assert.deepEqual([bare.isCa, bare.pathLength, bare.keyUsage], [false, undefined, undefined]);
  });

  it('accepts unknown extensions that are not critical', () => {
    assert.ok(parseCertificate(certificate({ extensions: [basicConstraints(true), unknownExtension(false)] })).isCa);
  });

  it('rejects an unknown critical extension', () => {
    isMalformed(certificate({ extensions: [basicConstraints(true), unknownExtension(true)] }), /unknown critical/);
  });

  it('rejects a repeated extension', () => {
    isMalformed(
      certificate({ extensions: [basicConstraints(true), basicConstraints(true, 0)] }),
      /a repeated extension/,
    );
    isMalformed(
      certificate({ extensions: [unknownExtension(false), unknownExtension(false)] }),
      /a repeated extension/,
    );
  });

  it('rejects a negative path length', () => {
    isMalformed(certificate({ extensions: [basicConstraints(true, -1)] }), /negative/);
  });

  it('rejects versions other than 3', () => {
    isMalformed(certificate({ version: 2 }), /version 3/);
  });

  it('rejects an invalid date', () => {
    const valid = { notBefore: '250101000000Z', notAfter: '270101000000Z' };
    assert.equal(parseCertificate(certificate(valid)).notAfter, Date.UTC(2027, 0, 1));
    isMalformed(certificate({ ...valid, notBefore: '251301000000Z' }), /./);
    isMalformed(certificate({ ...valid, notAfter: '271301000000Z' }), /./);
  });

  it('rejects trailing bytes', () => {
    isMalformed(concatBytes(certificate(), Uint8Array.of(0)), /further bytes/);
    isMalformed(concatBytes(certificate(), certificate()), /further bytes/);
  });

  it('rejects a length that is not in its shortest form', () => {
    const der = certificate();
    assert.deepEqual([...der.subarray(0, 2)], [0x30, 0x82]);
    isMalformed(concatBytes(Uint8Array.of(0x30, 0x83, 0), der.subarray(2)), /more than two bytes/);
  });

  it('rejects PEM', () => {
    isMalformed(Buffer.from(new X509Certificate(certificate()).toString()), /tag 45 instead of 48/);
  });

  it('rejects truncated certificates and other data', () => {
    for (const der of [certificate().subarray(0, -1), new Uint8Array(300), Buffer.from('certificate')])
      isMalformed(der, /./);
  });

  it('rejects a signature with SHA-256', () => {
    usesWrongAlgorithm({ hash: 'sha256' }, /ECDSA and SHA-384/);
  });

  it('rejects different algorithms inside the signed part and next to the signature', () => {
    usesWrongAlgorithm({ hash: 'sha384', innerHash: 'sha256' }, /ECDSA and SHA-384/);
    usesWrongAlgorithm({ hash: 'sha256', innerHash: 'sha384' }, /ECDSA and SHA-384/);
  });

  it('rejects a key that is not on P-384', () => {
    usesWrongAlgorithm({ curve: 'P-256' }, /P-384/);
  });
});
