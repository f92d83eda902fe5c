// Attestation documents: none but the signed payload is accepted, and every other one is refused with the declared error.
import assert from 'node:assert/strict';
import { encode } from 'cborg';
import { parseCoseSign1, parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { parsePayload, parseUnsignedDocument } from '../../../src/attestation/document.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
import { verifyBareDocument } from '../../../src/attestation/verifyEvidence.ts';
import { makeUnsignedDocument } from '../../../src/devEnclave/attestation/document.ts';
import { REAL_DOCUMENT, REAL_NONCE, REAL_TIME } from '../../support/realDocument.ts';
import type { FuzzTarget } from '../target.ts';

const TRUST = { anchors: AWS_NITRO_ROOT, additionalPcr0: [] };
const { payload: PAYLOAD } = parseSignedEnvelope(REAL_DOCUMENT);
const BINDINGS = { nonce: new Uint8Array(32), publicKey: new Uint8Array(32), userData: new Uint8Array(85) };

export const target: FuzzTarget = {
  seeds: () => [REAL_DOCUMENT, PAYLOAD, makeUnsignedDocument(BINDINGS, REAL_TIME)],
  run: (input) => {
    const envelope = attempt(() => parseCoseSign1(input));
    if (envelope !== undefined) {
      const { protectedHeader, unprotectedHeader, payload, signature } = envelope;
      const again = encode([protectedHeader, unprotectedHeader, payload, signature], { mapSorter: () => 0 });
      assert.deepEqual(Buffer.from(again), input);
    }
    attempt(() => parseUnsignedDocument(input));
    // As if it were signed.
    const document = attempt(() => parsePayload(input));
    if (document !== undefined) {
      const { moduleId, timestamp, pcrs, certificate, cabundle, publicKey, userData, nonce } = document;
      assert.match(moduleId, /^[ -~]{1,256}$/);
      assert.ok(Number.isSafeInteger(timestamp) && timestamp > 0);
      for (const [index, pcr] of pcrs) assert.ok(index >= 0 && index < 32 && pcr.length === 48);
      for (const der of [certificate, ...cabundle]) assert.ok(der.length > 0 && der.length <= 1024);
      for (const bytes of [publicKey, userData, nonce]) assert.ok((bytes?.length ?? 0) <= 1024);
    }
    const steps = verifyBareDocument({ document: input, challenge: REAL_NONCE }, TRUST, REAL_TIME);
    if (steps.some(({ result }) => result === 'fail')) return;
    assert.deepEqual(parseSignedEnvelope(input).payload, PAYLOAD, 'a document that AWS has not signed');
  },
};

function attempt<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (error) {
    assert.ok(error instanceof AttestationError, error instanceof Error ? (error.stack ?? '') : String(error));
    assert.equal(error.code, 'malformed_document');
    return undefined;
  }
}
