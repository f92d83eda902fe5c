// Seeded mutations of evidence and attestation documents: of the JSON, the CBOR, and each element of a certificate. What is
// signed is signed again after most of them, so that what comes after the signature is reached.
import { randomBytes } from 'node:crypto';
import { decode } from 'cborg';
import { RICH_CHAIN, RICH_KEYS } from '../../conformance/nitro/generator/chains.ts';
import { parseSignedEnvelope } from '../../src/attestation/cose.ts';
import { canonicalJson, digestOf } from '../../src/attestation/evidence.ts';
import { encodePayload, signPayload } from '../../src/devEnclave/attestation/document.ts';
import { toBase64 } from '../../src/shared/bytes.ts';
import { findFormatError } from '../../src/shared/evidence.ts';
import type { Evidence } from '../../src/shared/evidence.ts';
import { alterationsOf } from './alterations.ts';
import { mutateBytes, mutateCertificate } from './certificateMutations.ts';
import type { MutatedBytes } from './certificateMutations.ts';
import { evidenceOf } from './evidenceFixtures.ts';
import { mutate, mutateText, pick, seededRandom } from './mutations.ts';

/** The root of all files: DER. */
export const MUTATION_ROOT = RICH_CHAIN[0];

export interface MutatedFile {
  readonly name: string;
  readonly file: string | Uint8Array;
}

type Random = () => number;

const LEAF = { subject: '', der: RICH_CHAIN[2], privateKey: RICH_KEYS.leaf };
const AUTHORITY = { anchors: { roots: [MUTATION_ROOT] }, cabundle: RICH_CHAIN.slice(0, 2), leaf: LEAF };

/** Evidence of a correct chain, and `count` mutations of it. The same seed makes the same changes, with other keys. */
export function mutatedEvidence(seed: number, count: number): MutatedFile[] {
  const random = seededRandom(seed);
  const evidence = evidenceOf(AUTHORITY);
  const fields = alterationsOf(evidence);
  const unchanged = { name: 'unchanged', file: JSON.stringify(evidence) };
  const mutated = Array.from({ length: count }, (_, index): MutatedFile => {
    const { name, file } = mutateEvidence(evidence, fields, random);
    return { name: `${seed}/${index} ${name}`, file };
  });
  return [unchanged, ...mutated];
}

/** Attestation documents alone, as bytes or Base64. */
export function mutatedDocuments(seed: number, count: number): MutatedFile[] {
  const random = seededRandom(seed);
  const document = documentOf(evidenceOf(AUTHORITY));
  return Array.from({ length: count }, (_, index) => {
    const { name, bytes } = mutateDocument(document, random);
    const base64 = toBase64(bytes);
    const file = pick(random, [bytes, base64, mutateText(base64, random), base64.replaceAll(/.{70}/g, '$&\r\n')]);
    return { name: `${seed}/${index} ${name}`, file };
  });
}

function documentOf({ attestationDocument }: Evidence): Uint8Array {
  return new Uint8Array(Buffer.from(attestationDocument, 'base64'));
}

function mutateEvidence(evidence: Evidence, fields: ReturnType<typeof alterationsOf>, random: Random): MutatedFile {
  const kind = random();
  if (kind < 0.1) return { name: 'text', file: mutateText(JSON.stringify(evidence, null, 1), random) };
  if (kind < 0.2) return { name: 'values', file: jsonOf(withDigest(mutate(evidence, random), random)) };
  if (kind < 0.3) {
    const { name, value } = pick(random, fields);
    return { name, file: jsonOf(withDigest(value, random)) };
  }
  const { name, bytes } = mutateDocument(documentOf(evidence), random);
  const recorded = { ...evidence, attestationDocument: toBase64(bytes) };
  // Either what the evidence of this document would record, or what that of the correct one did.
  const isRecordedAgain = random() < 0.7;
  const options = {
    bytes,
    challenge: new Uint8Array(Buffer.from(evidence.challenge, 'base64')),
    clientPublicKey: new Uint8Array(Buffer.from(evidence.clientPublicKey, 'base64')),
  };
  const value = isRecordedAgain ? evidenceOf(AUTHORITY, {}, options) : { ...recorded, digest: digestOf(recorded) };
  return { name, file: JSON.stringify(value) };
}

/** With its own digest in one of two cases, if it has the form of evidence. */
function withDigest(value: unknown, random: Random): unknown {
  const isForged = random() < 0.5 && findFormatError(value) === undefined;
  return isForged ? { ...(value as Evidence), digest: digestOf(value as Evidence) } : value;
}

function jsonOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return '{}'; // nested too deeply
  }
}

function mutateDocument(document: Uint8Array, random: Random): MutatedBytes {
  const kind = random();
  if (kind < 0.1) return { name: 'document', bytes: mutateBytes(document, random) };
  const { payload } = parseSignedEnvelope(document);
  if (kind < 0.2) return { name: 'payload', bytes: signPayload(mutateBytes(payload, random), LEAF) };
  const fields = decode(payload, { useMaps: true, allowIndefinite: true }) as Map<string, unknown>;
  if (kind < 0.35) {
    const field = pick(random, [...fields.keys(), 'unknown']);
    if (random() < 0.2) fields.delete(field);
    else fields.set(field, pick(random, VALUES)(random));
    return { name: `field ${field}`, bytes: signPayload(encodePayload(fields), LEAF) };
  }
  // The root is compared with the trusted one, so only its neighbours are worth it.
  const index = pick(random, [1, 2, 2]);
  const chain = RICH_CHAIN.map((der, at) =>
    at === index
      ? mutateCertificate(der, RICH_KEYS.signers[index] ?? RICH_KEYS.leaf, random)
      : { name: '', bytes: der },
  );
  fields.set(
    'cabundle',
    chain.slice(0, 2).map(({ bytes }) => bytes),
  );
  fields.set('certificate', chain[2]?.bytes);
  const name = `certificate ${index}: ${chain[index]?.name ?? ''}`;
  return { name, bytes: signPayload(encodePayload(fields), LEAF) };
}

const VALUES: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 2 ** 53,
  () => 1.5,
  () => '',
  () => 'SHA384',
  () => new Uint8Array(0),
  () => new Uint8Array(32),
  () => new Uint8Array(1025),
  (random) => new Uint8Array(randomBytes(Math.floor(random() * 600))),
  () => [],
  () => [new Uint8Array(0)],
  () => new Map(),
  () => new Map([[0, new Uint8Array(48)]]),
  () =>
    new Map<unknown, unknown>([
      [0, new Uint8Array(48).fill(1)],
      [32, new Uint8Array(48)],
    ]),
  () => RICH_CHAIN.slice(0, 1),
  () => [...RICH_CHAIN.slice(0, 2), RICH_CHAIN[1]],
  () => [RICH_CHAIN[0]],
];
