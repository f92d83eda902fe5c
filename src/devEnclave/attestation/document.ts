import { hash, randomBytes, sign } from 'node:crypto';
import { encode } from 'cborg';
import { PROTECTED_HEADER, sigStructure } from '../../attestation/cose.ts';
import { PCR_BYTES } from '../../attestation/document.ts';
import { concatBytes } from '../../shared/bytes.ts';
import type { Authority, IssuedCertificate } from './authority.ts';

/** The PCR0 of the development enclave, 48 bytes. It is not on any list of trusted images. */
export const DEVELOPMENT_PCR0: Uint8Array = hash('sha384', 'development enclave', 'buffer');

/** The fields of a document's payload. A null field is encoded as null, not left out. */
export type PayloadFields = ReadonlyMap<string, unknown>;

export interface Bindings {
  readonly nonce: Uint8Array | null;
  readonly publicKey: Uint8Array | null;
  readonly userData: Uint8Array | null;
}

export interface SignedDocumentOptions extends Bindings {
  /** The enclave's own time, milliseconds since 1970. */
  readonly timestamp: number;
  /** 48 bytes. Default: `DEVELOPMENT_PCR0`. */
  readonly pcr0?: Uint8Array;
  readonly moduleId?: string;
}

/** Makes a document in the form of AWS, for verifiers that trust the anchors of `authority`. */
export function makeSignedDocument(authority: Authority, options: SignedDocumentOptions): Uint8Array {
  return signPayload(encodePayload(payloadFields(authority, options)), authority.leaf);
}

/** The fields of a correct payload (transport V2, section 4), in the order of AWS. */
export function payloadFields(
  { cabundle, leaf }: { readonly cabundle: readonly Uint8Array[]; readonly leaf: Pick<IssuedCertificate, 'der'> },
  options: SignedDocumentOptions,
): PayloadFields {
  const { nonce, publicKey, userData, timestamp, pcr0 = DEVELOPMENT_PCR0, moduleId = 'i-development-enc0' } = options;
  return new Map<string, unknown>([
    ['module_id', moduleId],
    ['digest', 'SHA384'],
    ['timestamp', timestamp],
    [
      'pcrs',
      new Map(Array.from({ length: 16 }, (_, index) => [index, index === 0 ? pcr0 : new Uint8Array(PCR_BYTES)])),
    ],
    ['certificate', leaf.der],
    ['cabundle', cabundle],
    ['public_key', publicKey],
    ['user_data', userData],
    ['nonce', nonce],
  ]);
}

/** Encodes a payload as AWS does since 2025: as a CBOR map of indefinite length (RFC 8949 section 3.2.2). */
export function encodePayload(fields: PayloadFields): Uint8Array {
  const entries = [...fields].flatMap(([name, value]) => [encode(name), encode(value)]);
  return concatBytes(Uint8Array.of(0xbf), ...entries, Uint8Array.of(0xff));
}

/** Makes a COSE_Sign1 of any payload, signed with ES384 and the key of `leaf`. */
export function signPayload(payload: Uint8Array, leaf: IssuedCertificate): Uint8Array {
  const signed = sigStructure(PROTECTED_HEADER, payload);
  const signature = sign('sha384', signed, { key: leaf.privateKey, dsaEncoding: 'ieee-p1363' });
  return encode([PROTECTED_HEADER, new Map(), payload, signature]);
}

/**
 * Makes a document as development backends send it: with the structure of a signed one, but an empty protected header,
 * random bytes as PCRs, certificates and signature, and a timestamp in seconds.
 *
 * @param now milliseconds since 1970
 */
export function makeUnsignedDocument(bindings: Bindings, now: number): Uint8Array {
  const certificates = { cabundle: [randomBytes(300), randomBytes(300)], leaf: { der: randomBytes(300) } };
  const moduleId = `i-${randomBytes(8).toString('hex')}`;
  const fields = payloadFields(certificates, { ...bindings, moduleId, timestamp: Math.floor(now / 1000) });
  const pcrs = new Map([0, 1, 2].map((index) => [index, randomBytes(PCR_BYTES)]));
  const payload = encode(new Map([...fields, ['pcrs', pcrs]]));
  return encode([new Uint8Array(0), new Map(), payload, randomBytes(64)]);
}
