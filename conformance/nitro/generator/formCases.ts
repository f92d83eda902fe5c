// The form of a document: CBOR, COSE and the fields of the payload.
import { PROTECTED_HEADER, sigStructure } from '../../../src/attestation/cose.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';
import type { Group } from './cases.ts';
import { AUTHORITY, INTERMEDIATE, LEAF, additional, chainOf, extension, extensions, hex } from './certificates.ts';
import {
  AT,
  CHAIN,
  CHALLENGE,
  PCR0,
  SERVER_KEY,
  documentOf,
  documentWith,
  envelope,
  payload,
  raw,
  sealed,
  signatureOf,
} from './documents.ts';
import { P384, derSignature, rawSignature } from './signer.ts';

const NONE = new Uint8Array(0);
const CORRECT = documentOf();
const PAYLOAD = payload();
const PAIR = LEAF.sign(sigStructure(PROTECTED_HEADER, PAYLOAD));
const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(0x61);
/** A document with a further field, whose name is `x`, of this encoding. */
const withField = (value: string): Uint8Array => documentOf({}, { more: raw('6178', value) });
const withEntry = (entry: string): Uint8Array => documentOf({}, { more: raw(entry) });
const signedAs = (signature: Uint8Array): Uint8Array => envelope({ payload: PAYLOAD, signature });
const withHeader = (header: string): Uint8Array => sealed(PAYLOAD, { protectedHeader: hex(header) });
const withoutNonce = { challenge: undefined };

/** A document of exactly this many bytes. */
function ofLength(length: number): Uint8Array {
  const probe = documentOf({ padding: bytes(0x8000) });
  return documentOf({ padding: bytes(0x8000 + length - probe.length) });
}

/** A document whose payload has exactly this many bytes. */
function ofPayload(length: number): Uint8Array {
  const probe = payload({ padding: bytes(0x1000) });
  return documentOf({ padding: bytes(0x1000 + length - probe.length) });
}

const CBOR: readonly Group[] = [
  {
    area: 'cbor',
    strength: 'required',
    clause: 'RFC 8949 section 3',
    refused: undefined,
    variants: {
      'a map of definite length': documentOf({}, { open: raw('a9'), close: raw() }),
      'a map of indefinite length': CORRECT,
      'measurements in a map of indefinite length': documentOf({ pcrs: raw('bf 00 5830', PCR0, 'ff') }),
      'certificates in an array of indefinite length': documentOf({
        cabundle: raw('9f', ...CHAIN.authorities.flatMap((der) => [lengthOf(der), der]), 'ff'),
      }),
      'fields in another order': sealed(
        payload(
          { nonce: undefined, module_id: undefined },
          { more: raw('656e6f6e6365 5820', CHALLENGE, '696d6f64756c655f6964 6169') },
        ),
      ),
      'a number that is larger than 2^53 in a further field': withField('1bffffffffffffffff'),
      'true in a further field': withField('f5'),
      'negative numbers as keys in a further field': withField('a2 20 00 3863 00'),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 3.3',
    refused: undefined,
    variants: {
      'a float in a further field': withField('f93c00'),
      'NaN in a further field': withField('fb7ff8000000000000'),
      'a float that is not in its shortest form in a further field': withField('fb3ff0000000000000'),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 10',
    refused: undefined,
    variants: { 'eight levels with that of the payload': withField(`${'81'.repeat(7)}00`) },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 10',
    refused: 'malformed_document',
    variants: {
      'nine levels with that of the payload': withField(`${'81'.repeat(8)}00`),
      'nine levels of maps': withField(`${'a100'.repeat(8)}00`),
      'nine levels of indefinite length': withField(`${'9f'.repeat(8)}${'ff'.repeat(8)}`),
      'thousands of levels': withField(`${'81'.repeat(5000)}00`),
      'thousands of levels in place of the document': raw('81'.repeat(5000), '00').bytes,
    },
  },
  {
    area: 'cbor',
    strength: 'required',
    clause: 'RFC 8949 section 3',
    refused: 'malformed_document',
    variants: {
      'no bytes': NONE,
      'a document without its last byte': CORRECT.subarray(0, -1),
      'half a document': CORRECT.subarray(0, CORRECT.length / 2),
      'a byte after the document': envelope({ payload: PAYLOAD, signature: signatureOf(PAYLOAD), more: raw('00') }),
      'a document twice': concatBytes(CORRECT, CORRECT),
      'an empty payload': sealed(NONE),
      'a payload without its last byte': sealed(PAYLOAD.subarray(0, -1)),
      'a byte after the payload': sealed(concatBytes(PAYLOAD, hex('00'))),
      'a payload with too many entries for its map': documentOf({}, { open: raw('a8'), close: raw() }),
      'a payload with too few entries for its map': documentOf({}, { open: raw('aa'), close: raw() }),
      'a byte string that is longer than the document': withField('5bffffffffffffff00'),
      'an array of 2^53 - 1 elements': withField('9b001fffffffffffff'),
      'a map of 2^64 - 1 entries': withField('bbffffffffffffffff'),
    },
  },
  {
    area: 'cbor',
    strength: 'required',
    clause: 'RFC 8949 section 3.2.1',
    refused: 'malformed_document',
    variants: {
      'a break in place of a value': documentOf({}, { more: raw('6178') }),
      'a break in an array of definite length': withField('81ff'),
      'a break after the payload': sealed(concatBytes(PAYLOAD, hex('ff'))),
      'a key without a value in a map of indefinite length': withField('bf00ff'),
      'a break in place of the last value of a map': withField('bf00ffff'),
    },
  },
  {
    area: 'cbor',
    strength: 'required',
    clause: 'RFC 8949 section 3',
    refused: 'malformed_document',
    variants: {
      'reserved additional information 28': withField('1c'),
      'reserved additional information 29': withField('5d'),
      'reserved additional information 30': withField('9e'),
      'an integer of indefinite length': withField('1f'),
      'a simple value below 32 in two bytes': withField('f814'),
    },
  },
  {
    area: 'cbor',
    strength: 'required',
    clause: 'RFC 8949 section 5.6',
    refused: 'malformed_document',
    variants: {
      'the nonce twice': withEntry('656e6f6e6365 40'),
      'the nonce twice in a map of definite length': documentOf(
        {},
        { open: raw('aa'), more: raw('656e6f6e6365 40'), close: raw() },
      ),
      'a further field twice': withEntry('6178 00 6178 00'),
      'a measurement twice': documentOf({ pcrs: raw('a2 00 5830', PCR0, '00 5830', PCR0) }),
      'a negative key twice in a further field': withField('a2 20 00 20 00'),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 4.1',
    refused: 'malformed_document',
    variants: {
      'a number that is not in its shortest form': withField('1800'),
      'a number of eight bytes that four have room for': withField('1b00000000ffffffff'),
      'a length that is not in its shortest form': documentOf({ nonce: raw('590020', CHALLENGE) }),
      'the length of a key that is not in its shortest form': withEntry('7801 78 00'),
      'the length of an array that is not in its shortest form': withField('980100'),
      'the length of a map that is not in its shortest form': documentOf({ pcrs: raw('b801 00 5830', PCR0) }),
      'the length of the document that is not in its shortest form': sealed(PAYLOAD, { open: raw('9804') }),
      'the length of the signature that is not in its shortest form': envelope({
        payload: PAYLOAD,
        signature: raw('590060', signatureOf(PAYLOAD)),
      }),
      'the index of a measurement that is not in its shortest form': documentOf({ pcrs: raw('a1 1800 5830', PCR0) }),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 3.2.2',
    refused: 'malformed_document',
    variants: { 'a document of indefinite length': sealed(PAYLOAD, { open: raw('9f'), more: raw('ff') }) },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 3.2.3',
    refused: 'malformed_document',
    variants: {
      'a nonce in chunks': documentOf({ nonce: raw('5f 5820', CHALLENGE, 'ff') }),
      'a digest in chunks': documentOf({ digest: raw('7f 66 534841333834 ff') }),
      'a key in chunks': withEntry('7f 6178 ff 00'),
      'a payload in chunks': envelope({
        payload: raw('5f', lengthOf(PAYLOAD), PAYLOAD, 'ff'),
        signature: signatureOf(PAYLOAD),
      }),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 3.4',
    refused: 'malformed_document',
    variants: {
      'a tag in a further field': withField('c100'),
      'a timestamp with a tag': documentOf({ timestamp: raw('c1 1b 0000019bc1a5a818') }),
      'a payload with the tag of CBOR itself': sealed(concatBytes(hex('d9d9f7'), PAYLOAD)),
      'a bignum in a further field': withField('c2410f'),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 3.3',
    refused: 'malformed_document',
    variants: {
      'undefined in a further field': withField('f7'),
      'undefined as the nonce': { document: documentOf({ nonce: raw('f7') }), challenge: undefined },
      'an unassigned simple value': withField('e0'),
      'an unassigned simple value in two bytes': withField('f8ff'),
    },
  },
  {
    area: 'cbor',
    strength: 'required',
    clause: 'RFC 8949 section 3.1',
    refused: 'malformed_document',
    variants: {
      'text that is not UTF-8': withField('61ff'),
      'text with a surrogate': withField('63eda080'),
      'text that ends inside a character': withField('61c3'),
      'a key that is not UTF-8': withEntry('61ff 00'),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'RFC 8949 section 3.1',
    refused: 'malformed_document',
    variants: {
      'text that begins with a byte order mark': withField('64efbbbf61'),
      'the name of a field after a byte order mark': documentOf(
        { nonce: undefined },
        { more: raw('68 efbbbf 6e6f6e6365 5820', CHALLENGE) },
      ),
    },
  },
  {
    area: 'cbor',
    strength: 'profile',
    clause: 'AWS section 2.2',
    refused: 'malformed_document',
    variants: {
      'a number as the name of a field': withEntry('07 00'),
      'bytes as the name of a field': withEntry('4178 00'),
      'bytes as a key in a further field': withField('a1 4178 00'),
      'null as a key in a further field': withField('a1 f6 00'),
      'a float as a key in a further field': withField('a1 f93c00 00'),
      'an array as a key in a further field': withField('a1 80 00'),
      'false as the name of a field': withEntry('f4 00'),
    },
  },
];

/** The CBOR header of a byte string. */
function lengthOf(content: Uint8Array): Uint8Array {
  return Uint8Array.of(0x59, content.length >> 8, content.length & 0xff);
}

const COSE: readonly Group[] = [
  {
    area: 'cose',
    strength: 'required',
    clause: 'RFC 8152 section 4.2',
    refused: 'malformed_document',
    variants: {
      'an array of three': envelope({ open: raw('83'), payload: PAYLOAD }),
      'an array of five': sealed(PAYLOAD, { open: raw('85'), more: raw('f6') }),
      'an empty array': hex('80'),
      'a map': raw('a4 00', lengthOf(PAYLOAD), PAYLOAD, '01 a0 02 a0 03 a0').bytes,
      'a number': hex('04'),
      'a text': hex('6161'),
      null: hex('f6'),
      'the payload alone': PAYLOAD,
      'a protected header that is text': sealed(PAYLOAD, { protectedHeader: raw('64 61312d33') }),
      'a protected header that is a map': sealed(PAYLOAD, { protectedHeader: raw('a1 01 38 22') }),
      'a protected header that is null': sealed(PAYLOAD, { protectedHeader: raw('f6') }),
      'an unprotected header that is an array': sealed(PAYLOAD, { unprotectedHeader: [] }),
      'an unprotected header that is null': sealed(PAYLOAD, { unprotectedHeader: null }),
      'an unprotected header that is bytes': sealed(PAYLOAD, { unprotectedHeader: hex('a0') }),
      'a payload that is a map': envelope({ payload: raw(PAYLOAD), signature: signatureOf(PAYLOAD) }),
      'a payload that is null': envelope({ payload: null, signature: signatureOf(NONE) }),
      'a payload that is text': envelope({ payload: 'payload', signature: signatureOf(PAYLOAD) }),
      'a signature that is null': envelope({ payload: PAYLOAD, signature: null }),
      'a signature that is text': envelope({ payload: PAYLOAD, signature: 'a'.repeat(96) }),
      'a signature that is an array of numbers': envelope({ payload: PAYLOAD, signature: [...signatureOf(PAYLOAD)] }),
    },
  },
  {
    area: 'cose',
    strength: 'profile',
    clause: 'AWS section 3.1',
    refused: 'malformed_document',
    variants: {
      'the tag 18': concatBytes(hex('d2'), CORRECT),
      'an algorithm and a key ID': withHeader('a2 01 3822 04 40'),
      'an unprotected header with a key ID': sealed(PAYLOAD, { unprotectedHeader: new Map([[4, NONE]]) }),
      'an unprotected header with the same algorithm': sealed(PAYLOAD, { unprotectedHeader: new Map([[1, -35]]) }),
      'an unprotected header with another algorithm': sealed(PAYLOAD, { unprotectedHeader: new Map([[1, -7]]) }),
      'an unprotected header with a further entry': sealed(PAYLOAD, { unprotectedHeader: new Map([['x', 0]]) }),
      'an algorithm that is not in its shortest form': withHeader('a1 01 39 0022'),
      'a protected header of indefinite length': withHeader('bf 01 3822 ff'),
    },
  },
  {
    area: 'cose',
    strength: 'required',
    clause: 'RFC 8152 section 4.2',
    refused: 'malformed_document',
    variants: {
      'the tag 98 of a COSE_Sign': concatBytes(hex('d862'), CORRECT),
      'the tag 17 of a COSE_Mac0': concatBytes(hex('d1'), CORRECT),
    },
  },
  {
    area: 'cose',
    strength: 'required',
    clause: 'RFC 8152 section 3.1',
    refused: 'malformed_document',
    variants: {
      'ES256 as the algorithm': withHeader('a1 01 26'),
      'ES512 as the algorithm': withHeader('a1 01 3823'),
      'PS384 as the algorithm': withHeader('a1 01 3825'),
      'the algorithm by its name': withHeader('a1 01 65 4553333834'),
      'no algorithm': withHeader('a0'),
      'an empty protected header': withHeader(''),
      'a byte after the protected header': withHeader('a1 01 3822 00'),
      'the algorithm twice': withHeader('a2 01 3822 01 3822'),
      'two algorithms': withHeader('a2 01 26 01 3822'),
      'a critical parameter that is unknown': withHeader('a3 01 3822 02 81 6178 6178 00'),
      'the algorithm only in the unprotected header': sealed(PAYLOAD, {
        protectedHeader: hex('a0'),
        unprotectedHeader: new Map([[1, -35]]),
      }),
    },
  },
  {
    area: 'cose',
    strength: 'required',
    clause: 'RFC 8152 section 8.1',
    refused: 'malformed_document',
    variants: {
      'an empty signature': signedAs(NONE),
      'a signature of 64 bytes': signedAs(signatureOf(PAYLOAD).subarray(0, 64)),
      'a signature of 95 bytes': signedAs(signatureOf(PAYLOAD).subarray(0, 95)),
      'a signature of 97 bytes': signedAs(concatBytes(signatureOf(PAYLOAD), hex('00'))),
      'a signature in DER': signedAs(derSignature(PAIR)),
      'a signature with r and s of 66 bytes': signedAs(
        concatBytes(
          new Uint8Array(18),
          signatureOf(PAYLOAD).subarray(0, 48),
          new Uint8Array(18),
          signatureOf(PAYLOAD).subarray(48),
        ),
      ),
    },
  },
  {
    area: 'cose',
    strength: 'required',
    clause: 'RFC 8152 section 8.1',
    refused: undefined,
    variants: {
      'a signature whose s is replaced by n - s': signedAs(rawSignature({ ...PAIR, s: P384.order - PAIR.s })),
    },
  },
  {
    area: 'cose',
    strength: 'required',
    clause: 'RFC 8152 section 8.1',
    refused: 'signature',
    variants: {
      'another r': signedAs(rawSignature({ ...PAIR, r: PAIR.r ^ 1n })),
      'another s': signedAs(rawSignature({ ...PAIR, s: PAIR.s ^ 1n })),
      'r and s in the other order': signedAs(rawSignature({ r: PAIR.s, s: PAIR.r })),
      'a signature of zeros': signedAs(new Uint8Array(96)),
      'r of zero': signedAs(rawSignature({ ...PAIR, r: 0n })),
      's of zero': signedAs(rawSignature({ ...PAIR, s: 0n })),
      'r of n': signedAs(rawSignature({ ...PAIR, r: P384.order })),
      's of n': signedAs(rawSignature({ ...PAIR, s: P384.order })),
      'r and s of one': signedAs(rawSignature({ r: 1n, s: 1n })),
      'r and s of n - 1': signedAs(rawSignature({ r: P384.order - 1n, s: P384.order - 1n })),
      'a signature of ff bytes': signedAs(new Uint8Array(96).fill(0xff)),
      'a little-endian signature': signedAs(
        concatBytes(rawSignature(PAIR).subarray(0, 48).toReversed(), rawSignature(PAIR).subarray(48).toReversed()),
      ),
      'SHA-256 in place of SHA-384': signedAs(
        rawSignature(LEAF.sign(sigStructure(PROTECTED_HEADER, PAYLOAD), 'sha256')),
      ),
      'the key of the intermediate certificate': signedAs(signatureOf(PAYLOAD, PROTECTED_HEADER, INTERMEDIATE)),
    },
  },
  {
    area: 'cose',
    strength: 'required',
    clause: 'RFC 8152 section 4.4',
    refused: 'signature',
    variants: {
      'a signature of the payload alone': signedAs(rawSignature(LEAF.sign(PAYLOAD))),
      'a signature with another context': signedAs(signatureOfStructure('69 5369676e6174757265 44 a1013822 40')),
      'a signature with external data': signedAs(signatureOfStructure('6a 5369676e617475726531 44 a1013822 41 00')),
      'a signature with an empty protected header': signedAs(signatureOf(PAYLOAD, NONE)),
      'a signature with the protected header as a map': signedAs(
        signatureOfStructure('6a 5369676e617475726531 a1013822 40'),
      ),
      'a signature of another payload': signedAs(signatureOf(payload({ module_id: 'i-other-enc0' }))),
      'a payload with one bit changed after it was signed': envelope({
        payload: payload({ module_id: 'i-development-enc1' }),
        signature: signatureOf(PAYLOAD),
      }),
      'a payload of another form of the same map': envelope({
        payload: payload({}, { open: raw('a9'), close: raw() }),
        signature: signatureOf(PAYLOAD),
      }),
    },
  },
  {
    area: 'cose',
    strength: 'profile',
    clause: 'AWS section 3.1',
    refused: undefined,
    variants: {
      'a payload of 16,384 bytes': ofPayload(16_384),
      'a payload of 16,385 bytes': ofPayload(16_385),
      'a document of 65,536 bytes': ofLength(65_536),
    },
  },
  {
    area: 'cose',
    strength: 'profile',
    clause: 'AWS section 3.1',
    refused: 'malformed_document',
    variants: { 'a document of 65,537 bytes': ofLength(65_537) },
  },
];

/** A signature of a Sig_structure with other elements before the payload. */
function signatureOfStructure(elements: string): Uint8Array {
  return rawSignature(LEAF.sign(raw('84', elements, lengthOf(PAYLOAD), PAYLOAD).bytes));
}

const MANDATORY = ['module_id', 'digest', 'timestamp', 'pcrs', 'certificate', 'cabundle'] as const;

/** A leaf or an intermediate certificate of exactly this many bytes. */
function certificateOf(length: number, which: 'leaf' | 'intermediate'): Uint8Array {
  const padded = (size: number) => {
    const padding = extension('1.3.6.1.4.1.99999.2', bytes(size));
    return which === 'leaf'
      ? chainOf({}, [{}], additional(padding))
      : chainOf({}, [{ extensions: extensions(...AUTHORITY, padding) }]);
  };
  const sizeOf = (size: number) => {
    const { leaf, authorities } = padded(size);
    return (which === 'leaf' ? leaf : (authorities[1] ?? leaf)).length;
  };
  // The length of a signature varies by a few bytes.
  const guess = 300 + length - sizeOf(300);
  const size = Array.from({ length: 13 }, (_, index) => guess - 6 + index).find((each) => sizeOf(each) === length);
  if (size === undefined) throw new Error(`no certificate of ${length} bytes`);
  return documentWith(padded(size));
}

const FIELDS: readonly Group[] = [
  {
    area: 'fields',
    strength: 'required',
    clause: 'AWS section 3.2.2.1',
    refused: 'malformed_document',
    variants: {
      ...Object.fromEntries(MANDATORY.map((field) => [`no ${field}`, documentOf({ [field]: undefined })])),
      ...Object.fromEntries(MANDATORY.map((field) => [`${field} of null`, documentOf({ [field]: null })])),
    },
  },
  {
    area: 'fields',
    strength: 'profile',
    clause: 'AWS section 3.2.2.1',
    refused: undefined,
    variants: {
      'a nonce of null': { document: documentOf({ nonce: null }), ...withoutNonce },
      'user_data of null': { document: documentOf({ user_data: null }), userData: undefined },
      'a further field': withField('00'),
      'a further field with a structure': withField('82 a1 6178 f6 a1 20 83 00 40 60'),
    },
  },
  {
    area: 'fields',
    strength: 'required',
    clause: 'AWS section 3.2.2.1',
    refused: undefined,
    variants: {
      'no nonce': { document: documentOf({ nonce: undefined }), ...withoutNonce },
      'no user_data': { document: documentOf({ user_data: undefined }), userData: undefined },
    },
  },
  {
    area: 'fields',
    strength: 'required',
    clause: 'AWS section 3.2.2.2',
    refused: undefined,
    variants: {
      'a module_id of one character': documentOf({ module_id: 'i' }),
      'a module_id of 256 characters': documentOf({ module_id: 'i'.repeat(256) }),
      'a timestamp of one': documentOf({ timestamp: 1 }),
      'only PCR0': documentOf({ pcrs: new Map([[0, PCR0]]) }),
      'all 32 measurements': documentOf({ pcrs: new Map(Array.from({ length: 32 }, (_, index) => [index, PCR0])) }),
      'an empty nonce': { document: documentOf({ nonce: NONE }), ...withoutNonce },
      'a nonce of 512 bytes': { document: documentOf({ nonce: bytes(512) }), ...withoutNonce },
      'empty user_data': { document: documentOf({ user_data: NONE }), userData: undefined },
      'user_data of 512 bytes': { document: documentOf({ user_data: bytes(512) }), userData: undefined },
      'a certificate of 1,024 bytes': certificateOf(1024, 'leaf'),
      'an intermediate certificate of 1,024 bytes': certificateOf(1024, 'intermediate'),
    },
  },
  {
    area: 'fields',
    strength: 'required',
    clause: 'AWS section 3.2.2.2',
    refused: 'malformed_document',
    variants: {
      'an empty module_id': documentOf({ module_id: '' }),
      'a module_id of bytes': documentOf({ module_id: bytes(4) }),
      'a module_id that is a number': documentOf({ module_id: 7 }),
      'SHA256 as the digest': documentOf({ digest: 'SHA256' }),
      'SHA512 as the digest': documentOf({ digest: 'SHA512' }),
      'the digest in small letters': documentOf({ digest: 'sha384' }),
      'a digest of bytes': documentOf({ digest: new Uint8Array(Buffer.from('SHA384')) }),
      'a digest that is a number': documentOf({ digest: 384 }),
      'an empty digest': documentOf({ digest: '' }),
      'a timestamp of zero': documentOf({ timestamp: 0 }),
      'a negative timestamp': documentOf({ timestamp: -1 }),
      'a timestamp that is a float': documentOf({ timestamp: raw('fb 4279bc1a5a818000') }),
      'a timestamp that is text': documentOf({ timestamp: String(AT) }),
      'no measurement': documentOf({ pcrs: new Map() }),
      'measurements in an array': documentOf({ pcrs: [PCR0] }),
      'measurements of bytes': documentOf({ pcrs: PCR0 }),
      'a measurement with the index 32': documentOf({ pcrs: withPcr(32, PCR0) }),
      'a measurement with the index -1': documentOf({ pcrs: withPcr(-1, PCR0) }),
      'a measurement with the index 2^32': documentOf({ pcrs: withPcr(2 ** 32, PCR0) }),
      'a measurement with an index of eight bytes': documentOf({ pcrs: withPcr(2n ** 63n, PCR0) }),
      'a measurement with a text as its index': documentOf({ pcrs: withPcr('1', PCR0) }),
      'a measurement of no bytes': documentOf({ pcrs: withPcr(1, NONE) }),
      'a measurement of 47 bytes': documentOf({ pcrs: withPcr(1, bytes(47)) }),
      'a measurement of 49 bytes': documentOf({ pcrs: withPcr(1, bytes(49)) }),
      'a measurement of 96 hex digits': documentOf({ pcrs: withPcr(1, '0'.repeat(96)) }),
      'a measurement of null': documentOf({ pcrs: withPcr(1, null) }),
      'a measurement that is an array': documentOf({ pcrs: withPcr(1, [...PCR0]) }),
      'an empty certificate': documentOf({ certificate: NONE }),
      'a certificate of 1,025 bytes': certificateOf(1025, 'leaf'),
      'a certificate in Base64': documentOf({ certificate: Buffer.from(CHAIN.leaf).toString('base64') }),
      'a certificate in an array': documentOf({ certificate: [CHAIN.leaf] }),
      'an empty cabundle': documentOf({ cabundle: [] }),
      'a cabundle of bytes': documentOf({ cabundle: CHAIN.authorities[0] }),
      'a cabundle that is a map': documentOf({ cabundle: new Map([...CHAIN.authorities.entries()]) }),
      'a cabundle in an array': documentOf({ cabundle: [CHAIN.authorities] }),
      'an empty certificate in cabundle': documentOf({ cabundle: [...CHAIN.authorities, NONE] }),
      'null in cabundle': documentOf({ cabundle: [...CHAIN.authorities, null] }),
      'Base64 in cabundle': documentOf({
        cabundle: CHAIN.authorities.map((der) => Buffer.from(der).toString('base64')),
      }),
      'an intermediate certificate of 1,025 bytes': certificateOf(1025, 'intermediate'),
      'an empty public_key': documentOf({ public_key: NONE }),
      'a public_key of 1,025 bytes': documentOf({ public_key: bytes(1025) }),
      'a public_key that is text': documentOf({ public_key: 'key' }),
      'a public_key that is an array': documentOf({ public_key: [...SERVER_KEY] }),
      'user_data of 513 bytes': { document: documentOf({ user_data: bytes(513) }), userData: undefined },
      'user_data that is text': { document: documentOf({ user_data: 'data' }), userData: undefined },
      'user_data that is a map': { document: documentOf({ user_data: new Map() }), userData: undefined },
      'a nonce of 513 bytes': { document: documentOf({ nonce: bytes(513) }), ...withoutNonce },
      'a nonce that is text': { document: documentOf({ nonce: 'nonce' }), ...withoutNonce },
      'a nonce that is a number': { document: documentOf({ nonce: 7 }), ...withoutNonce },
      'a nonce that is false': { document: documentOf({ nonce: false }), ...withoutNonce },
      'a payload that is an array': sealed(raw('80').bytes),
      'a payload that is a number': sealed(raw('07').bytes),
    },
  },
  {
    area: 'fields',
    strength: 'profile',
    clause: 'AWS section 3.2.2.2',
    refused: 'malformed_document',
    variants: {
      'a module_id of 257 characters': documentOf({ module_id: 'i'.repeat(257) }),
      'a module_id with a line feed': documentOf({ module_id: 'i-1\nsecond line' }),
      'a module_id with an escape sequence': documentOf({ module_id: '\u001b[2J' }),
      'a module_id with a letter outside ASCII': documentOf({ module_id: 'i-\u00e9' }),
      'a timestamp of 2^53': documentOf({ timestamp: 2n ** 53n }),
      'a timestamp of 2^64 - 1': documentOf({ timestamp: 2n ** 64n - 1n }),
      'a measurement of 32 bytes': documentOf({ pcrs: withPcr(1, bytes(32)) }),
      'a measurement of 64 bytes': documentOf({ pcrs: withPcr(1, bytes(64)) }),
    },
  },
];

/** Correct measurements and one more. */
function withPcr(index: unknown, value: unknown): ReadonlyMap<unknown, unknown> {
  return new Map([
    [0, PCR0],
    [index, value],
  ] as readonly (readonly [unknown, unknown])[]);
}

export const FORM_GROUPS: readonly Group[] = [...CBOR, ...COSE, ...FIELDS];
