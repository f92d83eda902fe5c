/** The terms that the extension links to: headings of docs/glossary.md, as in links. */
export const GLOSSARY_TERMS = [
  'access-key',
  'api-key',
  'attestation',
  'attestation-document',
  'backend',
  'base-url',
  'certificate-chain',
  'development-backend',
  'enclave',
  'pcr0',
  'session',
] as const;

export type GlossaryTerm = (typeof GLOSSARY_TERMS)[number];

/** The address of the explanation of a term. */
export function glossaryLink(term: GlossaryTerm): string {
  return `https://github.com/sealed-proxy/sealed-proxy/blob/main/docs/glossary.md#${term}`;
}
