import { type DerElement, DerReader, TAG, objectIdentifier } from './der.ts';

/** RFC 4514 section 3. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.25': 'DC',
  '0.9.2342.19200300.100.1.1': 'UID',
};

/**
 * The text of a name that is not empty (RFC 5280 section 4.1.2.4): each attribute as `NAME=value` by RFC 4514, the
 * attributes of one relative name joined by `+`, the relative names in their order, joined by line feeds.
 *
 * @throws Error if it is not DER, or a string has characters that its type does not allow
 */
export function distinguishedName(name: DerElement): string {
  return elements(name, TAG.set).map(relativeName).join('\n');
}

function relativeName(set: DerElement): string {
  const attributes = elements(set, TAG.sequence);
  // X.690 section 11.6. They differ: a set has no element twice.
  if (attributes.some(({ bytes }, index) => compare(attributes[index - 1]?.bytes, bytes) >= 0)) {
    throw new Error('a set that is not sorted');
  }
  return attributes.map(attribute).join('+');
}

/** At least one. */
function elements({ content }: DerElement, tag: number): readonly DerElement[] {
  const reader = new DerReader(content);
  if (reader.isDone()) throw new Error('an empty name');
  const found: DerElement[] = [];
  while (!reader.isDone()) found.push(reader.next(tag));
  return found;
}

/** @param a undefined: what is before the first */
function compare(a: Uint8Array | undefined, b: Uint8Array): number {
  return Buffer.compare(a ?? new Uint8Array(0), b);
}

function attribute({ content }: DerElement): string {
  const reader = new DerReader(content);
  const type = objectIdentifier(reader.next(TAG.oid));
  const value = reader.any();
  reader.end();
  const text = textOf(value);
  const shortName = SHORT_NAMES[type];
  if (shortName !== undefined && text !== undefined) return `${shortName}=${escape(text)}`;
  return `${shortName ?? type}=#${Buffer.from(value.bytes).toString('hex').toUpperCase()}`;
}

/** Undefined: not a string, or one of the obsolete kinds. */
function textOf({ tag, content }: DerElement): string | undefined {
  if (tag === TAG.utf8String) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  const text = Buffer.from(content).toString('latin1');
  if (tag === TAG.printableString) return requireMatch(text, /^[A-Za-z0-9 '()+,\-./:=?]*$/);
  return tag === TAG.ia5String ? requireMatch(text, /^[\0-\x7f]*$/) : undefined;
}

function requireMatch(text: string, pattern: RegExp): string {
  if (!pattern.test(text)) throw new Error('a string with characters that its type does not allow');
  return text;
}

/** RFC 4514 section 2.4; also control characters, so that a value is one line. */
function escape(text: string): string {
  return text
    .replaceAll(/["+,;<>\\]|^[ #]| $/g, '\\$&')
    .replaceAll(/[\p{Cc}--[\x80-\x9f]]/gv, (control) => `\\${Buffer.from(control).toString('hex').toUpperCase()}`);
}
