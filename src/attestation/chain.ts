import { type Certificate, parseCertificate } from './certificates.ts';
import { AttestationError } from './errors.ts';

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
    if (authority.x509.subject !== authority.x509.issuer) below += 1;
  }
}

function requireEndEntity(leaf: Certificate): void {
  if (leaf.isCa) throw broken('a leaf that is a certificate authority');
  if (leaf.keyUsage?.digitalSignature === false) throw broken('a leaf whose key may not sign documents');
}

function requireIssued(certificate: Certificate, issuer: Certificate): void {
  if (!certificate.x509.checkIssued(issuer.x509)) throw broken('a certificate not issued by the previous one');
  if (!certificate.x509.verify(issuer.publicKey)) throw broken('a certificate not signed by the previous one');
}

function broken(what: string): AttestationError {
  return new AttestationError('certificate_chain', `the enclave's certificate chain has ${what}`);
}
