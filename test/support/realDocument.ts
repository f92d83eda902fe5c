// The real document in test/fixtures and its properties (transport V2, section 5).
import { readFileSync } from 'node:fs';

export const REAL_DOCUMENT: Uint8Array = Buffer.from(
  readFileSync(new URL('../fixtures/nitro-attestation-2024-10-28.b64', import.meta.url), 'ascii'),
  'base64',
);

/** The enclave's own time, milliseconds since 1970. */
export const REAL_TIME = 1730141656206;
export const REAL_NONCE: Uint8Array = Buffer.from('cc6b95ef-a0d7-477d-90f2-36cc088d2449', 'ascii');
export const REAL_LEAF_NOT_BEFORE = Date.UTC(2024, 9, 28, 18, 48, 15);
export const REAL_LEAF_NOT_AFTER = Date.UTC(2024, 9, 28, 21, 48, 18);
