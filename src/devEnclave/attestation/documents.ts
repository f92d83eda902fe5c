// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// Who signs this enclave's attestation documents, and how they can be wrong.
import type { TrustAnchors } from '../../attestation/trust.ts';
import { chainSpecs, createAuthority, issueChain } from './authority.ts';
import type { Authority } from './authority.ts';
import { makeSignedDocument, makeUnsignedDocument } from './document.ts';
import type { HandshakeFault } from '../faults/faults.ts';

const HOUR = 3_600_000;
const PCR_LENGTH = 48;

/** What the document binds to one handshake. */
export interface Claims {
  readonly nonce: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly userData: Uint8Array;
}

/** The document of one handshake, true or false. */
export type DocumentMaker = (claims: Claims, faults: ReadonlySet<HandshakeFault>) => Uint8Array;

export interface Signing {
  /** What a verifier must trust; it holds for `expired-certificate` too, so that only the expiry is wrong. */
  readonly anchors: TrustAnchors;
  readonly makeDocument: DocumentMaker;
}

export interface SigningOptions {
  /** Milliseconds since 1970. The certificates are valid for three hours from the first look at it. */
  readonly clock: () => number;
  /** 48 bytes; `DEVELOPMENT_PCR0` of document.ts unless said otherwise. */
  readonly pcr0?: Uint8Array;
  readonly moduleId?: string;
}

/** A throwaway authority for one enclave, with fresh keys. */
export function createSigning({ clock, ...identity }: SigningOptions): Signing {
  const authority = createAuthority(clock());
  const expired = createExpiredAuthority(clock());
  const signer = (faults: ReadonlySet<HandshakeFault>): Authority => {
    if (faults.has('untrusted-root')) return createAuthority(clock());
    return faults.has('expired-certificate') ? expired : authority;
  };
  return {
    anchors: { roots: [...authority.anchors.roots, ...expired.anchors.roots] },
    makeDocument: (claims, faults) => {
      if (faults.has('unsigned-document')) return makeUnsignedDocument(claims, clock());
      const measured = faults.has('debug-pcr0') ? { ...identity, pcr0: new Uint8Array(PCR_LENGTH) } : identity;
      const document = makeSignedDocument(signer(faults), { ...claims, ...measured, timestamp: clock() });
      if (faults.has('bad-signature')) flipLastBit(document); // the signature comes last
      return document;
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
