const PCR0 = /^[0-9a-f]{96}$/;

/** The one form of a PCR0 value that a person wrote (case and space around it do not count), or undefined. */
export function parsePcr0(text: string): string | undefined {
  const value = text.trim().toLowerCase();
  return PCR0.test(value) ? value : undefined;
}
