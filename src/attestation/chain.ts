// src/attestation: bytes in, verdict out. No network, no clock, no log.
import { parseCertificate, type Certificate } from './certificates.ts';
import { AttestationError } from './errors.ts';

/** Certificates of which each is issued and signed by the one before, from a trusted root to the leaf. */
export interface CertificateChain {
  /** Root first, at least one. */
  readonly authorities: readonly Certificate[];
  readonly leaf: Certificate;
}

/**
 * Builds the chain of a document and checks everything about it except the time (transport-v2 section 4; RFC 5280
 * section 6.1). That the first certificate is to be trusted is the caller's to check, byte for byte.
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
  for (const certificate of [...chain.authorities, chain.leaf]) {
    if (issuer) requireIssued(certificate, issuer);
    issuer = certificate;
  }
  return chain;
}

function requireAuthorities(authorities: readonly Certificate[]): void {
  let below = 0;
  for (const authority of authorities.toReversed()) {
    if (!authority.isCa) throw broken('an issuer that is no certificate authority');
    if (authority.keyUsage?.certificateSigning === false) throw broken('an issuer whose key may not sign certificates');
    if (below > (authority.pathLength ?? Infinity)) throw broken('more certificates than an issuer allows');
    // RFC 5280 section 4.2.1.9: self-issued certificates and the leaf do not count.
    if (authority.x509.subject !== authority.x509.issuer) below += 1;
  }
}

function requireEndEntity(leaf: Certificate): void {
  if (leaf.isCa) throw broken('a leaf that is a certificate authority');
  if (leaf.keyUsage?.digitalSignature === false) throw broken('a leaf whose key may not sign documents');
}

function requireIssued(certificate: Certificate, issuer: Certificate): void {
  if (!certificate.x509.checkIssued(issuer.x509)) throw broken('a certificate that is not issued by the one before it');
  if (!certificate.x509.verify(issuer.publicKey)) throw broken('a certificate that is not signed by the one before it');
}

function broken(what: string): AttestationError {
  return new AttestationError('certificate_chain', `the enclave's certificate chain has ${what}`);
}
