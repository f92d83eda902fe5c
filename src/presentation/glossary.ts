/** The headings of docs/glossary.md, as in its links. */
export type GlossaryTerm =
  | 'access-key'
  | 'api-key'
  | 'attestation'
  | 'attestation-document'
  | 'backend'
  | 'base-url'
  | 'certificate-chain'
  | 'development-backend'
  | 'enclave'
  | 'enclave-image'
  | 'handshake'
  | 'pcr0'
  | 'pcr0-history'
  | 'proxy'
  | 'record'
  | 'session';

/** Where a term is explained. */
export function glossaryLink(term: GlossaryTerm): string {
  return `https://github.com/sealed-proxy/sealed-proxy/blob/main/docs/glossary.md#${term}`;
}
