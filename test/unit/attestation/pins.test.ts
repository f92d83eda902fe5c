import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../../src/attestation/pins.ts';
import { fromBase64 } from '../../../src/shared/bytes.ts';

interface PinsFixture {
  readonly historyVerificationKeySpkiBase64: string;
  readonly production: { readonly historyUrl: string; readonly pcr0: readonly string[] };
  readonly development: { readonly historyUrl: string; readonly pcr0: readonly string[] };
}

describe('PINS and HISTORY_VERIFICATION_KEY', () => {
  it('are those of the published list', () => {
    const text = readFileSync(new URL('../../fixtures/pcr0-pins.json', import.meta.url), 'utf8');
    const { historyVerificationKeySpkiBase64, production, development } = JSON.parse(text) as PinsFixture;
    assert.deepEqual(PINS, { production, development });
    assert.deepEqual(
      Buffer.from(HISTORY_VERIFICATION_KEY),
      Buffer.from(fromBase64(historyVerificationKeySpkiBase64) ?? []),
    );
  });

  it('contain no image in both environments', () => {
    assert.deepEqual(
      PINS.production.pcr0.filter((pcr0) => PINS.development.pcr0.includes(pcr0)),
      [],
    );
  });
});
