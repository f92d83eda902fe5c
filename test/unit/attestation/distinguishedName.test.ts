import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { CHAIN_CASES } from '../../../conformance/nitro/generator/chains.ts';
import { parseCertificate } from '../../../src/attestation/certificates.ts';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { DerReader } from '../../../src/attestation/der.ts';
import { distinguishedName } from '../../../src/attestation/distinguishedName.ts';
import { parsePayload } from '../../../src/attestation/document.ts';
import { encodeDer, encodeOid } from '../../../src/devEnclave/attestation/der.ts';
import { REAL_DOCUMENT } from '../../support/realDocument.ts';

/** The subject of the leaf of a case. */
function subjectOf(name: string): string {
  const chain = CHAIN_CASES.find((one) => one.name === name)?.chain ?? assert.fail(name);
  return parseCertificate(chain[2]).subjectText;
}

type StringType = 'utf8String' | 'printableString' | 'ia5String';

/** A name of one attribute. */
function makeName(oid: string, tag: StringType, bytes: readonly number[]): string {
  const attribute = encodeDer('sequence', encodeOid(oid), encodeDer(tag, Uint8Array.from(bytes)));
  return distinguishedName(new DerReader(encodeDer('sequence', encodeDer('set', attribute))).any());
}

const nameOf = (tag: StringType, ...bytes: readonly number[]) => makeName('2.5.4.3', tag, bytes);

describe('distinguishedName()', () => {
  it('writes the names of AWS as OpenSSL does', () => {
    const { cabundle, certificate } = parsePayload(parseSignedEnvelope(REAL_DOCUMENT).payload);
    for (const der of [...cabundle, certificate]) {
      assert.equal(parseCertificate(der).subjectText, new X509Certificate(der).subject);
    }
  });

  it('escapes what RFC 4514 requires, and control characters', () => {
    assert.equal(subjectOf('a name that is a number sign'), 'CN=\\#');
    assert.equal(subjectOf('a name that is a space'), 'CN=\\ ');
    assert.equal(
      subjectOf('a name with everything that has a backslash'),
      'CN=\\ \\"\\+\\,\\;\\<\\>\\\\#\\00\\0A\\7Fé\ufeff\\ ',
    );
  });

  it('has a short name for each type of RFC 4514', () => {
    assert.equal(
      subjectOf('a name with all nine short types'),
      'CN=x\nL=x\nST=x\nO=x\nOU=x\nC=x\nSTREET=x\nDC=x@y\nUID=x',
    );
  });

  it('joins the attributes of one relative name by a plus sign', () => {
    assert.equal(subjectOf('a relative name with two attributes'), 'CN=a+CN=b');
  });

  it('refuses text that is not UTF-8, and characters that the type of a string does not have', () => {
    assert.equal(nameOf('utf8String', 0xc3, 0xa9), 'CN=é');
    assert.equal(nameOf('utf8String', 0xef, 0xbb, 0xbf, 0x61), 'CN=\ufeffa', 'a mark of the byte order is a character');
    for (const bytes of [[0xe9], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
      assert.throws(() => nameOf('utf8String', ...bytes), /./, String(bytes));
    }
    assert.throws(() => nameOf('printableString', 0x40), /characters that its type does not allow/);
    assert.throws(() => nameOf('ia5String', 0xe9), /characters that its type does not allow/);
  });

  it('writes other types and values in hex', () => {
    assert.equal(subjectOf('a name with an attribute of another type'), '1.3.6.1.4.1.99999.1=#0500');
    assert.equal(makeName('1.2.3', 'utf8String', [0x61]), '1.2.3=#0C0161');
    assert.equal(subjectOf('a name in ISO 8859-1 (T61String)'), 'CN=#1401E9');
    assert.equal(subjectOf('a name in UTF-16 (BMPString)'), 'CN=#1E0200E9');
  });
});
