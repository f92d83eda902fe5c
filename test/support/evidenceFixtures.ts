// Makes the files in test/fixtures/evidence again, with new keys and the same times: node test/support/evidenceFixtures.ts
import { X509Certificate, randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { userDataFor } from '../../src/attestation/document.ts';
import { historyOf, makeEvidence } from '../../src/attestation/evidence.ts';
import type { EvidenceSource } from '../../src/attestation/evidence.ts';
import { PINS } from '../../src/attestation/pins.ts';
import { approveImage } from '../../src/attestation/policy.ts';
import { createAuthority } from '../../src/devEnclave/attestation/authority.ts';
import type { Authority } from '../../src/devEnclave/attestation/authority.ts';
import {
  DEVELOPMENT_PCR0,
  makeSignedDocument,
  makeUnsignedDocument,
} from '../../src/devEnclave/attestation/document.ts';
import type { SignedDocumentOptions } from '../../src/devEnclave/attestation/document.ts';
import { toPem } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import { generateKeyPair } from '../../src/session/keys.ts';
import { toHex } from '../../src/shared/bytes.ts';
import type { Evidence, ImageApproval } from '../../src/shared/evidence.ts';
import { VERSION } from '../../src/shared/version.ts';

export const EVIDENCE_FOLDER = new URL('../fixtures/evidence/', import.meta.url);
export const EVIDENCE_TIME = Date.UTC(2026, 0, 15, 12);
export const SETTING_PCR0 = toHex(DEVELOPMENT_PCR0);

const HOUR = 3_600_000;

interface HistoryLine {
  readonly PCR0: string;
  readonly PCR1: string;
  readonly PCR2: string;
  readonly timestamp: number;
  readonly signature: string;
}

/** The root that the examples need in place of that of AWS, DER. */
export function readRoot(): Uint8Array {
  return new Uint8Array(new X509Certificate(readFileSync(new URL('root.pem', EVIDENCE_FOLDER))).raw);
}

/** A real entry of the history of production images that no list has pinned. */
export function listedImage(): { readonly pcr0: string; readonly approval: ImageApproval } {
  const file = new URL('../fixtures/pcr-history-prod.json', import.meta.url);
  const entries = JSON.parse(readFileSync(file, 'utf8')) as readonly HistoryLine[];
  const pinned = Object.values(PINS).flatMap(({ pcr0 }) => pcr0);
  const entry = entries.find(({ PCR0 }) => !pinned.includes(PCR0));
  if (entry === undefined) throw new Error('The history has only pinned images');
  const { PCR0: pcr0, PCR1: pcr1, PCR2: pcr2, timestamp, signature } = entry;
  const url = PINS.production.historyUrl;
  return { pcr0, approval: { by: 'history', url, pcr1, pcr2, timestamp, signature } };
}

/** What approves the image of an enclave. */
interface Approver {
  readonly additional?: readonly string[];
  /** With the entry of the history, if that approves it. */
  readonly approval?: ImageApproval | null;
}

/** Evidence of a handshake with an enclave of this authority, whose image a setting has approved. */
export function evidenceOf(
  authority: Authority,
  document: Partial<SignedDocumentOptions> = {},
  { additional = [SETTING_PCR0], approval = null, ...changes }: Approver & Partial<EvidenceSource> = {},
): Evidence {
  const environment = 'production';
  const challenge = new Uint8Array(randomBytes(32));
  const clientPublicKey = generateKeyPair().publicKey;
  const bindings = { nonce: challenge, publicKey: generateKeyPair().publicKey, userData: userDataFor(clientPublicKey) };
  return makeEvidence({
    version: VERSION,
    backend: 'https://enclave.example',
    anchors: authority.anchors,
    environment,
    approve: (pcr0) => approveImage(pcr0, { environment, additional }, historyOf(pcr0, approval, environment)),
    bytes: makeSignedDocument(authority, { ...bindings, timestamp: EVIDENCE_TIME, ...document }),
    challenge,
    clientPublicKey,
    at: EVIDENCE_TIME + 80,
    ...changes,
  });
}

/** One file for each kind of approval, and some of refused enclaves. */
function allFiles(authority: Authority): Readonly<Record<string, Evidence>> {
  const pinned = Buffer.from(PINS.production.pcr0[0] ?? '', 'hex');
  const listed = listedImage();
  const nothing = { additional: [] };
  const bindings = { nonce: randomBytes(32), publicKey: randomBytes(32), userData: randomBytes(85) };
  return {
    setting: evidenceOf(authority),
    pin: evidenceOf(authority, { pcr0: pinned }, nothing),
    history: evidenceOf(
      authority,
      { pcr0: Buffer.from(listed.pcr0, 'hex') },
      { ...nothing, approval: listed.approval },
    ),
    'refused-document': evidenceOf(authority, {}, { bytes: makeUnsignedDocument(bindings, EVIDENCE_TIME) }),
    'refused-root': evidenceOf(createAuthority(EVIDENCE_TIME), {}, { anchors: authority.anchors }),
    'refused-challenge': evidenceOf(authority, { nonce: randomBytes(32) }),
    'refused-expired': evidenceOf(authority, {}, { at: EVIDENCE_TIME + 5 * HOUR }),
    'refused-debug-mode': evidenceOf(authority, { pcr0: new Uint8Array(48) }),
    'refused-image': evidenceOf(authority, {}, nothing),
    'refused-server-key': evidenceOf(authority, { publicKey: null }),
    'refused-client-key': evidenceOf(authority, { userData: null }),
  };
}

if (realpathSync(process.argv[1] ?? '.') === import.meta.filename) {
  const authority = createAuthority(EVIDENCE_TIME);
  for (const [name, evidence] of Object.entries(allFiles(authority))) {
    writeFileSync(new URL(`${name}.json`, EVIDENCE_FOLDER), `${JSON.stringify(evidence, null, 2)}\n`);
  }
  writeFileSync(new URL('root.pem', EVIDENCE_FOLDER), authority.anchors.roots.map(toPem).join(''));
}
