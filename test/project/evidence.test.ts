// docs/evidence.md must be enough to write a verifier, so its constants are those of the code.
import assert from 'node:assert/strict';
import { X509Certificate, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userDataFor } from '../../src/attestation/document.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../src/attestation/pins.ts';
import { AWS_NITRO_ROOT } from '../../src/attestation/trust.ts';
import { asBuffer } from '../../src/shared/bytes.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { EVIDENCE_FOLDER } from '../support/evidenceFixtures.ts';

const TEXT = readFileSync(fromRoot('docs/evidence.md'), 'utf8');

/** The part of the page under a heading. */
function section(title: string): string {
  const [, rest] = TEXT.split(new RegExp(`^#+ ${title}\n`, 'm'));
  return rest?.split(/^#+ /m, 1)[0] ?? assert.fail(title);
}

describe('The description of evidence', () => {
  it('lists every pinned image, and no other', () => {
    const lists = section('Pinned images').split('Of `development`');
    const [production, development] = lists.map((list) => list.match(/[0-9a-f]{96}/g));
    assert.deepEqual([production, development], [PINS.production.pcr0, PINS.development.pcr0]);
  });

  it('has the key and the addresses of the histories', () => {
    const text = section('History');
    const key = /```\n([^`]+)```/.exec(text)?.[1]?.replaceAll('\n', '');
    assert.equal(key, asBuffer(HISTORY_VERIFICATION_KEY).toString('base64'));
    for (const { historyUrl } of Object.values(PINS)) assert.ok(text.includes(historyUrl), historyUrl);
  });

  it('has the root of AWS and its fingerprint', () => {
    const [root] = AWS_NITRO_ROOT.roots;
    assert.ok(root);
    const text = section('The root of AWS');
    const pem = /-----BEGIN[^`]+/.exec(text)?.[0] ?? '';
    assert.deepEqual(new X509Certificate(pem).raw, asBuffer(root));
    assert.ok(text.includes(createHash('sha256').update(root).digest('hex')));
  });

  it('has the label of the client key and its length', () => {
    const label = asBuffer(userDataFor(new Uint8Array(0))).toString('ascii');
    const text = section('client_key').replaceAll(/\s+/g, ' ');
    assert.ok(text.includes(`the ${label.length} bytes of the ASCII text \`${label.slice(0, -1)}\``));
  });

  it('describes every check under its ID, with every value that it examines', () => {
    for (const name of ['history', 'setting']) {
      const evidence = JSON.parse(readFileSync(new URL(`${name}.json`, EVIDENCE_FOLDER), 'utf8')) as {
        readonly checks: readonly { readonly id: string; readonly examined: object }[];
      };
      for (const { id, examined } of evidence.checks) {
        const text = section(id);
        for (const value of Object.keys(examined)) assert.ok(text.includes(`\`${value}\``), `${id}: ${value}`);
      }
    }
  });
});
