import assert from 'node:assert/strict';
import { attestationDocument } from '../../src/extension/attestationText.ts';
import type { Verified } from '../../src/shared/messages.ts';
import type { ProxyStatus } from '../../src/shared/status.ts';

const AT = Date.UTC(2026, 0, 15, 12);
const DOCUMENT = 'QUJDREVG'.repeat(100);
const GENUINE: Extract<Verified, { kind: 'verified' }> = {
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
  verified: Verified | null,
  health: Extract<ProxyStatus, { kind: 'running' }>['health'],
): ProxyStatus => ({
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
const CONNECTED = { kind: 'connected', models: [], checkedAt: AT } as const;
const text = (verified: Verified | null) => attestationDocument(status(verified, CONNECTED));

describe('The attestation to read', () => {
  it('names each step with its value, what was not checked, how to check it, and the document at the end', () => {
    const shown = text(GENUINE);
    for (const part of [
      'https://enclave.example',
      `\`${GENUINE.pcr0}\``,
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

  it('says why there is nothing to show', () => {
    const off = attestationDocument({ kind: 'off' });
    const refused = attestationDocument(
      status(null, {
        kind: 'unreachable',
        cause: 'attestation',
        message: 'It was refused',
        checkedAt: AT,
        retryAt: null,
      }),
    );
    assert.match(off, /proxy is not running/);
    assert.match(refused, /Nothing is verified at the moment: It was refused\.\n/);
    assert.match(text(null), /no session stands/);
    for (const shown of [off, refused, text(null)]) assert.doesNotMatch(shown, /✓/);
  });
});
