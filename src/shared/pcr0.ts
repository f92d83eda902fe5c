const PCR0 = /^[0-9a-f]{96}$/;

/** A PCR0 value in lower-case hex, or undefined. Upper case and surrounding white space are accepted. */
export function parsePcr0(text: string): string | undefined {
  const value = text.trim().toLowerCase();
  return PCR0.test(value) ? value : undefined;
}
