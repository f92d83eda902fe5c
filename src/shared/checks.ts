// The checks of an attestation in the order in which they run, and what everybody says about them: the verifier, evidence, the
// interface and the command line. Their rules are in attestation/checks.ts, which the extension does not contain.

/** What the checks answer together, in the order in which a reader asks. */
export const CHECK_GROUPS = ['signer', 'program', 'keys', 'freshness'] as const;
export type CheckGroup = (typeof CHECK_GROUPS)[number];

interface CheckFacts {
  readonly group: CheckGroup;
  /** What the check shows if it passes, in a sentence without a full stop. */
  readonly title: string;
  /** The codes of the AttestationErrors with which it fails. */
  readonly errors: readonly string[];
  /** What the proxy also reports if it fails. */
  readonly reports?: readonly string[];
  /** What it has found if it passes, in a few words; empty if the title says it all. */
  readonly found: string;
}

export const CHECKS = {
  /** Not a COSE_Sign1 with an attestation payload, or one of its limits is exceeded. */
  document_format: {
    group: 'signer',
    title: 'The attestation document has the format of AWS Nitro Enclaves',
    errors: ['malformed_document'],
    found: 'Valid COSE_Sign1',
  },
  trusted_root: {
    group: 'signer',
    title: 'Its certificate chain starts with the trusted root certificate',
    errors: ['untrusted_root'],
    found: 'SHA-256 641a0321…8f79bb5b',
  },
  /**
   * `malformed_certificate`: not in the form of docs/evidence.md, X.509 v3 in DER with the extensions that are processed.
   * `certificate_algorithm`: a key or a signature is not ECDSA P-384 with SHA-384. `certificate_chain`: a certificate is not
   * issued or not signed by the previous one, or violates its role or path length.
   */
  certificate_chain: {
    group: 'signer',
    title: 'Each certificate is signed by the previous one, which is allowed to sign it',
    errors: ['malformed_certificate', 'certificate_algorithm', 'certificate_chain'],
    found: 'ECDSA P-384 with SHA-384',
  },
  document_signature: {
    group: 'signer',
    title: 'The document is signed by the last certificate',
    errors: ['signature'],
    found: 'ES384',
  },
  challenge: {
    group: 'freshness',
    title: 'The document contains the random challenge of the handshake',
    errors: ['nonce_mismatch'],
    found: 'Fresh, not a replay',
  },
  certificate_validity: {
    group: 'freshness',
    title: 'All certificates are valid at the time of the verification',
    errors: ['certificate_not_yet_valid', 'certificate_expired'],
    reports: ['clock'],
    found: '',
  },
  /** PCR0 is all zero in debug mode, where the host can read the enclave's memory. Without PCR0: `pcr0_not_approved`. */
  debug_mode: {
    group: 'program',
    title: 'The enclave does not run in debug mode',
    errors: ['debug_mode'],
    found: 'PCR0 is not zero',
  },
  /** `history_invalid`: the history does not have the form of transport V2, section 4, or belongs to the other environment. */
  image_approved: {
    group: 'program',
    title: 'The enclave image is trusted',
    errors: ['pcr0_not_approved', 'history_invalid'],
    reports: ['history_unavailable'],
    found: '',
  },
  server_key: {
    group: 'keys',
    title: "The document contains the enclave's public key for the session",
    errors: ['public_key_mismatch'],
    found: '',
  },
  client_key: {
    group: 'keys',
    title: "The document contains the proxy's public key for the session",
    errors: ['user_data_mismatch'],
    found: '',
  },
} as const satisfies Readonly<Record<string, CheckFacts>>;

/** Of the format of evidence (docs/evidence.md). It changes with the list, because evidence has exactly these checks. */
export const EVIDENCE_VERSION = 1;

export type CheckId = keyof typeof CHECKS;

/** After a check that fails, the others are skipped. */
export const CHECK_IDS = Object.keys(CHECKS) as readonly CheckId[];

/** Why an attestation is refused. */
export type CheckError = (typeof CHECKS)[CheckId]['errors'][number];

/** The codes with which the proxy reports that this check failed. */
export function failuresOf(id: CheckId): readonly string[] {
  const { errors, reports = [] }: CheckFacts = CHECKS[id];
  return [...errors, ...reports];
}
