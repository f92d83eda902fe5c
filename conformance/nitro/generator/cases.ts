// What a case consists of.
import type { CheckError, CheckId } from '../../../src/shared/checks.ts';

/** The areas of the suite, one file each. */
export const AREAS = [
  'cbor',
  'cose',
  'fields',
  'anchors',
  'chain',
  'validity',
  'extensions',
  'path-length',
  'names',
  'der',
  'points',
  'algorithms',
  'pcrs',
  'bindings',
] as const;
export type Area = (typeof AREAS)[number];

export interface Facts {
  /** A phrase that is unique in its area. */
  readonly name: string;
  readonly area: Area;
  /**
   * `required`: the clause demands this verdict. `profile`: the clause permits another one, and docs/evidence.md decides.
   */
  readonly strength: 'required' | 'profile';
  /** The rule behind the verdict: `AWS` is docs/attestation_process.md of aws-nitro-enclaves-nsm-api. */
  readonly clause: string;
}

/** What a verifier is given besides the document. */
export interface Inputs {
  /** DER. */
  readonly anchors: readonly Uint8Array[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Undefined: there is none to compare with. */
  readonly challenge: Uint8Array | undefined;
  /** The accepted values of PCR0. Undefined: all but that of debug mode. */
  readonly pcr0: readonly Uint8Array[] | undefined;
  /** What `user_data` must be. Undefined: anything. */
  readonly userData: Uint8Array | undefined;
}

export interface Case extends Facts {
  readonly document: Uint8Array;
  readonly inputs: Inputs;
  /** The code of the rejection; undefined: the document is accepted. */
  readonly refused: CheckError | undefined;
  /** The check that refuses it. Default: that with this code. */
  readonly check?: CheckId;
}

/** A document, and inputs that differ from the usual ones. */
export interface Variant extends Partial<Inputs> {
  readonly document: Uint8Array;
}

/** Cases of one rule. */
export interface Group extends Omit<Facts, 'name'> {
  readonly refused: CheckError | undefined;
  readonly check?: CheckId;
  readonly variants: Readonly<Record<string, Uint8Array | Variant>>;
}
