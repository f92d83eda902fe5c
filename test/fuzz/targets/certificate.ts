// Certificates: what is found in them is what OpenSSL finds in the same bytes. It refuses more: attributes of a name that are
// no texts, for example.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { RICH_CHAIN, RICH_KEYS } from '../../../conformance/nitro/generator/chains.ts';
import { parseCertificate } from '../../../src/attestation/certificates.ts';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { parsePayload } from '../../../src/attestation/document.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { asBuffer } from '../../../src/shared/bytes.ts';
import { mutateCertificate } from '../../support/certificateMutations.ts';
import { REAL_DOCUMENT } from '../../support/realDocument.ts';
import type { FuzzTarget } from '../target.ts';

const { certificate: LEAF, cabundle: AUTHORITIES } = parsePayload(parseSignedEnvelope(REAL_DOCUMENT).payload);

export const target: FuzzTarget = {
  maxLength: 4096,
  seeds: () => [LEAF, ...AUTHORITIES, ...RICH_CHAIN],
  mutate: (input, random) => {
    try {
      return mutateCertificate(input, RICH_KEYS.leaf, random).bytes;
    } catch {
      return input; // not DER
    }
  },
  run: (input) => {
    let ours;
    try {
      ours = parseCertificate(input);
    } catch (error) {
      assert.ok(error instanceof AttestationError, String(error));
      assert.ok(['malformed_certificate', 'certificate_algorithm'].includes(error.code), error.code);
      return;
    }
    let theirs;
    try {
      theirs = new X509Certificate(input);
    } catch {
      return;
    }
    assert.deepEqual(theirs.raw, input);
    assert.equal(BigInt(`0x${theirs.serialNumber}`), BigInt(`0x${asBuffer(ours.serialNumber).toString('hex')}`));
    assert.equal(ours.notBefore, theirs.validFromDate.getTime());
    assert.equal(ours.notAfter, theirs.validToDate.getTime());
    // OpenSSL also takes other extensions into account, so it finds fewer authorities.
    if (theirs.ca) assert.ok(ours.isCa);
    assert.ok(ours.publicKey.equals(theirs.publicKey));
  },
};
