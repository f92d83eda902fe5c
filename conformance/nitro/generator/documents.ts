// Builds attestation documents, each part of which can be changed.
import { encode } from 'cborg';
import { PROTECTED_HEADER, sigStructure } from '../../../src/attestation/cose.ts';
import { userDataFor } from '../../../src/attestation/document.ts';
import { DEVELOPMENT_PCR0, payloadFields } from '../../../src/devEnclave/attestation/document.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';
import type { Case, Group, Inputs } from './cases.ts';
import { type Chain, LEAF, chainOf, hex } from './certificates.ts';
import { type SigningKey, rawSignature } from './signer.ts';

/** When documents are verified, unless a case says otherwise. */
export const AT = Date.UTC(2026, 0, 15, 12);
export const CHALLENGE = new Uint8Array(32).fill(0xc1);
export const SERVER_KEY = new Uint8Array(32).fill(0x5e);
export const USER_DATA = userDataFor(new Uint8Array(32).fill(0xc7));
export const PCR0 = DEVELOPMENT_PCR0;
export const CHAIN = chainOf();

/** Bytes that take the place of an encoded value. */
class Raw {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export function raw(...parts: readonly (string | Uint8Array)[]): Raw {
  return new Raw(concatBytes(...parts.map((part) => (typeof part === 'string' ? hex(part) : part))));
}

function encodeValue(value: unknown): Uint8Array {
  return value instanceof Raw ? value.bytes : encode(value);
}

interface PayloadParts {
  readonly chain?: Chain;
  /** Encoded keys and values after the fields. */
  readonly more?: Raw;
  /** What opens and closes the map. Default: indefinite length, as AWS writes it since 2025. */
  readonly open?: Raw;
  readonly close?: Raw;
}

/** The fields of a payload. Those that are undefined are left out. */
export type FieldChanges = Readonly<Record<string, unknown>>;

export function payload(changes: FieldChanges = {}, parts: PayloadParts = {}): Uint8Array {
  const { chain = CHAIN, more = raw(), open = raw('bf'), close = raw('ff') } = parts;
  const bindings = { nonce: CHALLENGE, publicKey: SERVER_KEY, userData: USER_DATA };
  const { authorities: cabundle, leaf } = chain;
  const correct = payloadFields({ cabundle, leaf: { der: leaf } }, { ...bindings, timestamp: AT - 1000, pcr0: PCR0 });
  const fields = new Map([...correct, ...Object.entries(changes)]);
  const entries = [...fields].filter(([, value]) => value !== undefined);
  const encoded = entries.flatMap(([name, value]) => [encode(name), encodeValue(value)]);
  return concatBytes(open.bytes, ...encoded, more.bytes, close.bytes);
}

interface EnvelopeParts {
  /** What opens the array. */
  readonly open?: Raw;
  readonly protectedHeader?: unknown;
  readonly unprotectedHeader?: unknown;
  readonly payload?: unknown;
  readonly signature?: unknown;
  /** What follows the array. */
  readonly more?: Raw;
}

/** A COSE_Sign1 of these parts, in which a payload is signed only if `signature` does it. */
export function envelope(parts: EnvelopeParts): Uint8Array {
  const { open = raw('84'), protectedHeader = PROTECTED_HEADER, unprotectedHeader = new Map(), more = raw() } = parts;
  const elements = [protectedHeader, unprotectedHeader, parts.payload, parts.signature].filter(
    (part) => part !== undefined,
  );
  return concatBytes(open.bytes, ...elements.map(encodeValue), more.bytes);
}

/** The signature of a payload. */
export function signatureOf(
  content: Uint8Array,
  header: Uint8Array = PROTECTED_HEADER,
  key: SigningKey = LEAF,
): Uint8Array {
  return rawSignature(key.sign(sigStructure(header, content)));
}

/** A signed document. */
export function sealed(content: Uint8Array, parts: Omit<EnvelopeParts, 'payload' | 'signature'> = {}): Uint8Array {
  const { protectedHeader } = parts;
  const header = protectedHeader instanceof Uint8Array ? protectedHeader : PROTECTED_HEADER;
  return envelope({ ...parts, payload: content, signature: signatureOf(content, header) });
}

/** A signed document with changed fields. */
export function documentOf(changes: FieldChanges = {}, parts: PayloadParts = {}): Uint8Array {
  return sealed(payload(changes, parts));
}

/** A signed document with this chain. */
export function documentWith(chain: Chain): Uint8Array {
  return documentOf({}, { chain });
}

export function inputsFor([root = new Uint8Array(0)]: readonly Uint8Array[]): Inputs {
  return { anchors: [root], at: AT, challenge: CHALLENGE, pcr0: [PCR0], userData: USER_DATA };
}

/** The cases of these groups; what a variant does not say is as in the correct document. */
export function casesOf(groups: readonly Group[]): readonly Case[] {
  return groups.flatMap(({ variants, ...facts }) =>
    Object.entries(variants).map(([name, variant]): Case => {
      const { document, ...inputs } = variant instanceof Uint8Array ? { document: variant } : variant;
      return { ...facts, name, document, inputs: { ...inputsFor(CHAIN.authorities), ...inputs } };
    }),
  );
}
