import { type DerElement, DerReader, TAG, namedBits, objectIdentifier, onlyElement, unsignedInteger } from './der.ts';

const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';

/** Context tags of AuthorityKeyIdentifier (RFC 5280 section 4.2.1.1) and of a GeneralName. */
const KEY_IDENTIFIER_TAG = 0x80;
const AUTHORITY_ISSUER_TAG = 0xa1;
const AUTHORITY_SERIAL_NUMBER_TAG = 0x82;
const DIRECTORY_NAME_TAG = 0xa4;

/** The extensions that may be critical, because this verifier processes them. */
const PROCESSED: readonly string[] = [BASIC_CONSTRAINTS, KEY_USAGE];
/**
 * Name constraints, policy constraints and inhibit anyPolicy limit the certificates below, so they cannot be ignored even
 * if they are wrongly marked as not critical (RFC 5280 sections 4.2.1.10, 4.2.1.11 and 4.2.1.14). AWS uses none of them.
 */
const LIMITS: readonly string[] = ['2.5.29.30', '2.5.29.36', '2.5.29.54'];

/** What the extensions of a certificate say. */
export interface Extensions {
  readonly isCa: boolean;
  /** How many certificates that are not self-issued may stand between this one and the leaf; undefined: no limit. */
  readonly pathLength: number | undefined;
  /** Undefined: the certificate does not restrict the use of its key. */
  readonly keyUsage: { readonly certificateSigning: boolean; readonly digitalSignature: boolean } | undefined;
  readonly keyIdentifier: Uint8Array | undefined;
  readonly authorityKey: AuthorityKey | undefined;
}

/** Which key signed the certificate. Each part may be missing. */
export interface AuthorityKey {
  readonly keyIdentifier: Uint8Array | undefined;
  /** The name of the issuer of that key's certificate, DER. */
  readonly issuer: Uint8Array | undefined;
  /** INTEGER without its header. */
  readonly serialNumber: Uint8Array | undefined;
}

/**
 * Reads the extensions of a certificate (RFC 5280 section 4.2). The contents of unknown ones are not read.
 *
 * @param list the SEQUENCE of extensions; undefined: there is none
 * @throws Error for those that are repeated, critical and unknown, or limit the certificates below, and for contents that
 *   are not DER
 */
export function readExtensions(list: DerElement | undefined): Extensions {
  const values = new Map<string, Uint8Array>();
  const reader = new DerReader(list?.content ?? new Uint8Array(0));
  if (list !== undefined && reader.isDone()) throw new Error('an empty list of extensions');
  while (!reader.isDone()) {
    const { oid, value } = readExtension(reader.next(TAG.sequence));
    if (values.has(oid)) throw new Error('a repeated extension');
    values.set(oid, value);
  }
  const read = <Value>(oid: string, parse: (value: Uint8Array) => Value): Value | undefined => {
    const value = values.get(oid);
    return value === undefined ? undefined : parse(value);
  };
  return {
    ...(read(BASIC_CONSTRAINTS, basicConstraints) ?? { isCa: false, pathLength: undefined }),
    keyUsage: read(KEY_USAGE, keyUsage),
    keyIdentifier: read(SUBJECT_KEY_IDENTIFIER, (value) => onlyElement(value, TAG.octetString).content),
    authorityKey: read(AUTHORITY_KEY_IDENTIFIER, authorityKey),
  };
}

function readExtension({ content }: DerElement): { readonly oid: string; readonly value: Uint8Array } {
  const reader = new DerReader(content);
  const oid = objectIdentifier(reader.next(TAG.oid));
  const isCritical = readFlag(reader);
  const value = reader.next(TAG.octetString).content;
  reader.end();
  if (isCritical && !PROCESSED.includes(oid)) throw new Error('an unknown critical extension');
  if (LIMITS.includes(oid)) throw new Error('an extension that limits the certificates below');
  return { oid, value };
}

/** BOOLEAN DEFAULT FALSE: in DER, only TRUE is written, as ff (X.690 sections 11.1 and 11.5). */
function readFlag(reader: DerReader): boolean {
  const flag = reader.optional(TAG.boolean);
  if (flag !== undefined && (flag.content.length !== 1 || flag.content[0] !== 0xff))
    throw new Error('a flag not in DER');
  return flag !== undefined;
}

function basicConstraints(value: Uint8Array): Pick<Extensions, 'isCa' | 'pathLength'> {
  const reader = new DerReader(onlyElement(value, TAG.sequence).content);
  const isCa = readFlag(reader);
  const limit = reader.optional(TAG.integer);
  reader.end();
  if (limit !== undefined && !isCa) throw new Error('a path length without a certificate authority');
  return { isCa, pathLength: limit && Number(unsignedInteger(limit)) };
}

function keyUsage(value: Uint8Array): Extensions['keyUsage'] {
  const isSet = namedBits(onlyElement(value, TAG.bitString));
  return { digitalSignature: isSet(0), certificateSigning: isSet(5) };
}

function authorityKey(value: Uint8Array): AuthorityKey {
  const reader = new DerReader(onlyElement(value, TAG.sequence).content);
  const keyIdentifier = reader.optional(KEY_IDENTIFIER_TAG)?.content;
  const issuer = reader.optional(AUTHORITY_ISSUER_TAG)?.content;
  const serialNumber = reader.optional(AUTHORITY_SERIAL_NUMBER_TAG)?.content;
  reader.end();
  return { keyIdentifier, issuer: issuer && onlyElement(issuer, DIRECTORY_NAME_TAG).content, serialNumber };
}
