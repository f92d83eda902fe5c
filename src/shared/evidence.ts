// The evidence of an attestation: a file with everything that someone else needs to verify it again without a network.
// docs/evidence.md describes the format.

/** Every check, in the order in which they run. After a check that fails, the others are skipped. */
export const CHECK_IDS = [
  'document_format',
  'trusted_root',
  'certificate_chain',
  'document_signature',
  'challenge',
  'certificate_validity',
  'debug_mode',
  'image_approved',
  'server_key',
  'client_key',
] as const;

export type CheckId = (typeof CHECK_IDS)[number];
export type CheckResult = 'pass' | 'fail' | 'skipped';

/** What a check found. `examined` has the exact bytes (hex or Base64) or values that it compared, by name. */
export interface EvidenceCheck {
  readonly id: CheckId;
  readonly result: CheckResult;
  readonly examined: Readonly<Record<string, string | readonly string[]>>;
  /** The code of the error, for `fail` only. */
  readonly error?: string;
}

/** What approved the enclave image. */
export type ImageApproval =
  /** The list that is built into this version. */
  | { readonly by: 'pin' }
  /** The user, with a setting. */
  | { readonly by: 'setting' }
  /** An entry of the signed history. The signature covers PCR0 alone, so the time is not signed. */
  | {
      readonly by: 'history';
      readonly url: string;
      /** 96 hex digits. */
      readonly pcr1: string;
      readonly pcr2: string;
      /** Seconds since 1970, as the history has it. */
      readonly timestamp: number;
      /** Base64 of 96 bytes. */
      readonly signature: string;
    };

export interface Evidence {
  readonly format: 'sealed-proxy-evidence';
  readonly formatVersion: 1;
  /** The version of Sealed Proxy that made the file. */
  readonly version: string;
  readonly backend: string;
  /** When the proxy verified the document, by this computer's clock: ISO 8601, UTC, milliseconds. */
  readonly verifiedAt: string;
  readonly environment: 'production' | 'development';
  /** Base64 of 32 bytes. */
  readonly challenge: string;
  readonly clientPublicKey: string;
  /** Base64 of 32 bytes; null if the document contains none. */
  readonly serverPublicKey: string | null;
  /** Base64. */
  readonly attestationDocument: string;
  /** 96 hex digits; null if the document contains none. */
  readonly pcr0: string | null;
  /** Null if nothing approved the image. */
  readonly approval: ImageApproval | null;
  readonly checks: readonly EvidenceCheck[];
  /** SHA-256 of the canonical JSON (RFC 8785) of all other fields, hex. Shows damage, not forgery. */
  readonly digest: string;
}
