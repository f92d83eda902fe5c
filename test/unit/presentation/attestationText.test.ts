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

describe('The attestation to read', () => {
  it('names each step with its value, what was not checked, how to check it, and the document at the end', () => {
    const shown = text(GENUINE);
    for (const part of [
      'https://enclave.example',
      `\`\`\`\n${GENUINE.pcr0.slice(0, 64)}\n${GENUINE.pcr0.slice(64)}\n\`\`\``,
      'list for production',
      '`i-1-enc2`',
      '2026-01-15T12:00:00Z',
      '2026-01-15T13:00:00Z',
      '## What was not checked, and why',
      '## How to check it yourself',
    ]) {
      assert.ok(shown.includes(part), part);
    }
    assert.equal(shown.match(/^\| ✓ \|/gm)?.length, 10);
    const [, block = ''] = /```\n([^`]*)\n```\n$/.exec(shown) ?? [];
    assert.equal(block.replaceAll('\n', ''), DOCUMENT);
  });

  it('says by whom the image is approved', () => {
    assert.match(
      text({ ...GENUINE, approvedBy: 'additional' }),
      /one that you added \(`sealedProxy\.additionalPcr0`\)/,
    );
    assert.match(
      text({ ...GENUINE, approvedBy: 'history' }),
      /history for production that the image's makers have signed/,
    );
  });

  it('says of a development backend that it was not verified, and ticks nothing off', () => {
    for (const moduleId of ['i-dev', null]) {
      const shown = text({ kind: 'development', moduleId });
      assert.match(shown, /It was not verified/);
      assert.equal(shown.includes('calls itself'), moduleId !== null);
      assert.doesNotMatch(shown, /✓|genuine/i);
    }
  });

  const refusedFor = (code: string, detail: string | null, backendUrl?: string) => {
    const failure = { at: AT, code, detail, message: 'It was refused' };
    const times = { checkedAt: AT, retryAt: null };
    const health = { kind: 'unreachable', cause: 'attestation', message: 'It was refused', failure, ...times } as const;
    return attestationDocument({ ...status(null, health), ...(backendUrl && { backendUrl }) });
  };
  const marks = (shown: string) => (shown.match(/^\| [✓✗–] \|/gm) ?? []).map((row) => row[2]).join('');

  it('says why there is nothing to show', () => {
    const off = attestationDocument({ kind: 'off' });
    const unreachable = refusedFor('network', 'ECONNREFUSED');
    assert.match(off, /proxy is not running/);
    assert.match(unreachable, /Nothing is verified at the moment\. It was refused\.\n/);
    assert.match(text(null), /no session stands/);
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
    it(`shows which step refused, and what had passed before: ${detail ?? code}`, () => {
      assert.equal(marks(refusedFor(code, detail)), expected);
    });
  }

  it('has a step for every reason for which an attestation can be refused', () => {
    const source = readFileSync(new URL('../../../src/attestation/errors.ts', import.meta.url), 'utf8');
    const [, union = ''] = /AttestationErrorCode =(.*?);\n\n/s.exec(source) ?? [];
    const codes = [...union.matchAll(/'([a-z0-9_]+)'/g)].map(([, code]) => code ?? '');
    assert.ok(codes.length > 10);
    for (const code of codes) assert.match(marks(refusedFor('attestation_refused', code)), /^✓*✗–*$/, code);
  });

  it('ticks nothing off for a development backend that lied', () => {
    assert.equal(marks(refusedFor('attestation_refused', 'nonce_mismatch', 'http://127.0.0.1:9')), '');
  });
});
