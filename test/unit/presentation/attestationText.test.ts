import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { attestationDocument } from '../../../src/presentation/attestationText.ts';
import type { AttestationSummary } from '../../../src/shared/messages.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';

const AT = Date.UTC(2026, 0, 15, 12);
const DOCUMENT = 'QUJDREVG'.repeat(100);
const GENUINE: Extract<AttestationSummary, { kind: 'verified' }> = {
  kind: 'verified',
  environment: 'production',
  pcr0: 'ab'.repeat(48),
  approvedBy: 'pinned',
  moduleId: 'i-1-enc2',
  timestamp: AT,
  certificateNotBefore: AT - 1000,
  certificateNotAfter: AT + 3_600_000,
  document: DOCUMENT,
};
const status = (
  verified: AttestationSummary | null,
  health: Extract<ProxyStatus, { kind: 'running' }>['health'],
): Extract<ProxyStatus, { kind: 'running' }> => ({
  kind: 'running',
  url: 'http://127.0.0.1:1',
  port: 1,
  version: '1',
  shared: false,
  backendUrl: 'https://enclave.example',
  verified,
  establishedAt: verified === null ? null : AT,
  health,
});
const CONNECTED = { kind: 'connected', models: [], catalogue: null, checkedAt: AT } as const;
const text = (verified: AttestationSummary | null) => attestationDocument(status(verified, CONNECTED));

describe('attestationDocument()', () => {
  it('shows each check with its result, what is not checked, how to repeat the checks, and the document at the end', () => {
    const shown = text(GENUINE);
    for (const part of [
      'https://enclave.example',
      `\`\`\`\n${GENUINE.pcr0.slice(0, 64)}\n${GENUINE.pcr0.slice(64)}\n\`\`\``,
      'production list',
      '`i-1-enc2`',
      '2026-01-15T12:00:00Z',
      '2026-01-15T13:00:00Z',
      '**The enclave is verified.**',
      '/docs/glossary.md#enclave)',
      '## What is not checked',
      '## How to check it yourself',
    ]) {
      assert.ok(shown.includes(part), part);
    }
    assert.equal(shown.match(/^\| ✓ \|/gm)?.length, 10);
    const [, block = ''] = /```\n([^`]*)\n```\n$/.exec(shown) ?? [];
    assert.equal(block.replaceAll('\n', ''), DOCUMENT);
  });

  it('shows the image that needs consent, and where to give it', () => {
    const newImage = { pcr0: 'cd'.repeat(48), approvedBy: 'history', listedSince: AT, refused: false } as const;
    const shown = attestationDocument({ ...status(null, { kind: 'checking' }), newImage });
    assert.match(shown, /\*\*The enclave is verified, but it needs your consent\.\*\*/);
    assert.match(shown, /_Sealed Proxy: Review New Enclave Image…_/);
    assert.ok(shown.replaceAll(/\s/g, '').includes(newImage.pcr0));
  });

  it('shows why the image is trusted', () => {
    assert.match(
      text({ ...GENUINE, approvedBy: 'additional' }),
      /\| Added by you \(`sealedProxy\.additionalPcr0`\) \|/,
    );
    assert.match(text({ ...GENUINE, approvedBy: 'history' }), /\| In the signed history of production images \|/);
  });

  it('explains that a development backend is not verified, without a check mark', () => {
    for (const moduleId of ['i-dev', null]) {
      const shown = text({ kind: 'development', moduleId });
      assert.match(shown, /It is not verified\./);
      assert.equal(shown.includes('Enclave ID (not verified): `i-dev`'), moduleId !== null);
      assert.doesNotMatch(shown, /✓|is verified/i);
    }
  });

  const refusedFor = (code: string, detail: string | null, backendUrl?: string) => {
    const failure = { at: AT, code, detail, message: 'It was refused' };
    const times = { checkedAt: AT, retryAt: null };
    const health = { kind: 'unreachable', cause: 'attestation', message: 'It was refused', failure, ...times } as const;
    return attestationDocument({ ...status(null, health), ...(backendUrl && { backendUrl }) });
  };
  const marks = (shown: string) => (shown.match(/^\| [✓✗–] \|/gm) ?? []).map((row) => row[2]).join('');

  it('explains why nothing is verified', () => {
    const off = attestationDocument({ kind: 'off' });
    const unreachable = refusedFor('network', 'ECONNREFUSED');
    assert.match(off, /\*\*The enclave is not verified\.\*\* Sealed Proxy is off in this window\./);
    assert.match(
      unreachable,
      /\*\*The enclave is not verified\.\*\* Sealed Proxy refused .* It was refused\. .* No prompt leaves/,
    );
    assert.match(text(null), /verifies the enclave again\. No prompt leaves/);
    for (const shown of [off, unreachable, text(null)]) assert.equal(marks(shown), '');
  });

  for (const [code, detail, expected] of [
    ['attestation_refused', 'malformed_document', '✗–––––––––'],
    ['attestation_refused', 'untrusted_root', '✓✗––––––––'],
    ['attestation_refused', 'certificate_chain', '✓✓✗–––––––'],
    ['attestation_refused', 'signature', '✓✓✓✗––––––'],
    ['attestation_refused', 'nonce_mismatch', '✓✓✓✓✗–––––'],
    ['attestation_refused', 'certificate_expired', '✓✓✓✓✓✗––––'],
    ['attestation_refused', 'clock', '✓✓✓✓✓✗––––'],
    ['attestation_refused', 'debug_mode', '✓✓✓✓✓✓✗–––'],
    ['attestation_refused', 'pcr0_not_approved', '✓✓✓✓✓✓✓✗––'],
    ['history_unavailable', null, '✓✓✓✓✓✓✓✗––'],
    ['attestation_refused', 'user_data_mismatch', '✓✓✓✓✓✓✓✓✗–'],
    ['session_id_mismatch', null, '✓✓✓✓✓✓✓✓✓✗'],
  ] as const) {
    it(`shows which check failed, and which passed before: ${detail ?? code}`, () => {
      const shown = refusedFor(code, detail);
      assert.equal(marks(shown), expected);
      const [, failed = 'none'] = /^\| ✗ \| (.*?) \|/m.exec(shown) ?? [];
      assert.ok(shown.includes(`**Failed check:** ${failed}.`), shown);
    });
  }

  it('has a check for every reason to refuse an attestation', () => {
    const source = readFileSync(new URL('../../../src/attestation/errors.ts', import.meta.url), 'utf8');
    const [, union = ''] = /AttestationErrorCode =(.*?);\n\n/s.exec(source) ?? [];
    const codes = [...union.matchAll(/'([a-z0-9_]+)'/g)].map(([, code]) => code ?? '');
    assert.ok(codes.length > 10);
    for (const code of codes) assert.match(marks(refusedFor('attestation_refused', code)), /^✓*✗–*$/, code);
  });

  it('shows no checks for a development backend whose attestation was refused', () => {
    assert.equal(marks(refusedFor('attestation_refused', 'nonce_mismatch', 'http://127.0.0.1:9')), '');
  });
});
