// The chain from the trust anchor to the leaf, and its times.
import { PROTECTED_HEADER } from '../../../src/attestation/cose.ts';
import { encodeDer } from '../../../src/devEnclave/attestation/der.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';
import type { Group, Variant } from './cases.ts';
import {
  type Chain,
  type Changes,
  END_ENTITY,
  INTERMEDIATE,
  LEAF,
  NOTHING,
  ROOT,
  ROOT_NAME,
  TRUE,
  chainOf,
  commonName,
  constraints,
  extensions,
  generalized,
  hex,
  integer,
  name,
  period,
  sequence,
  usage,
  utc,
} from './certificates.ts';
import { AT, CHAIN, documentOf, documentWith, envelope, payload, signatureOf } from './documents.ts';
import { P256, P384, derSignature, encodeInteger, keyOf } from './signer.ts';

const [ROOT_DER = NOTHING, INTERMEDIATE_DER = NOTHING] = CHAIN.authorities;
const OTHER_ROOT = chainOf({ serialNumber: integer('41') }).authorities[0] ?? NOTHING;
const STRANGER = keyOf('stranger');
const FORGED = chainOf({ publicKey: STRANGER.publicKey, signer: STRANGER }, [{ signer: STRANGER }]);
const LONG = chainOf({}, [{}, {}]);
const LONGER = chainOf({}, [{}, {}, {}]);

/** A document with these certificates, and with its own root as the anchor. */
function trusted(chain: Chain): Variant {
  return { document: documentWith(chain), anchors: chain.authorities.slice(0, 1) };
}

/** A document with other certificates in `cabundle`. */
const bundle = (...authorities: readonly Uint8Array[]): Uint8Array => documentWith({ authorities, leaf: CHAIN.leaf });
const authority = (pathLength?: string): Changes => ({
  extensions: extensions(constraints(TRUE, ...(pathLength === undefined ? [] : [integer(pathLength)])), usage('0204')),
});
/** The issuer and the subject of an intermediate certificate that follows the root or one of its kind are equal. */
const selfIssued = (pathLength?: string): Changes => ({ ...authority(pathLength), subject: ROOT_NAME });
const signedAs = (signature: Changes['signatureOf'] & {}): Variant =>
  trusted(chainOf({}, [{}], { signatureOf: signature }));

const ANCHORS: readonly Group[] = [
  {
    area: 'anchors',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.1 (d)',
    refused: undefined,
    variants: {
      'the first of two anchors': { document: documentOf(), anchors: [ROOT_DER, OTHER_ROOT] },
      'the second of two anchors': { document: documentOf(), anchors: [OTHER_ROOT, ROOT_DER] },
    },
  },
  {
    area: 'anchors',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.1 (d)',
    refused: 'untrusted_root',
    variants: {
      'no anchors': { document: documentOf(), anchors: [] },
      'a root with the name of the anchor and another key': documentWith(FORGED),
      'an anchor with another key': { document: documentOf(), anchors: FORGED.authorities.slice(0, 1) },
      'a root with another name': documentWith(
        chainOf({ subject: name(commonName('another')), issuer: name(commonName('another')) }),
      ),
    },
  },
  {
    area: 'anchors',
    strength: 'profile',
    clause: 'AWS section 3.2.3',
    refused: 'untrusted_root',
    variants: {
      'another certificate for the key and the name of the anchor': { document: documentOf(), anchors: [OTHER_ROOT] },
      'an anchor that is the intermediate certificate': { document: documentOf(), anchors: [INTERMEDIATE_DER] },
      'an anchor that is the leaf': { document: documentOf(), anchors: [CHAIN.leaf] },
      'an anchor with a further byte': { document: documentOf(), anchors: [concatBytes(ROOT_DER, hex('00'))] },
      'an anchor without its last byte': { document: documentOf(), anchors: [ROOT_DER.subarray(0, -1)] },
      'no root in cabundle': bundle(INTERMEDIATE_DER),
      'the root at the end of cabundle': bundle(INTERMEDIATE_DER, ROOT_DER),
      'the root after another root': bundle(OTHER_ROOT, ROOT_DER, INTERMEDIATE_DER),
    },
  },
];

const CHAINS: readonly Group[] = [
  {
    area: 'chain',
    strength: 'required',
    clause: 'RFC 5280 section 6.1',
    refused: undefined,
    variants: {
      'no intermediate certificate': documentWith(chainOf({}, [])),
      'two intermediate certificates': documentWith(LONG),
      'three intermediate certificates': documentWith(LONGER),
    },
  },
  {
    area: 'chain',
    strength: 'profile',
    clause: 'RFC 5280 section 6.1',
    refused: undefined,
    variants: {
      'a root whose own signature is wrong': trusted(
        chainOf({ signatureOf: (signed) => derSignature(STRANGER.sign(signed)) }),
      ),
      'certificates with the same serial number': documentWith(
        chainOf({}, [{ serialNumber: integer('40') }], { serialNumber: integer('40') }),
      ),
      'a leaf with the key of the intermediate certificate': {
        document: envelopeBy(chainOf({}, [{}], { publicKey: INTERMEDIATE.publicKey }), INTERMEDIATE),
      },
    },
  },
  {
    area: 'chain',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.3 (a) (1)',
    refused: 'certificate_chain',
    variants: {
      'a leaf that another key has signed': documentWith(chainOf({}, [{}], { signer: STRANGER })),
      'a leaf that the root has signed': documentWith(chainOf({}, [{}], { signer: ROOT })),
      'a leaf that has signed itself': documentWith(chainOf({}, [{}], { signer: LEAF })),
      'an intermediate certificate that another key has signed': documentWith(chainOf({}, [{ signer: STRANGER }])),
      'an intermediate certificate that has signed itself': documentWith(chainOf({}, [{ signer: INTERMEDIATE }])),
      'the second of two intermediate certificates that the root has signed': documentWith(
        chainOf({}, [{}, { signer: ROOT }]),
      ),
      'a leaf with a changed signature': signedAs((signed, by) => {
        const { r, s } = by.sign(signed);
        return derSignature({ r, s: s ^ 1n });
      }),
      'a leaf that is signed with SHA-256': signedAs((signed, by) => derSignature(by.sign(signed, 'sha256'))),
      'a leaf with the signature of another one': signedAs((_signed, by) =>
        derSignature(by.sign(Buffer.from('other'))),
      ),
      'a signature whose r and s are zero': signedAs(() => derSignature({ r: 0n, s: 0n })),
      'a signature whose r and s are one': signedAs(() => derSignature({ r: 1n, s: 1n })),
      'a signature whose r is n more': signedAs((signed, by) => {
        const { r, s } = by.sign(signed);
        return derSignature({ r: r + P384.order, s });
      }),
      'an empty signature': signedAs(() => NOTHING),
    },
  },
  {
    area: 'chain',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.1.3',
    refused: 'certificate_chain',
    variants: {
      'a signature of r and s without DER': signedAs((signed, by) => rawOf(by.sign(signed))),
      'a signature with a long length': signedAs((signed, by) => {
        const content = derSignature(by.sign(signed)).subarray(2);
        return concatBytes(Uint8Array.of(0x30, 0x81, content.length), content);
      }),
      'a signature with a superfluous byte before r': signedAs((signed, by) => {
        const { r, s } = by.sign(signed);
        const digits = encodeInteger(r).subarray(2);
        return sequence(encodeDer('integer', hex('00'), digits), encodeInteger(s));
      }),
      'a signature with a further element': signedAs((signed, by) => {
        const { r, s } = by.sign(signed);
        return sequence(encodeInteger(r), encodeInteger(s), hex('0500'));
      }),
      'a signature with a further byte': signedAs((signed, by) =>
        concatBytes(derSignature(by.sign(signed)), hex('00')),
      ),
      'a signature with a negative r': signedAs((signed, by) => {
        const { r, s } = by.sign(signed);
        return sequence(
          encodeInteger(r).map((byte, index) => (index === 2 ? 0x80 : byte)),
          encodeInteger(s),
        );
      }),
    },
  },
  {
    area: 'chain',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.3 (a) (4)',
    refused: 'certificate_chain',
    variants: {
      'a missing intermediate certificate': bundle(ROOT_DER),
      'a missing first intermediate certificate': documentWith({
        ...LONG,
        authorities: LONG.authorities.toSpliced(1, 1),
      }),
      'a missing second intermediate certificate': documentWith({
        ...LONG,
        authorities: LONG.authorities.toSpliced(2, 1),
      }),
      'the intermediate certificate of another chain': bundle(ROOT_DER, LONG.authorities[2] ?? NOTHING),
    },
  },
  {
    area: 'chain',
    strength: 'profile',
    clause: 'AWS section 3.2.3',
    refused: 'certificate_chain',
    variants: {
      'intermediate certificates in the other order': documentWith({
        ...LONG,
        authorities: [0, 2, 1].map((index) => LONG.authorities[index] ?? NOTHING),
      }),
      'an intermediate certificate twice': bundle(ROOT_DER, INTERMEDIATE_DER, INTERMEDIATE_DER),
      'the leaf also in cabundle': bundle(ROOT_DER, INTERMEDIATE_DER, CHAIN.leaf),
      'an unrelated certificate after the chain': bundle(ROOT_DER, INTERMEDIATE_DER, LONG.authorities[2] ?? NOTHING),
      'the root in place of the leaf': documentWith({ authorities: [ROOT_DER], leaf: ROOT_DER }),
    },
  },
  {
    area: 'chain',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.4 (k)',
    refused: 'certificate_chain',
    variants: {
      'a leaf that was issued by a leaf': documentWith(chainOf({}, [{}, { extensions: extensions(...END_ENTITY) }])),
      'a leaf that was issued by a leaf with further key usage': documentWith(
        chainOf({}, [{}, { extensions: extensions(constraints(), usage('0284')) }]),
      ),
    },
  },
  {
    area: 'algorithms',
    strength: 'profile',
    clause: 'AWS section 3.1',
    refused: 'certificate_algorithm',
    variants: {
      'an intermediate certificate that is signed with SHA-256': documentWith(
        chainOf({}, [
          {
            algorithm: hex('300a 0608 2a8648ce3d040302'),
            outerAlgorithm: hex('300a 0608 2a8648ce3d040302'),
            signatureOf: (signed, by) => derSignature(by.sign(signed, 'sha256')),
          },
        ]),
      ),
      'a leaf that is signed with SHA-256': documentWith(
        chainOf({}, [{}], {
          algorithm: hex('300a 0608 2a8648ce3d040302'),
          outerAlgorithm: hex('300a 0608 2a8648ce3d040302'),
          signatureOf: (signed, by) => derSignature(by.sign(signed, 'sha256')),
        }),
      ),
      'an intermediate certificate with a key on P-256': documentWith(
        chainOf({}, [{ publicKey: keyOf('small', P256).publicKey }], { signer: keyOf('small', P256) }),
      ),
    },
  },
  {
    area: 'algorithms',
    strength: 'required',
    clause: 'RFC 8152 section 8.1',
    refused: 'certificate_algorithm',
    variants: {
      'a leaf with an Ed25519 key': documentWith(
        chainOf({}, [{}], { publicKey: concatBytes(hex('302a 3005 0603 2b6570 0321 00'), new Uint8Array(32).fill(9)) }),
      ),
      'a leaf with an X448 key': documentWith(
        chainOf({}, [{}], { publicKey: concatBytes(hex('3042 3005 0603 2b656f 0339 00'), new Uint8Array(56).fill(9)) }),
      ),
      'id-ecDH as the algorithm of the key': documentWith(
        chainOf({}, [{}], {
          publicKey: sequence(
            hex('300e 0605 2b8104010c 0605 2b81040022'),
            encodeDer('bitString', hex('00'), LEAF.publicKey.subarray(-97)),
          ),
        }),
      ),
    },
  },
];

/** A document that another key than that of the usual leaf has signed. */
function envelopeBy(chain: Chain, key: typeof LEAF): Uint8Array {
  const content = payload({}, { chain });
  return envelope({ payload: content, signature: signatureOf(content, PROTECTED_HEADER, key) });
}

function rawOf({ r, s }: { readonly r: bigint; readonly s: bigint }): Uint8Array {
  return concatBytes(...[r, s].map((value) => hex(value.toString(16).padStart(96, '0'))));
}

const PATHS: readonly Group[] = [
  {
    area: 'path-length',
    strength: 'required',
    clause: 'RFC 5280 section 4.2.1.9',
    refused: undefined,
    variants: {
      'a root with a path length of one above one authority': trusted(chainOf(authority('01'))),
      'a root with a path length of zero above the leaf': trusted(chainOf(authority('00'), [])),
      'an intermediate certificate with a path length of zero': documentWith(chainOf({}, [authority('00')])),
      'the smallest path lengths': trusted(chainOf(authority('02'), [authority('01'), authority('00')])),
      'a path length of 256': trusted(chainOf(authority('0100'))),
      'a self-issued certificate below a path length of zero': trusted(chainOf(authority('00'), [selfIssued()])),
      'a self-issued certificate that does not count': trusted(chainOf(authority('01'), [selfIssued(), authority()])),
    },
  },
  {
    area: 'path-length',
    strength: 'required',
    clause: 'RFC 5280 section 6.1.4 (l)',
    refused: 'certificate_chain',
    variants: {
      'a root with a path length of one above two authorities': trusted(chainOf(authority('01'), [{}, {}])),
      'a root with a path length of two above three authorities': trusted(chainOf(authority('02'), [{}, {}, {}])),
      'an intermediate certificate with a path length of zero above another one': documentWith(
        chainOf({}, [authority('00'), {}]),
      ),
      'the second intermediate certificate with a path length of zero above a third': documentWith(
        chainOf({}, [{}, authority('00'), {}]),
      ),
      'a path length that a larger one below does not extend': documentWith(
        chainOf({}, [authority('00'), authority('7f')]),
      ),
      'a self-issued certificate above one that counts': trusted(chainOf(authority('00'), [selfIssued(), authority()])),
    },
  },
];

const MINUTE = 60_000;
const LIMITS = period(utc('260115110000Z'), utc('260115140000Z'));
const [FROM, TO] = [Date.UTC(2026, 0, 15, 11), Date.UTC(2026, 0, 15, 14)];
const CERTIFICATES = {
  'the root': chainOf({ validity: LIMITS }),
  'an intermediate certificate': chainOf({}, [{ validity: LIMITS }]),
  'the leaf': chainOf({}, [{}], { validity: LIMITS }),
};
/** For each certificate, at a time. */
const each = (what: string, at: number): Readonly<Record<string, Variant>> =>
  Object.fromEntries(
    Object.entries(CERTIFICATES).map(([which, chain]) => [`${which} ${what}`, { ...trusted(chain), at }]),
  );

const VALIDITY: readonly Group[] = [
  {
    area: 'validity',
    strength: 'required',
    clause: 'RFC 5280 section 4.1.2.5',
    refused: undefined,
    variants: {
      ...each('at the first second', FROM),
      ...each('at the last second', TO),
      'from 1950 to 2049': {
        ...trusted(
          chainOf(
            { validity: period(utc('500101000000Z'), utc('491231235959Z')) },
            [{ validity: period(utc('500101000000Z'), utc('491231235959Z')) }],
            { validity: period(utc('500101000000Z'), utc('491231235959Z')) },
          ),
        ),
        at: Date.UTC(2049, 11, 31, 23, 59, 59),
      },
      'from 2050 on': {
        ...trusted(eternal(generalized('20500101000000Z'))),
        at: Date.UTC(2050, 0, 1),
      },
      'in the year 9999': { ...trusted(eternal(utc('260101000000Z'))), at: Date.UTC(9999, 11, 31, 23, 59, 59) },
    },
  },
  {
    area: 'validity',
    strength: 'profile',
    clause: 'AWS section 3.2.3.1',
    refused: undefined,
    variants: {
      ...each('five minutes early', FROM - 5 * MINUTE),
      'a timestamp an hour ahead': documentOf({ timestamp: AT + 60 * MINUTE }),
      'a timestamp a year before the certificates': documentOf({ timestamp: Date.UTC(2025, 0, 1) }),
    },
  },
  {
    area: 'validity',
    strength: 'required',
    clause: 'AWS section 3.2.3.1',
    refused: 'certificate_not_yet_valid',
    variants: {
      ...each('more than five minutes early', FROM - 5 * MINUTE - 1),
      ...each('a day early', FROM - 24 * 60 * MINUTE),
      'in 1970': { document: documentOf(), at: 0 },
    },
  },
  {
    area: 'validity',
    strength: 'required',
    clause: 'AWS section 3.2.3.1',
    refused: 'certificate_expired',
    variants: {
      ...each('a minute late', TO + MINUTE),
      ...each('a day late', TO + 24 * 60 * MINUTE),
      'a leaf that ended before it began': {
        ...trusted(chainOf({}, [{}], { validity: period(utc('260115110000Z'), utc('260115100000Z')) })),
      },
      'in the year 9999, with certificates of a year': {
        document: documentOf(),
        at: Date.UTC(9999, 11, 31, 23, 59, 59),
      },
    },
  },
  {
    area: 'validity',
    strength: 'profile',
    clause: 'RFC 5280 section 4.1.2.5',
    refused: 'certificate_expired',
    variants: each('a millisecond late', TO + 1),
  },
];

function eternal(from: Uint8Array): Chain {
  const validity = period(from, generalized('99991231235959Z'));
  return chainOf({ validity }, [{ validity }], { validity });
}

export const TRUST_GROUPS: readonly Group[] = [...ANCHORS, ...CHAINS, ...PATHS, ...VALIDITY];
