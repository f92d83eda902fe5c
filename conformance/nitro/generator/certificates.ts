// Builds certificates and chains, each field of which can be changed. Every certificate is signed correctly unless its
// signature is what changes.
import { encodeDer, encodeOid } from '../../../src/devEnclave/attestation/der.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';
import { type SigningKey, derSignature, keyOf } from './signer.ts';

/** The fields of a certificate in their order, DER. An empty one is left out. */
interface Fields {
  readonly version: Uint8Array;
  readonly serialNumber: Uint8Array;
  readonly algorithm: Uint8Array;
  readonly issuer: Uint8Array;
  readonly validity: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly extensions: Uint8Array;
  /** Those beside the signed part. */
  readonly outerAlgorithm: Uint8Array;
  /** Of the BIT STRING with the signature, before the signature. */
  readonly unusedBits: Uint8Array;
  readonly afterSignature: Uint8Array;
  readonly afterCertificate: Uint8Array;
}

/** What differs from a correct certificate. */
export interface Changes extends Partial<Fields> {
  /** Default: the key of the previous certificate. */
  readonly signer?: SigningKey;
  /** Makes the content of the signature's BIT STRING. Default: ECDSA with SHA-384. */
  readonly signatureOf?: (signed: Uint8Array, signer: SigningKey) => Uint8Array;
}

/** DER. */
export interface Chain {
  /** Root first. */
  readonly authorities: readonly Uint8Array[];
  readonly leaf: Uint8Array;
}

export const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));
export const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'ascii'));
export const sequence = (...contents: readonly Uint8Array[]): Uint8Array => encodeDer('sequence', ...contents);
export const integer = (text: string): Uint8Array => encodeDer('integer', hex(text));

export const NOTHING = new Uint8Array(0);
export const TRUE = hex('0101ff');
export const FALSE = hex('010100');
export const ECDSA_WITH_SHA384 = hex('300a 0608 2a8648ce3d040303');
export const EC_P384 = hex('3010 0607 2a8648ce3d0201 0605 2b81040022');
export const ID_EC = hex('0607 2a8648ce3d0201');

export const BASIC_CONSTRAINTS = '2.5.29.19';
export const KEY_USAGE = '2.5.29.15';
export const SUBJECT_KEY = '2.5.29.14';
export const AUTHORITY_KEY = '2.5.29.35';

/** Names from attributes, each in a relative name of its own. */
export const name = (...attributes: readonly Uint8Array[]): Uint8Array =>
  sequence(...attributes.map((attribute) => encodeDer('set', attribute)));
export const attribute = (oid: string, value: Uint8Array): Uint8Array => sequence(encodeOid(oid), value);
export const commonName = (text: string): Uint8Array =>
  attribute('2.5.4.3', encodeDer('utf8String', Buffer.from(text)));

export const utc = (text: string): Uint8Array => encodeDer('utcTime', ascii(text));
export const generalized = (text: string): Uint8Array => encodeDer('generalizedTime', ascii(text));
export const period = (from: Uint8Array, to: Uint8Array): Uint8Array => sequence(from, to);

export const extension = (oid: string, value: Uint8Array, flag: Uint8Array = NOTHING): Uint8Array =>
  sequence(encodeOid(oid), flag, encodeDer('octetString', value));
export const extensions = (...list: readonly Uint8Array[]): Uint8Array => encodeDer(0xa3, sequence(...list));
export const constraints = (...contents: readonly Uint8Array[]): Uint8Array =>
  extension(BASIC_CONSTRAINTS, sequence(...contents), TRUE);
export const usage = (bits: string): Uint8Array => extension(KEY_USAGE, encodeDer('bitString', hex(bits)), TRUE);
export const authorityKey = (...contents: readonly Uint8Array[]): Uint8Array =>
  extension(AUTHORITY_KEY, sequence(...contents));

export const CERTIFICATE_SIGNING = '0204';
export const DIGITAL_SIGNATURE = '0780';
export const AUTHORITY = [constraints(TRUE), usage(CERTIFICATE_SIGNING)];
export const END_ENTITY = [constraints(), usage(DIGITAL_SIGNATURE)];
export const INTERMEDIATE_KEY = hex('0102030405');
export const ROOT_NAME = name(commonName('case root'));

export const VALID = period(utc('260101000000Z'), utc('270101000000Z'));

/** A leaf with these extensions. */
export const leafExtensions = (...list: readonly Uint8Array[]): Changes => ({ extensions: extensions(...list) });
/** A leaf with the usual extensions and further ones. */
export const additional = (...list: readonly Uint8Array[]): Changes => leafExtensions(...END_ENTITY, ...list);

/** The keys of all chains: what differs is not the keys. */
export const ROOT = keyOf('root');
export const INTERMEDIATE = keyOf('intermediate');
export const LEAF = keyOf('leaf');

/** A chain of a root, intermediates (one, unless there are several changes) and a leaf, each with changed fields. */
export function chainOf(root: Changes = {}, intermediates: readonly Changes[] = [{}], leaf: Changes = {}): Chain {
  const built = [build(root, undefined, ROOT, 'case root', AUTHORITY)];
  for (const [index, changes] of intermediates.entries()) {
    const number = index === 0 ? '' : ` ${index + 1}`;
    const key = keyOf(`intermediate${number}`);
    const identifier = extension(SUBJECT_KEY, encodeDer('octetString', INTERMEDIATE_KEY));
    built.push(build(changes, built.at(-1), key, `case intermediate${number}`, [...AUTHORITY, identifier]));
  }
  const last = build(leaf, built.at(-1), LEAF, 'case leaf', END_ENTITY);
  return { authorities: built.map(({ der }) => der), leaf: last.der };
}

interface Built {
  readonly der: Uint8Array;
  readonly subject: Uint8Array;
  readonly key: SigningKey;
}

/** The issuer of a certificate is the subject of the previous one; a root is its own. */
function build(
  { signer, signatureOf, ...changes }: Changes,
  previous: Built | undefined,
  key: SigningKey,
  subject: string,
  own: readonly Uint8Array[],
): Built {
  const fields: Fields = {
    version: hex('a003020102'),
    serialNumber: integer('40'),
    algorithm: ECDSA_WITH_SHA384,
    issuer: previous?.subject ?? name(commonName(subject)),
    validity: VALID,
    subject: name(commonName(subject)),
    publicKey: key.publicKey,
    extensions: extensions(...own),
    outerAlgorithm: ECDSA_WITH_SHA384,
    unusedBits: hex('00'),
    afterSignature: NOTHING,
    afterCertificate: NOTHING,
    ...changes,
  };
  const { outerAlgorithm, unusedBits, version, serialNumber, algorithm, issuer, validity, publicKey } = fields;
  const inner = [version, serialNumber, algorithm, issuer, validity, fields.subject, publicKey, fields.extensions];
  const signed = sequence(...inner);
  const make = signatureOf ?? ((bytes: Uint8Array, by: SigningKey) => derSignature(by.sign(bytes)));
  const signature = make(signed, signer ?? previous?.key ?? key);
  const outer = sequence(signed, outerAlgorithm, encodeDer('bitString', unusedBits, signature), fields.afterSignature);
  return { der: concatBytes(outer, fields.afterCertificate), subject: fields.subject, key };
}
