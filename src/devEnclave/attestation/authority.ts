import { type KeyObject, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { TrustAnchors } from '../../attestation/trust.ts';
import { encodeDer, encodeOid, encodeTime } from './der.ts';

/** In milliseconds. */
export const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const OIDS = {
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
} as const;

/** Bits of KeyUsage (RFC 5280 section 4.2.1.3), as the first byte of the bit string. */
const KEY_USAGE_BITS = { digitalSignature: 0x80, keyCertSign: 0x04 } as const;

type Hash = 'sha256' | 'sha384';

/** An extension of a certificate. `value` is the DER inside the OCTET STRING. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** The content of a certificate. The optional properties serve to make invalid ones. */
export interface CertificateSpec {
  /** The common name, the only attribute of the distinguished name. */
  readonly subject: string;
  /** Milliseconds since 1970, or the text of a UTCTime. */
  readonly notBefore: number | string;
  readonly notAfter: number | string;
  readonly extensions: readonly Extension[];
  /** Default: the subject of the previous certificate. */
  readonly issuer?: string;
  /** Default: the key of the previous certificate. */
  readonly signWith?: KeyObject;
  readonly curve?: 'P-256' | 'P-384';
  readonly hash?: Hash;
  /** The algorithm inside the signed part. Default: the one next to the signature. */
  readonly innerHash?: Hash;
  /** X.509 version. Default: 3. */
  readonly version?: number;
}

export interface IssuedCertificate {
  readonly subject: string;
  readonly der: Uint8Array;
  readonly privateKey: KeyObject;
}

/** A certificate chain like that of an AWS enclave, and the key of its leaf. */
export interface Authority {
  /** What a verifier must be given to trust this authority. */
  readonly anchors: TrustAnchors;
  /** DER, root first, without the leaf. */
  readonly cabundle: readonly Uint8Array[];
  readonly leaf: IssuedCertificate;
}

/** BasicConstraints (RFC 5280 section 4.2.1.9). A path length of undefined sets no limit. */
export function basicConstraints(isCa: boolean, pathLength?: number): Extension {
  const caFlag = isCa ? [encodeDer('boolean', Uint8Array.of(0xff))] : [];
  const limit = pathLength === undefined ? [] : [encodeDer('integer', Uint8Array.of(pathLength & 0xff))];
  return { oid: OIDS.basicConstraints, critical: true, value: encodeDer('sequence', ...caFlag, ...limit) };
}

/** KeyUsage (RFC 5280 section 4.2.1.3) with one use. */
export function keyUsage(use: keyof typeof KEY_USAGE_BITS): Extension {
  // The first byte is the number of zero bits after the last one bit (X.690 section 11.2.2).
  const unusedBits = use === 'digitalSignature' ? 7 : 2;
  const value = encodeDer('bitString', Uint8Array.of(unusedBits, KEY_USAGE_BITS[use]));
  return { oid: OIDS.keyUsage, critical: true, value };
}

/**
 * The content of a correct chain, root first, leaf last: a root, two intermediates with the smallest possible path
 * lengths, and a leaf that is valid for three hours, like those of AWS.
 *
 * @param now milliseconds since 1970; all certificates are valid from one minute earlier
 */
export function chainSpecs(now: number): [CertificateSpec, CertificateSpec, CertificateSpec, CertificateSpec] {
  const notBefore = now - 60_000;
  const certificateAuthority = (pathLength?: number): Extension[] => [
    basicConstraints(true, pathLength),
    keyUsage('keyCertSign'),
  ];
  return [
    { subject: 'development root', notBefore, notAfter: now + 30 * 365 * DAY, extensions: certificateAuthority() },
    { subject: 'development zone', notBefore, notAfter: now + 20 * DAY, extensions: certificateAuthority(1) },
    { subject: 'development instance', notBefore, notAfter: now + DAY, extensions: certificateAuthority(0) },
    {
      subject: 'development enclave',
      notBefore,
      notAfter: now + 3 * HOUR,
      extensions: [basicConstraints(false), keyUsage('digitalSignature')],
    },
  ];
}

/** Issues a chain from the self-signed root to the leaf. */
export function issueChain(specs: readonly CertificateSpec[]): Authority {
  const issued: IssuedCertificate[] = [];
  for (const spec of specs) issued.push(issueCertificate(spec, issued.at(-1)));
  const leaf = issued.pop();
  const root = issued[0];
  if (leaf === undefined || root === undefined) throw new RangeError('a chain has at least a root and a leaf');
  return { anchors: { roots: [root.der] }, cabundle: issued.map(({ der }) => der), leaf };
}

/**
 * Creates an authority with fresh keys.
 *
 * @param now milliseconds since 1970; the leaf is valid for three hours from then
 */
export function createAuthority(now: number): Authority {
  return issueChain(chainSpecs(now));
}

function issueCertificate(spec: CertificateSpec, issuer: IssuedCertificate | undefined): IssuedCertificate {
  const { subject, notBefore, notAfter, hash = 'sha384', innerHash = hash, version = 3 } = spec;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: spec.curve ?? 'P-384' });
  const signed = encodeDer(
    'sequence',
    encodeDer(0xa0, encodeDer('integer', Uint8Array.of(version - 1))),
    encodeDer('integer', serialNumber()),
    algorithm(innerHash),
    distinguishedName(spec.issuer ?? issuer?.subject ?? subject),
    encodeDer('sequence', validityTime(notBefore), validityTime(notAfter)),
    distinguishedName(subject),
    publicKey.export({ format: 'der', type: 'spki' }),
    encodeExtensions(spec.extensions),
  );
  const signature = sign(hash, signed, spec.signWith ?? issuer?.privateKey ?? privateKey);
  const signatureBits = encodeDer('bitString', Uint8Array.of(0), signature); // no unused bits
  return { subject, der: encodeDer('sequence', signed, algorithm(hash), signatureBits), privateKey };
}

/** RFC 5280 section 4.1.2.2: positive, at most 20 bytes. */
function serialNumber(): Uint8Array {
  const serial = randomBytes(16);
  serial[0] = 0x40 | (serial.readUInt8(0) & 0x3f);
  return serial;
}

function algorithm(hash: Hash): Uint8Array {
  return encodeDer('sequence', encodeOid(OIDS[hash]));
}

function distinguishedName(commonName: string): Uint8Array {
  const attribute = encodeDer('sequence', encodeOid(OIDS.commonName), encodeDer('utf8String', Buffer.from(commonName)));
  return encodeDer('sequence', encodeDer('set', attribute));
}

function validityTime(time: number | string): Uint8Array {
  return typeof time === 'number' ? encodeTime(time) : encodeDer('utcTime', Buffer.from(time, 'ascii'));
}

/** RFC 5280 section 4.1.2.9: a list of extensions is not empty. */
function encodeExtensions(extensions: readonly Extension[]): Uint8Array {
  if (extensions.length === 0) return new Uint8Array(0);
  return encodeDer(0xa3, encodeDer('sequence', ...extensions.map(encodeExtension)));
}

function encodeExtension({ oid, critical, value }: Extension): Uint8Array {
  const flag = critical ? [encodeDer('boolean', Uint8Array.of(0xff))] : [];
  return encodeDer('sequence', encodeOid(oid), ...flag, encodeDer('octetString', value));
}
