const PCR = /^[0-9a-f]{96}$/;

/** True for the value of a PCR: 96 lower-case hex digits. */
export function isPcr(value: unknown): value is string {
  return typeof value === 'string' && PCR.test(value);
}

/** A PCR0 value in lower-case hex, or undefined. Upper case and surrounding white space are accepted. */
export function parsePcr0(text: string): string | undefined {
  const value = text.trim().toLowerCase();
  return isPcr(value) ? value : undefined;
}
