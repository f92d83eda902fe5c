import { createPublicKey } from 'node:crypto';
import { fromBase64 } from '../shared/bytes.ts';
import { isPcr } from '../shared/pcr0.ts';
import { AttestationError } from './errors.ts';
import type { Environment } from './pins.ts';
import { SIGNATURE_BYTES, isSignedBy } from './signature.ts';

/** `parseHistory` rejects more than this, so a download can stop here. */
export const MAX_HISTORY_BYTES = 1_048_576;

const MAX_ENTRIES = 2048;

/** An entry whose signature is valid. The signature covers PCR0 alone: all else is what the history says. */
export interface HistoryEntry {
  /** 96 lower-case hex digits each. */
  readonly pcr0: string;
  readonly pcr1: string;
  readonly pcr2: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 96 bytes. */
  readonly signature: Uint8Array;
}

/** Only `parseHistory` can set this property, so code outside this file cannot make a PcrHistory. */
const parsed = Symbol('parsed history');

/** The signed history of one environment's enclave images. */
export interface PcrHistory {
  readonly [parsed]: true;
  readonly environment: Environment;
  /** Whether an entry with this PCR0 (96 lower-case hex digits) has a valid signature. */
  approves(pcr0: string): boolean;
  /** The first entry with this PCR0 and a valid signature, or undefined. */
  entryOf(pcr0: string): HistoryEntry | undefined;
}

/**
 * Reads a history of enclave images (transport V2, section 4). `approves` checks the signatures: an entry with an
 * invalid one approves nothing and does not affect other entries.
 *
 * @param bytes the JSON text as received, at most 1 MiB
 * @param environment the environment whose address it was fetched from; the entries do not name it
 * @param verificationKey P-384 public key, DER SubjectPublicKeyInfo: `HISTORY_VERIFICATION_KEY`
 * @throws AttestationError `history_invalid`
 */
export function parseHistory(bytes: Uint8Array, environment: Environment, verificationKey: Uint8Array): PcrHistory {
  const entries = parseEntries(bytes);
  const key = createPublicKey({ key: Buffer.from(verificationKey), format: 'der', type: 'spki' });
  const entryOf = (pcr0: string) =>
    entries.find((entry) => entry.pcr0 === pcr0 && isSignedBy(key, Buffer.from(pcr0, 'ascii'), entry.signature));
  return { [parsed]: true, environment, approves: (pcr0) => entryOf(pcr0) !== undefined, entryOf };
}

function parseEntries(bytes: Uint8Array): readonly HistoryEntry[] {
  if (bytes.length > MAX_HISTORY_BYTES) throw invalid(`is longer than ${MAX_HISTORY_BYTES} bytes`);
  let entries: unknown;
  try {
    entries = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw invalid('is not JSON', cause);
  }
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_ENTRIES) {
    throw invalid(`is not a list of 1 to ${MAX_ENTRIES} entries`);
  }
  return entries.map(parseEntry);
}

function parseEntry(entry: unknown): HistoryEntry {
  if (typeof entry !== 'object' || entry === null) throw invalid('has an entry that is not an object');
  // Further fields are ignored: the signature covers PCR0 alone, so they could not be relied on.
  const { PCR0, PCR1, PCR2, timestamp, signature } = entry as Readonly<Record<string, unknown>>;
  if (!isPcr(PCR0) || !isPcr(PCR1) || !isPcr(PCR2))
    throw invalid('has an entry with a PCR that is not 48 bytes of hex');
  if (!isInteger(timestamp)) throw invalid('has an entry whose timestamp is not an integer');
  const signatureBytes = typeof signature === 'string' ? fromBase64(signature) : undefined;
  if (signatureBytes?.length !== SIGNATURE_BYTES)
    throw invalid(`has an entry without a signature of ${SIGNATURE_BYTES} bytes`);
  return { pcr0: PCR0, pcr1: PCR1, pcr2: PCR2, timestamp, signature: signatureBytes };
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function invalid(what: string, cause?: unknown): AttestationError {
  return new AttestationError('history_invalid', `the history of enclave images ${what}`, { cause });
}
