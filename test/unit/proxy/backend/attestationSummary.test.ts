import assert from 'node:assert/strict';
import { createAuthority } from '../../../../src/devEnclave/attestation/authority.ts';
import { DEVELOPMENT_PCR0, makeSignedDocument } from '../../../../src/devEnclave/attestation/document.ts';
import { summarizeAttestation } from '../../../../src/proxy/backend/attestationSummary.ts';
import { toHex } from '../../../../src/shared/bytes.ts';
import { parseFromProxy } from '../../../../src/shared/messages.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { JSON_FIELDS, beginHandshake, bindingsOf, developmentReply, replyOf } from '../../../support/handshakes.ts';

describe('summarizeAttestation()', () => {
  it('summarizes the document of a verified enclave', async () => {
    const now = new FakeClock().wall();
    const authority = createAuthority(now);
    const pcr0 = toHex(DEVELOPMENT_PCR0);
    const begun = await beginHandshake({
      kind: 'nitro',
      anchors: authority.anchors,
      policy: { environment: 'development', additional: [pcr0] },
      history: () => assert.fail('The history was loaded'),
    });
    const document = makeSignedDocument(authority, { ...bindingsOf(begun), timestamp: now, moduleId: 'i-1-enc1' });
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, document));
    const verified = summarizeAttestation((await begun.session).attestation);
    assert.deepEqual(verified, {
      kind: 'verified',
      environment: 'development',
      pcr0,
      approvedBy: 'additional',
      listedSince: null,
      moduleId: 'i-1-enc1',
      timestamp: now,
      certificateNotBefore: now - 60_000,
      certificateNotAfter: now + 3 * 3_600_000,
      document: Buffer.from(document).toString('base64'),
    });
    assert.ok(parseFromProxy({ type: 'verified', verified, establishedAt: now }));
  });

  it('marks a development backend as such', async () => {
    const begun = await beginHandshake({ kind: 'development' });
    begun.call.respond(200, JSON_FIELDS, developmentReply(begun));
    const { attestation } = await begun.session;
    assert.ok(attestation.kind === 'development');
    assert.deepEqual(summarizeAttestation(attestation), { kind: 'development', moduleId: attestation.moduleId });
    assert.deepEqual(summarizeAttestation({ kind: 'development', moduleId: undefined }), {
      kind: 'development',
      moduleId: null,
    });
  });
});
