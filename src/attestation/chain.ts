import { verify } from 'node:crypto';
import { asBuffer } from '../shared/bytes.ts';
import { type Certificate, parseCertificate } from './certificates.ts';
import { AttestationError } from './errors.ts';
import type { AuthorityKey } from './extensions.ts';

/** Certificates from a root to the leaf, each issued and signed by the previous one. */
export interface CertificateChain {
  /** Root first, at least one. */
  readonly authorities: readonly Certificate[];
  readonly leaf: Certificate;
}

/**
 * Builds the chain of a document and checks everything about it except the time (transport V2, section 4; RFC 5280
 * section 6.1). The caller must check that the first certificate is, byte for byte, a trusted root.
 *
 * @param cabundle DER, root first
 * @param leaf DER
 * @throws AttestationError `malformed_certificate`, `certificate_algorithm`, `certificate_chain`
 */
export function verifyChain(cabundle: readonly Uint8Array[], leaf: Uint8Array): CertificateChain {
  const chain: CertificateChain = { authorities: cabundle.map(parseCertificate), leaf: parseCertificate(leaf) };
  requireAuthorities(chain.authorities);
  requireEndEntity(chain.leaf);
  let issuer: Certificate | undefined;
  for (const certificate of certificatesOf(chain)) {
    if (issuer) requireIssued(certificate, issuer);
    issuer = certificate;
  }
  return chain;
}

/** All certificates, root first, leaf last. */
export function certificatesOf({ authorities, leaf }: CertificateChain): readonly Certificate[] {
  return [...authorities, leaf];
}

function requireAuthorities(authorities: readonly Certificate[]): void {
  let below = 0;
  for (const authority of authorities.toReversed()) {
    if (!authority.isCa) throw broken('an issuer that is not a certificate authority');
    if (authority.keyUsage?.certificateSigning === false) throw broken('an issuer whose key may not sign certificates');
    if (below > (authority.pathLength ?? Infinity)) throw broken('more certificates than the path length allows');
    // RFC 5280 section 4.2.1.9: the path length excludes self-issued certificates and the leaf.
    if (!equal(authority.subject, authority.issuer)) below += 1;
  }
}

function requireEndEntity(leaf: Certificate): void {
  if (leaf.isCa) throw broken('a leaf that is a certificate authority');
  if (leaf.keyUsage?.digitalSignature === false) throw broken('a leaf whose key may not sign documents');
  // RFC 5280 section 4.2.1.9: only a certificate authority may have this use.
  if (leaf.keyUsage?.certificateSigning === true) throw broken('a leaf whose key may sign certificates');
}

function requireIssued(certificate: Certificate, issuer: Certificate): void {
  const { authorityKey, signed, signature } = certificate;
  // Names are compared byte for byte: AWS writes the same bytes each time.
  if (!equal(certificate.issuer, issuer.subject)) throw broken('a certificate not issued by the previous one');
  if (authorityKey !== undefined && !isKeyOf(authorityKey, issuer))
    throw broken('a certificate that names another key');
  if (!verify('sha384', signed, issuer.publicKey, signature))
    throw broken('a certificate not signed by the previous one');
}

/** RFC 5280 section 4.2.1.1: the issuer and serial number are those of the issuer's own certificate. */
function isKeyOf({ keyIdentifier, issuer: name, serialNumber }: AuthorityKey, issuer: Certificate): boolean {
  const isIdentified =
    keyIdentifier === undefined || issuer.keyIdentifier === undefined || equal(keyIdentifier, issuer.keyIdentifier);
  const isNamed = name === undefined || equal(name, issuer.issuer);
  return isIdentified && isNamed && (serialNumber === undefined || equal(serialNumber, issuer.serialNumber));
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return asBuffer(a).equals(b);
}

function broken(what: string): AttestationError {
  return new AttestationError('certificate_chain', `the enclave's certificate chain has ${what}`);
}
