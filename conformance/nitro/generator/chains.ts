// Chains of three that differ from a correct one in one place.
import type { KeyObject } from 'node:crypto';
import { encodeDer, encodeOid } from '../../../src/devEnclave/attestation/der.ts';
import type { Facts } from './cases.ts';
import {
  AUTHORITY,
  AUTHORITY_KEY,
  BASIC_CONSTRAINTS,
  CERTIFICATE_SIGNING,
  type Changes,
  DIGITAL_SIGNATURE,
  EC_P384,
  END_ENTITY,
  FALSE,
  ID_EC,
  INTERMEDIATE,
  INTERMEDIATE_KEY,
  KEY_USAGE,
  LEAF,
  NOTHING,
  ROOT,
  ROOT_NAME,
  SUBJECT_KEY,
  TRUE,
  additional,
  ascii,
  attribute,
  authorityKey,
  chainOf,
  commonName,
  constraints,
  extension,
  extensions,
  generalized,
  hex,
  integer,
  leafExtensions,
  name,
  period,
  sequence,
  usage,
  utc,
} from './certificates.ts';
import { P256, keyOf } from './signer.ts';

type Refusal = 'malformed_certificate' | 'certificate_algorithm' | 'certificate_chain';

export interface ChainCase extends Facts {
  /** DER: root, intermediate, leaf. */
  readonly chain: readonly [Uint8Array, Uint8Array, Uint8Array];
  readonly leafKey: KeyObject;
  /** Why the chain is refused; undefined: it is not. */
  readonly refused: Refusal | undefined;
}

interface ThreeChanges {
  readonly root?: Changes;
  readonly intermediate?: Changes;
  readonly leaf?: Changes;
}

interface ChainGroup extends Omit<Facts, 'name'> {
  readonly refused: Refusal | undefined;
  readonly chains: Readonly<Record<string, ThreeChanges>>;
}

function chainWith({ root, intermediate, leaf }: ThreeChanges): [Uint8Array, Uint8Array, Uint8Array] {
  const { authorities, leaf: last } = chainOf(root, [intermediate ?? {}], leaf);
  return [authorities[0] ?? NOTHING, authorities[1] ?? NOTHING, last];
}

function key(point: Uint8Array, algorithm = EC_P384, unusedBits = hex('00')): Changes {
  return { publicKey: sequence(algorithm, encodeDer('bitString', unusedBits, point)) };
}

const POINT = LEAF.publicKey.subarray(-97);
const [X, Y] = [POINT.subarray(1, 49), POINT.subarray(49)];
const IS_ODD = (Y.at(-1) ?? 0) % 2;

/** ECParameters of P-384 written out (RFC 3279 section 2.3.5), which RFC 5480 forbids. */
function explicitParameters(): Uint8Array {
  const prime = hex('fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff');
  const a = hex('fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000fffffffc');
  const b = hex('b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef');
  const generator = hex(
    `04 aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7
     3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f`,
  );
  const order = hex('ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973');
  const zero = hex('00');
  return sequence(
    ID_EC,
    sequence(
      integer('01'),
      sequence(hex('0607 2a8648ce3d0101'), encodeDer('integer', zero, prime)),
      sequence(encodeDer('octetString', a), encodeDer('octetString', b)),
      encodeDer('octetString', generator),
      encodeDer('integer', zero, order),
      integer('01'),
    ),
  );
}

const UNKNOWN = '1.3.6.1.4.1.99999.1';
const SUBJECT_ALT_NAME = '2.5.29.17';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const DISTRIBUTION_POINTS = '2.5.29.31';
const NOT_DER = hex('ff00ff');

const authorityExtensions = (...list: readonly Uint8Array[]): { readonly intermediate: Changes } => ({
  intermediate: { extensions: extensions(...list) },
});
const leafPeriod = (from: Uint8Array, to = utc('270101000000Z')) => ({ leaf: { validity: period(from, to) } });
const leafSubject = (...attributes: readonly Uint8Array[]) => ({ leaf: { subject: name(...attributes) } });
const text = (tag: number, content: string) => leafSubject(attribute('2.5.4.3', encodeDer(tag, hex(content))));
const directoryName = (of: Uint8Array) => encodeDer(0xa1, encodeDer(0xa4, of));

const RSA = hex('300d 0609 2a864886f70d01010b 0500');

const GROUPS: readonly ChainGroup[] = [
  {
    area: 'chain',
    refused: undefined,
    strength: 'required',
    clause: 'RFC 5280 section 6.1',
    chains: {
      'a correct chain': {},
    },
  },
  {
    area: 'der',
    refused: undefined,
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.5',
    chains: {
      'a date from 2050 on': leafPeriod(utc('260101000000Z'), generalized('20500101000000Z')),
      'the last date': leafPeriod(utc('260101000000Z'), generalized('99991231235959Z')),
      'the first date': leafPeriod(utc('500101000000Z')),
      'a leap day': leafPeriod(utc('240229235959Z')),
    },
  },
  {
    area: 'der',
    refused: undefined,
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.2',
    chains: {
      'a serial number of 20 bytes whose first bit is one': { leaf: { serialNumber: integer(`00${'ff'.repeat(20)}`) } },
    },
  },
  {
    area: 'extensions',
    refused: undefined,
    strength: 'profile',
    clause: 'AWS section 3.2.3.3',
    chains: {
      'a leaf without extensions': { leaf: { extensions: NOTHING } },
      'a leaf without key usage': { leaf: leafExtensions(constraints()) },
    },
  },
  {
    area: 'extensions',
    refused: undefined,
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.3',
    chains: {
      'key usage with nine bits': { leaf: leafExtensions(usage('07 8080')) },
      'key usage that is not critical': {
        leaf: leafExtensions(extension(KEY_USAGE, encodeDer('bitString', hex(DIGITAL_SIGNATURE)))),
      },
    },
  },
  {
    area: 'extensions',
    refused: undefined,
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.9',
    chains: {
      'constraints that are not critical': authorityExtensions(extension(BASIC_CONSTRAINTS, sequence(TRUE))),
    },
  },
  {
    area: 'path-length',
    refused: undefined,
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.9',
    chains: {
      'a path length that no number has room for': authorityExtensions(
        constraints(TRUE, integer(`7f${'ff'.repeat(200)}`)),
      ),
    },
  },
  {
    area: 'extensions',
    refused: undefined,
    strength: 'required',
    clause: 'RFC 5280 section 4.2',
    chains: {
      'an unknown extension that is not DER': { leaf: additional(extension(UNKNOWN, NOT_DER)) },
    },
  },
  {
    area: 'extensions',
    refused: undefined,
    strength: 'profile',
    clause: 'RFC 5280 section 4.2',
    chains: {
      'alternative names that are not DER': { leaf: additional(extension(SUBJECT_ALT_NAME, NOT_DER)) },
      'distribution points that are not DER': { leaf: additional(extension(DISTRIBUTION_POINTS, NOT_DER)) },
      'purposes of a key that are not critical': {
        leaf: additional(extension(EXTENDED_KEY_USAGE, sequence(encodeOid('1.3.6.1.5.5.7.3.1')))),
      },
      'an empty list of purposes': { leaf: additional(extension(EXTENDED_KEY_USAGE, sequence())) },
      'a root with purposes': {
        root: {
          extensions: extensions(...AUTHORITY, extension(EXTENDED_KEY_USAGE, sequence(encodeOid('1.3.6.1.5.5.7.3.1')))),
        },
      },
    },
  },
  {
    area: 'chain',
    refused: undefined,
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.1',
    chains: {
      'a root that names another key': {
        root: { extensions: extensions(...AUTHORITY, authorityKey(encodeDer(0x80, hex('00')))) },
      },
    },
  },
  {
    area: 'chain',
    refused: undefined,
    strength: 'required',
    clause: 'RFC 5280 section 4.2.1.1',
    chains: {
      'the key of the issuer by its identifier': { leaf: additional(authorityKey(encodeDer(0x80, INTERMEDIATE_KEY))) },
      'the key of the issuer by everything': {
        leaf: additional(
          authorityKey(encodeDer(0x80, INTERMEDIATE_KEY), directoryName(ROOT_NAME), encodeDer(0x82, hex('40'))),
        ),
      },
      'an authority key identifier that says nothing': { leaf: additional(authorityKey()) },
      'the identifier of a key whose certificate has none': {
        intermediate: { extensions: extensions(...AUTHORITY, authorityKey(encodeDer(0x80, hex('00')))) },
      },
    },
  },
  {
    area: 'names',
    refused: undefined,
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.4',
    chains: {
      'a relative name with two attributes': {
        leaf: { subject: sequence(encodeDer('set', commonName('a'), commonName('b'))) },
      },
      'a name with an attribute of another type': leafSubject(attribute(UNKNOWN, hex('0500'))),
      'a name in ISO 8859-1 (T61String)': text(0x14, 'e9'),
      'a name in UTF-16 (BMPString)': text(0x1e, '00e9'),
      'a name that is a number sign': text(0x0c, '23'),
      'a name that is a space': text(0x0c, '20'),
      'a name with everything that has a backslash': text(0x0c, '20 22 2b 2c 3b 3c 3e 5c 23 00 0a 7f c3a9 efbbbf 20'),
      'a name with all nine short types': leafSubject(
        ...['2.5.4.3', '2.5.4.7', '2.5.4.8', '2.5.4.10', '2.5.4.11', '2.5.4.6', '2.5.4.9'].map((oid) =>
          attribute(oid, encodeDer(0x13, ascii('x'))),
        ),
        attribute('0.9.2342.19200300.100.1.25', encodeDer(0x16, ascii('x@y'))),
        attribute('0.9.2342.19200300.100.1.1', encodeDer(0x0c, ascii('x'))),
      ),
    },
  },
  {
    area: 'names',
    refused: undefined,
    strength: 'profile',
    clause: 'RFC 5280 section 4.1.2.4',
    chains: {
      'a name that is empty text': text(0x0c, ''),
    },
  },
  {
    area: 'points',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5480 section 2.2',
    chains: {
      'a point at infinity': { leaf: key(hex('00')) },
      'a point that is not on the curve': { leaf: key(hex(`04${'11'.repeat(96)}`)) },
      'a coordinate that is not reduced': { leaf: key(hex(`04${'ff'.repeat(96)}`)) },
      'a hybrid point': { leaf: key(new Uint8Array([6 + IS_ODD, ...X, ...Y])) },
      'an empty key': { leaf: key(NOTHING) },
      'a point with further bytes': { leaf: key(new Uint8Array([...POINT, 0])) },
      'a further element in the public key': {
        leaf: { publicKey: sequence(EC_P384, encodeDer('bitString', hex('00'), POINT), hex('0500')) },
      },
      'unused bits in a key': { leaf: key(POINT, EC_P384, hex('01')) },
    },
  },
  {
    area: 'points',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5480 section 2.2',
    chains: {
      'a compressed point': { leaf: key(new Uint8Array([2 + IS_ODD, ...X])) },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.5',
    chains: {
      '29 February in a year without one': leafPeriod(utc('250229000000Z')),
      '31 April': leafPeriod(utc('250431000000Z')),
      '30 February': leafPeriod(utc('240230000000Z')),
      'a day 0': leafPeriod(utc('250100000000Z')),
      'a month 13': leafPeriod(utc('251301000000Z')),
      '24:00:00': leafPeriod(utc('250101240000Z')),
      'a minute 60': leafPeriod(utc('250101006000Z')),
      'a time without seconds': leafPeriod(utc('2501010000Z')),
      'a time with a zone': leafPeriod(utc('250101000000+0000')),
      'a time with a fraction': leafPeriod(utc('260101000000Z'), generalized('20500101000000.5Z')),
      'a generalized time before 2050': leafPeriod(generalized('20250101000000Z')),
      'a time of another type': leafPeriod(encodeDer('utf8String', ascii('250101000000Z'))),
      'a third time': {
        leaf: { validity: sequence(utc('260101000000Z'), utc('270101000000Z'), utc('270101000000Z')) },
      },
      'one time': { leaf: { validity: sequence(utc('260101000000Z')) } },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.1.2.5',
    chains: {
      'a second 60': leafPeriod(utc('241231235960Z')),
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.1.2.2',
    chains: {
      'a serial number of zero': { leaf: { serialNumber: integer('00') } },
      'a negative serial number': { leaf: { serialNumber: integer('80') } },
      'a serial number of 21 bytes': { leaf: { serialNumber: integer(`01${'00'.repeat(20)}`) } },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 8.3',
    chains: {
      'a serial number with a superfluous byte': { leaf: { serialNumber: integer('0001') } },
      'an empty serial number': { leaf: { serialNumber: integer('') } },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.1',
    chains: {
      'a serial number that is an enumeration': { leaf: { serialNumber: hex('0a0140') } },
      'a subject that is a set': { leaf: { subject: encodeDer('set', encodeDer('set', commonName('a'))) } },
      'a relative name that is a sequence': { leaf: { subject: sequence(sequence(commonName('a'))) } },
      'an attribute that is a set': leafSubject(encodeDer('set', encodeOid('2.5.4.3'), hex('0c0161'))),
      'an extension whose value is a bit string': {
        leaf: additional(sequence(encodeOid(UNKNOWN), encodeDer('bitString', hex('00')))),
      },
      'key usage that is an octet string': {
        leaf: leafExtensions(constraints(), extension(KEY_USAGE, encodeDer('octetString', hex(DIGITAL_SIGNATURE)))),
      },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.1',
    chains: {
      'version 2': { leaf: { version: hex('a003020101') } },
      'no version': { leaf: { version: NOTHING } },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 10.1',
    chains: {
      'a version with a long length': { leaf: { version: hex('a08103020102') } },
      'a long length': { leaf: { serialNumber: hex('02810140') } },
      'a length of three bytes': { leaf: { serialNumber: hex('0283000001 40') } },
      'an indefinite length': { leaf: { serialNumber: hex('0280400000') } },
      'a long length in a name': { leaf: { subject: hex('308111 310f300d060355040313066d61707065') } },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.1.2.8',
    chains: {
      'a unique ID': { leaf: { publicKey: new Uint8Array([...LEAF.publicKey, ...hex('81020000')]) } },
    },
  },
  {
    area: 'names',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.1.2.6',
    chains: {
      'an empty subject': { leaf: { subject: sequence() } },
    },
  },
  {
    area: 'names',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.6',
    chains: {
      'an authority with an empty subject': { intermediate: { subject: sequence() } },
      'a root with an empty subject': { root: { subject: sequence(), issuer: sequence() } },
    },
  },
  {
    area: 'names',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.4',
    chains: {
      'an empty relative name': { leaf: { subject: sequence(encodeDer('set')) } },
      'an attribute value that is cut off': leafSubject(attribute('2.5.4.3', hex('140561'))),
      'an attribute value without a length': leafSubject(attribute('2.5.4.3', hex('14'))),
      'a root whose issuer has an empty relative name': { root: { issuer: sequence(encodeDer('set')) } },
      'an attribute without a value': leafSubject(sequence(encodeOid('2.5.4.3'))),
      'an attribute with two values': leafSubject(sequence(encodeOid('2.5.4.3'), hex('0c0161'), hex('0c0162'))),
    },
  },
  {
    area: 'names',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 11.6',
    chains: {
      'attributes that are not sorted': {
        leaf: { subject: sequence(encodeDer('set', commonName('b'), commonName('a'))) },
      },
      'an attribute twice': { leaf: { subject: sequence(encodeDer('set', commonName('a'), commonName('a'))) } },
    },
  },
  {
    area: 'names',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 8.23',
    chains: {
      'text that is not UTF-8': text(0x0c, 'ff'),
      'printable text with an underscore': text(0x13, '5f'),
      'ASCII text with a high bit': text(0x16, 'e9'),
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 8.19',
    chains: {
      'an attribute type that is cut off': leafSubject(sequence(hex('0603550483'), hex('0c0161'))),
      'an attribute type not in its shortest form': leafSubject(sequence(hex('06045504 8003'), hex('0c0161'))),
      'an empty attribute type': leafSubject(sequence(hex('0600'), hex('0c0161'))),
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'X.690 section 8.1.2',
    chains: {
      'a value whose tag announces further bytes': leafSubject(attribute('2.5.4.3', hex('1f0161'))),
      'a value with a tag of several bytes': leafSubject(attribute('2.5.4.3', hex('1f810161'))),
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.9',
    chains: {
      'an empty list of extensions': { leaf: { extensions: extensions() } },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.2',
    chains: {
      'a repeated extension': { leaf: additional(constraints()) },
      'a repeated unknown extension': { leaf: additional(extension(UNKNOWN, NOT_DER), extension(UNKNOWN, NOT_DER)) },
      'an unknown critical extension': { leaf: additional(extension(UNKNOWN, hex('0500'), TRUE)) },
      'an extension with further bytes': {
        leaf: additional(sequence(encodeOid(UNKNOWN), encodeDer('octetString', NOT_DER), hex('0500'))),
      },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.2',
    chains: {
      'a critical key identifier': {
        leaf: additional(extension(SUBJECT_KEY, encodeDer('octetString', hex('00')), TRUE)),
      },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.6',
    chains: {
      'critical alternative names': {
        leaf: additional(extension(SUBJECT_ALT_NAME, sequence(encodeDer(0x82, ascii('a.example'))), TRUE)),
      },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 11.1',
    chains: {
      'an extension with another true': { leaf: additional(extension(UNKNOWN, hex('0500'), hex('010101'))) },
      'constraints with another true': authorityExtensions(constraints(hex('010101'))),
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 11.2.2',
    chains: {
      'key usage with a zero bit at its end': { leaf: leafExtensions(constraints(), usage('0680')) },
      'key usage with padding bits': { leaf: leafExtensions(constraints(), usage('0781')) },
      'key usage with a zero byte at its end': { leaf: leafExtensions(constraints(), usage('07 8000')) },
      'key usage with more unused bits than a byte has': { leaf: leafExtensions(constraints(), usage('0880')) },
      'key usage with 32 unused bits': { leaf: leafExtensions(constraints(), usage('2081')) },
      'key usage that is an empty bit string': { leaf: leafExtensions(constraints(), usage('')) },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 11.5',
    chains: {
      'an extension with an explicit false': { leaf: additional(extension(UNKNOWN, hex('0500'), FALSE)) },
      'constraints with an explicit false': { leaf: leafExtensions(constraints(FALSE), usage(DIGITAL_SIGNATURE)) },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.10',
    chains: {
      'name constraints that are not critical': authorityExtensions(
        ...AUTHORITY,
        extension('2.5.29.30', sequence(encodeDer(0xa0, sequence(encodeDer(0x82, ascii('example.com')))))),
      ),
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.11',
    chains: {
      'policy constraints that are not critical': authorityExtensions(
        ...AUTHORITY,
        extension('2.5.29.36', sequence(hex('800100'))),
      ),
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.14',
    chains: {
      'inhibit anyPolicy that is not critical': authorityExtensions(
        ...AUTHORITY,
        extension('2.5.29.54', integer('00')),
      ),
    },
  },
  {
    area: 'path-length',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.2.1.9',
    chains: {
      'a path length without authority': { leaf: leafExtensions(constraints(integer('00')), usage(DIGITAL_SIGNATURE)) },
      'a negative path length': authorityExtensions(constraints(TRUE, integer('ff'))),
    },
  },
  {
    area: 'path-length',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'X.690 section 8.3',
    chains: {
      'an empty path length': authorityExtensions(constraints(TRUE, integer(''))),
      'a path length with a superfluous byte': authorityExtensions(constraints(TRUE, integer('0001'))),
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.2.1.9',
    chains: {
      'constraints with further elements': authorityExtensions(constraints(TRUE, integer('01'), integer('01'))),
      'constraints with further bytes': authorityExtensions(
        extension(BASIC_CONSTRAINTS, new Uint8Array([...sequence(TRUE), 5, 0]), TRUE),
      ),
      'constraints that are not DER': authorityExtensions(extension(BASIC_CONSTRAINTS, NOT_DER, TRUE)),
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.2.1.3',
    chains: {
      'key usage without bits': { leaf: leafExtensions(constraints(), usage('00')) },
      'key usage that is not DER': { leaf: leafExtensions(constraints(), extension(KEY_USAGE, NOT_DER)) },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.2',
    chains: {
      'a key identifier that is not DER': { leaf: additional(extension(SUBJECT_KEY, NOT_DER)) },
    },
  },
  {
    area: 'extensions',
    refused: 'malformed_certificate',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.1',
    chains: {
      'data after the authority key identifier': {
        leaf: additional(extension(AUTHORITY_KEY, new Uint8Array([...sequence(), 5, 0]))),
      },
      'further elements in the authority key identifier': { leaf: additional(authorityKey(hex('830100'))) },
      'an authority key identifier in another order': {
        leaf: additional(authorityKey(encodeDer(0x82, hex('40')), encodeDer(0x80, INTERMEDIATE_KEY))),
      },
      'an authority key identifier with a host name': {
        leaf: additional(authorityKey(encodeDer(0xa1, encodeDer(0x82, ascii('a.example'))))),
      },
      'an authority key identifier that is not DER': { leaf: additional(extension(AUTHORITY_KEY, NOT_DER)) },
    },
  },
  {
    area: 'der',
    refused: 'malformed_certificate',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.1.3',
    chains: {
      'a further element after the signature': { leaf: { afterSignature: hex('0500') } },
      'a further byte after the signature': { leaf: { afterSignature: hex('00') } },
      'a further byte after the certificate': { leaf: { afterCertificate: hex('00') } },
      'unused bits in the signature': { leaf: { unusedBits: hex('01') } },
    },
  },
  {
    area: 'algorithms',
    refused: 'certificate_algorithm',
    strength: 'required',
    clause: 'RFC 5480 section 2.1.1',
    chains: {
      'explicit curve parameters': { leaf: key(POINT, explicitParameters()) },
      'a key without a curve': { leaf: key(POINT, sequence(ID_EC)) },
    },
  },
  {
    area: 'algorithms',
    refused: 'certificate_algorithm',
    strength: 'profile',
    clause: 'AWS section 3.1',
    chains: {
      'a key on P-256': { leaf: { publicKey: keyOf('leaf', P256).publicKey } },
    },
  },
  {
    area: 'algorithms',
    refused: 'certificate_algorithm',
    strength: 'required',
    clause: 'X.690 section 10.1',
    chains: {
      'a curve with a long length': { leaf: key(POINT, hex('3011 0607 2a8648ce3d0201 068105 2b81040022')) },
      'an inner algorithm with a long length': { leaf: { algorithm: hex('300b 068108 2a8648ce3d040303') } },
      'an outer algorithm with a long length': { leaf: { outerAlgorithm: hex('300b 068108 2a8648ce3d040303') } },
    },
  },
  {
    area: 'algorithms',
    refused: 'certificate_algorithm',
    strength: 'required',
    clause: 'RFC 5758 section 3.2',
    chains: {
      'an inner algorithm with parameters': { leaf: { algorithm: hex('300c 0608 2a8648ce3d040303 0500') } },
    },
  },
  {
    area: 'algorithms',
    refused: 'certificate_algorithm',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.1.2',
    chains: {
      'another outer algorithm': { leaf: { outerAlgorithm: hex('300a 0608 2a8648ce3d040302') } },
      'another inner algorithm': { leaf: { algorithm: RSA } },
    },
  },
  {
    area: 'extensions',
    refused: 'certificate_chain',
    strength: 'required',
    clause: 'AWS section 3.2.3.3',
    chains: {
      'a leaf that may not sign documents': { leaf: leafExtensions(constraints(), usage('0640')) },
      'an intermediate that may not sign certificates': authorityExtensions(constraints(TRUE), usage('0102')),
    },
  },
  {
    area: 'extensions',
    refused: 'certificate_chain',
    strength: 'required',
    clause: 'RFC 5280 section 4.2.1.9',
    chains: {
      'a leaf that may sign certificates': { leaf: leafExtensions(constraints(), usage('0284')) },
    },
  },
  {
    area: 'extensions',
    refused: 'certificate_chain',
    strength: 'profile',
    clause: 'AWS section 3.2.3.2',
    chains: {
      'a leaf that is an authority': { leaf: leafExtensions(constraints(TRUE), usage(DIGITAL_SIGNATURE)) },
    },
  },
  {
    area: 'extensions',
    refused: 'certificate_chain',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.4 (k)',
    chains: {
      'an intermediate that is not an authority': authorityExtensions(...END_ENTITY),
      'an intermediate without extensions': { intermediate: { extensions: NOTHING } },
    },
  },
  {
    area: 'path-length',
    refused: 'certificate_chain',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.4 (l)',
    chains: {
      'a root with a path length of zero': {
        root: { extensions: extensions(constraints(TRUE, integer('00')), usage(CERTIFICATE_SIGNING)) },
      },
    },
  },
  {
    area: 'names',
    refused: 'certificate_chain',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.3 (a) (4)',
    chains: {
      'another issuer': { leaf: { issuer: name(commonName('another')) } },
    },
  },
  {
    area: 'names',
    refused: 'certificate_chain',
    strength: 'profile',
    clause: 'RFC 5280 section 7.1',
    chains: {
      'an issuer in other letters': { leaf: { issuer: name(commonName('Case Intermediate')) } },
      'an issuer in another type of text': {
        leaf: { issuer: name(attribute('2.5.4.3', encodeDer(0x13, ascii('case intermediate')))) },
      },
    },
  },
  {
    area: 'chain',
    refused: 'certificate_chain',
    strength: 'profile',
    clause: 'RFC 5280 section 4.2.1.1',
    chains: {
      'the identifier of another key': { leaf: additional(authorityKey(encodeDer(0x80, hex('00')))) },
      'the serial number of another key': {
        leaf: additional(authorityKey(directoryName(ROOT_NAME), encodeDer(0x82, hex('41')))),
      },
      "the issuer's own name in the authority key identifier": {
        leaf: additional(
          authorityKey(directoryName(name(commonName('case intermediate'))), encodeDer(0x82, hex('40'))),
        ),
      },
    },
  },
];

/** All cases; what each certificate has wrong is in the leaf, unless the name says otherwise. */
export const CHAIN_CASES: readonly ChainCase[] = GROUPS.flatMap(({ chains, ...facts }) =>
  Object.entries(chains).map(([caseName, changes]) => {
    return { ...facts, name: caseName, chain: chainWith(changes), leafKey: LEAF.privateKey };
  }),
);

/** A correct chain with everything that is read: key identifiers, path lengths, names with several attributes. */
export const RICH_CHAIN = chainWith({
  root: { extensions: extensions(...AUTHORITY, extension(SUBJECT_KEY, encodeDer('octetString', hex('0a0b')))) },
  intermediate: {
    subject: name(
      attribute('2.5.4.6', encodeDer(0x13, ascii('US'))),
      attribute('2.5.4.10', encodeDer(0x0c, Buffer.from('Café, "+<>'))),
      attribute('2.5.4.3', encodeDer(0x16, ascii('#intermediate'))),
    ),
    extensions: extensions(
      constraints(TRUE, integer('03')),
      usage('0186'),
      extension(SUBJECT_KEY, encodeDer('octetString', INTERMEDIATE_KEY)),
      authorityKey(encodeDer(0x80, hex('0a0b'))),
      extension(
        DISTRIBUTION_POINTS,
        sequence(sequence(encodeDer(0xa0, encodeDer(0xa0, encodeDer(0x86, ascii('http://a')))))),
      ),
    ),
  },
  leaf: {
    serialNumber: integer('00f0000001'),
    validity: period(utc('260101000000Z'), generalized('20500101000000Z')),
    subject: sequence(
      encodeDer('set', attribute('2.5.4.3', encodeDer(0x0c, ascii('a'))), attribute(UNKNOWN, hex('0201 05'))),
      encodeDer('set', attribute('2.5.4.7', encodeDer(0x13, ascii('Seattle')))),
    ),
    extensions: extensions(
      ...END_ENTITY,
      authorityKey(encodeDer(0x80, INTERMEDIATE_KEY), directoryName(ROOT_NAME), encodeDer(0x82, hex('40'))),
      extension(UNKNOWN, hex('0500')),
    ),
  },
});

/** The keys that sign the certificates of `RICH_CHAIN`, and the key of its leaf. */
export const RICH_KEYS = {
  signers: [ROOT, ROOT, INTERMEDIATE].map(({ privateKey }) => privateKey),
  leaf: LEAF.privateKey,
};
