// `sealed-proxy verify`: it never ends with a stack trace, and verifies no file that says something else than the examples.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { canonicalJson, digestOf } from '../../../src/attestation/evidence.ts';
import { verifyFile } from '../../../src/proxy/hosts/verifyCommand.ts';
import { toBase64 } from '../../../src/shared/bytes.ts';
import { parseEvidence } from '../../../src/shared/evidence.ts';
import { parseJson } from '../../../src/shared/json.ts';
import { alterationsOf } from '../../support/alterations.ts';
import { EVIDENCE_FOLDER, EVIDENCE_TIME, SETTING_PCR0 } from '../../support/evidenceFixtures.ts';
import { jsonOf, mutate, pick } from '../../support/mutations.ts';
import type { FuzzTarget } from '../target.ts';

const EXAMPLES = readdirSync(EVIDENCE_FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => readFileSync(new URL(name, EVIDENCE_FOLDER), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-fuzz-'));
const path = join(folder, 'file');
const ARGUMENTS = [path, '--root', fileURLToPath(new URL('root.pem', EVIDENCE_FOLDER)), '--pcr0', SETTING_PCR0];
const MEANINGS = new Set(EXAMPLES.map((text) => meaningOf(JSON.parse(text))));

export const target: FuzzTarget = {
  seeds: () => [...EXAMPLES, JSON.stringify(JSON.parse(EXAMPLES[0] ?? ''))],
  mutate: (input, random) => {
    const value = parseJson(input);
    const altered = random() < 0.5 ? mutate(value, random) : pick(random, alterationsOf(value)).value;
    const evidence = parseEvidence(altered);
    return evidence !== undefined && random() < 0.8
      ? JSON.stringify({ ...evidence, digest: digestOf(evidence) })
      : jsonOf(altered);
  },
  run: async (input) => {
    writeFileSync(path, input);
    const { code, output: printed } = await verify(ARGUMENTS);
    assert.ok([0, 1, 2].includes(code), `exit code ${code}`);
    assert.doesNotMatch(printed, /^ +at /m);
    assert.ok(printed.isWellFormed() && !/[^\P{Cc}\n]/u.test(printed), 'control characters');
    if (code === 0) assert.ok(MEANINGS.has(meaningOf(parseJson(input))), 'other evidence is verified');
    // As a document without evidence, which has no nonce and no key to compare.
    const bare = await verify([...ARGUMENTS, '--at', String(EVIDENCE_TIME)]);
    assert.ok([0, 1, 2].includes(bare.code), `exit code ${bare.code}`);
  },
  close: () => {
    rmSync(folder, { recursive: true });
    return Promise.resolve();
  },
};

let output: string | undefined;
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array) => {
    if (output === undefined) return write(text);
    output += String(text);
    return true;
  };
}

async function verify(args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  output = '';
  try {
    const code = await verifyFile(args);
    return { code, output };
  } finally {
    output = undefined;
  }
}

/**
 * What evidence says, without what nothing shows: the version, the address, the digest and the exact time, and the form of
 * the document around what is signed.
 */
function meaningOf(value: unknown): string {
  const evidence = parseEvidence(value);
  if (evidence === undefined) return '';
  const { attestationDocument, challenge, clientPublicKey, serverPublicKey, environment, pcr0, approval, checks } =
    evidence;
  let payload = attestationDocument;
  try {
    payload = toBase64(parseSignedEnvelope(Buffer.from(attestationDocument, 'base64')).payload);
  } catch {
    // not signed
  }
  return canonicalJson([payload, challenge, clientPublicKey, serverPublicKey, environment, pcr0, approval, checks]);
}
