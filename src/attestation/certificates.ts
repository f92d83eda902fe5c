import { type KeyObject, X509Certificate } from 'node:crypto';
import { X509Certificate as ParsedCertificate } from '@sigstore/core';
import { AttestationError } from './errors.ts';

const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';

/** AlgorithmIdentifier {ecdsa-with-SHA384}, parameters absent (RFC 5758 section 3.2), in DER. */
const ECDSA_WITH_SHA384 = Buffer.from('300a06082a8648ce3d040303', 'hex');

/** The properties of one certificate that the chain rules need. */
export interface Certificate {
  /** For names, keys and signatures. */
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  readonly isCa: boolean;
  /** How many certificates that are not self-issued may stand between this one and the leaf; undefined: no limit. */
  readonly pathLength: number | undefined;
  /** Undefined: the certificate does not restrict the use of its key. */
  readonly keyUsage: { readonly certificateSigning: boolean; readonly digitalSignature: boolean } | undefined;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * Reads one X.509 v3 certificate whose key and signature algorithm are ECDSA P-384 with SHA-384. Node's parser provides
 * names, keys and signatures; @sigstore/core's provides the fields that Node does not expose. Checks no signature.
 *
 * @param der the certificate without trailing bytes
 * @throws AttestationError `malformed_certificate`, `certificate_algorithm`
 */
export function parseCertificate(der: Uint8Array): Certificate {
  let x509: X509Certificate;
  let certificate: Certificate;
  let algorithms: readonly Buffer[];
  try {
    x509 = new X509Certificate(der);
    // Node encodes the certificate again, which reveals trailing bytes and encodings that are not DER.
    if (!x509.raw.equals(der)) throw new Error('not the DER of one certificate');
    const parsed = ParsedCertificate.parse(Buffer.from(der));
    requireKnownExtensions(parsed);
    algorithms = signatureAlgorithms(parsed);
    certificate = { x509, publicKey: x509.publicKey, ...constraints(parsed), ...validity(parsed) };
  } catch (cause) {
    throw new AttestationError('malformed_certificate', 'a certificate of the enclave is malformed', { cause });
  }
  if (!algorithms.every((algorithm) => algorithm.equals(ECDSA_WITH_SHA384))) {
    throw new AttestationError(
      'certificate_algorithm',
      'a certificate of the enclave is not signed with ECDSA and SHA-384',
    );
  }
  if (certificate.publicKey.asymmetricKeyDetails?.namedCurve !== 'secp384r1') {
    throw new AttestationError('certificate_algorithm', 'a certificate of the enclave has a key that is not on P-384');
  }
  return certificate;
}

/** The algorithms inside the signed part and next to the signature, which must be equal (RFC 5280 section 4.1.1.2). */
function signatureAlgorithms(parsed: ParsedCertificate): readonly Buffer[] {
  const [inner, outer] = [parsed.tbsCertificate.subs[2], parsed.root.subs[1]];
  if (inner === undefined || outer === undefined) throw new Error('no signature algorithm');
  return [inner.toDER(), outer.toDER()];
}

/** RFC 5280 section 4.2: rejects repeated extensions, and critical ones that this verifier does not process. */
function requireKnownExtensions(parsed: ParsedCertificate): void {
  if (parsed.version !== 'v3') throw new Error('not version 3');
  const seen = new Set<string>();
  for (const extension of parsed.extensions) {
    const oid = extension.subs[0]?.toOID() ?? '';
    const critical = extension.subs.length === 3 && extension.subs[1]?.toBoolean() === true;
    if (seen.has(oid)) throw new Error('a repeated extension');
    if (critical && oid !== BASIC_CONSTRAINTS && oid !== KEY_USAGE) throw new Error('an unknown critical extension');
    seen.add(oid);
  }
}

function constraints(parsed: ParsedCertificate): Pick<Certificate, 'isCa' | 'pathLength' | 'keyUsage'> {
  const basic = parsed.extBasicConstraints;
  const pathLength = basic?.pathLenConstraint;
  if (pathLength !== undefined && pathLength < 0n) throw new Error('a negative path length');
  const usage = parsed.extKeyUsage;
  return {
    isCa: basic?.isCA ?? false,
    pathLength: pathLength === undefined ? undefined : Number(pathLength),
    keyUsage: usage && { certificateSigning: usage.keyCertSign, digitalSignature: usage.digitalSignature },
  };
}

function validity(parsed: ParsedCertificate): Pick<Certificate, 'notBefore' | 'notAfter'> {
  const [notBefore, notAfter] = [parsed.notBefore.getTime(), parsed.notAfter.getTime()];
  // An invalid date parses to NaN, and a comparison with NaN would never reject the certificate.
  if (Number.isNaN(notBefore) || Number.isNaN(notAfter)) throw new Error('an invalid date');
  return { notBefore, notAfter };
}
