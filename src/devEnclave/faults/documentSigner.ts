// Signs the enclave's attestation documents and injects the faults that concern their signature.
import { PCR_BYTES } from '../../attestation/document.ts';
import type { TrustAnchors } from '../../attestation/trust.ts';
import { HOUR, chainSpecs, createAuthority, issueChain } from '../attestation/authority.ts';
import type { Authority } from '../attestation/authority.ts';
import { makeSignedDocument, makeUnsignedDocument } from '../attestation/document.ts';
import type { Bindings } from '../attestation/document.ts';

/** Faults of the document's signature and measurement. */
export const SIGNED_FAULTS = {
  'expired-certificate': 'the leaf of a trusted chain expired an hour ago',
  'untrusted-root': 'the chain starts with a different root',
  'debug-pcr0': 'PCR0 is all zero',
  'bad-signature': 'the last bit of the signature is wrong',
  'unsigned-document': 'the document is not signed',
} as const;

/** The bindings of one handshake, all of them present. */
export type HandshakeBindings = Readonly<Record<keyof Bindings, Uint8Array>>;

type Faults = Pick<ReadonlySet<keyof typeof SIGNED_FAULTS>, 'has'>;

/** Makes the document of one handshake, with the given faults. */
export type DocumentMaker = (bindings: HandshakeBindings, faults: Faults) => Uint8Array;

export interface DocumentSigner {
  /** What a verifier must trust. Includes the root for `expired-certificate`, so that only the expiry is wrong. */
  readonly anchors: TrustAnchors;
  readonly makeDocument: DocumentMaker;
  /** The next documents name this image: 48 bytes. */
  readonly setImage: (pcr0: Uint8Array) => void;
}

export interface SignerOptions {
  /** Milliseconds since 1970. The certificates are valid for three hours from the creation of the signer. */
  readonly clock: () => number;
  /** 48 bytes. Default: `DEVELOPMENT_PCR0`. */
  readonly pcr0?: Uint8Array;
  readonly moduleId?: string;
}

/** Creates a signer with a temporary authority and fresh keys. */
export function createDocumentSigner({ clock, ...options }: SignerOptions): DocumentSigner {
  let identity = options;
  const authority = createAuthority(clock());
  const expired = createExpiredAuthority(clock());
  const authorityFor = (faults: Faults): Authority => {
    if (faults.has('untrusted-root')) return createAuthority(clock());
    return faults.has('expired-certificate') ? expired : authority;
  };
  return {
    anchors: { roots: [...authority.anchors.roots, ...expired.anchors.roots] },
    makeDocument: (bindings, faults) => {
      if (faults.has('unsigned-document')) return makeUnsignedDocument(bindings, clock());
      const measured = faults.has('debug-pcr0') ? { ...identity, pcr0: new Uint8Array(PCR_BYTES) } : identity;
      const document = makeSignedDocument(authorityFor(faults), { ...bindings, ...measured, timestamp: clock() });
      if (faults.has('bad-signature')) flipLastBit(document); // the signature comes last
      return document;
    },
    setImage: (pcr0) => {
      identity = { ...identity, pcr0 };
    },
  };
}

function createExpiredAuthority(now: number): Authority {
  const [root, zone, instance, leaf] = chainSpecs(now - 4 * HOUR);
  return issueChain([root, zone, instance, { ...leaf, notAfter: now - HOUR }]);
}

function flipLastBit(bytes: Uint8Array): void {
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
}
