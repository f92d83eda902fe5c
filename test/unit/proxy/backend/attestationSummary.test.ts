import assert from 'node:assert/strict';
import { AttestationError } from '../../../../src/attestation/errors.ts';
import { createAuthority } from '../../../../src/devEnclave/attestation/authority.ts';
import { DEVELOPMENT_PCR0, makeSignedDocument } from '../../../../src/devEnclave/attestation/document.ts';
import { describeError } from '../../../../src/proxy/backend/describeError.ts';
import { summarizeAttestation } from '../../../../src/proxy/backend/attestationSummary.ts';
import { SessionError, asSessionError } from '../../../../src/session/errors.ts';
import { parseFromProxy } from '../../../../src/shared/messages.ts';
import { toHex } from '../../../../src/shared/bytes.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { JSON_FIELDS, beginHandshake, bindingsOf, developmentReply, replyOf } from '../../../support/handshakes.ts';

describe('The evidence of a session, for people', () => {
  it('says of a verified enclave what its document proved', async () => {
    const now = new FakeClock().wall();
    const authority = createAuthority(now);
    const pcr0 = toHex(DEVELOPMENT_PCR0);
    const begun = await beginHandshake({
      kind: 'nitro',
      anchors: authority.anchors,
      policy: { environment: 'development', additional: [pcr0] },
      history: () => assert.fail('The history was asked'),
    });
    const document = makeSignedDocument(authority, { ...bindingsOf(begun), timestamp: now, moduleId: 'i-1-enc1' });
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, document));
    const verified = summarizeAttestation((await begun.session).attestation);
    assert.deepEqual(verified, {
      kind: 'verified',
      environment: 'development',
      pcr0,
      approvedBy: 'additional',
      moduleId: 'i-1-enc1',
      timestamp: now,
      certificateNotBefore: now - 60_000,
      certificateNotAfter: now + 3 * 3_600_000,
      document: Buffer.from(document).toString('base64'),
    });
    assert.ok(parseFromProxy({ type: 'verified', verified, establishedAt: now }));
  });

  it('says of a development backend that it is one', async () => {
    const begun = await beginHandshake({ kind: 'development' });
    begun.call.respond(200, JSON_FIELDS, developmentReply(begun));
    const { attestation: evidence } = await begun.session;
    assert.ok(evidence.kind === 'development');
    assert.deepEqual(summarizeAttestation(evidence), { kind: 'development', moduleId: evidence.moduleId });
    assert.deepEqual(summarizeAttestation({ kind: 'development', moduleId: undefined }), {
      kind: 'development',
      moduleId: null,
    });
  });
});

describe('A failure, for the log', () => {
  it('names the code of the attestation where that refused', () => {
    const cause = new AttestationError('debug_mode', 'the enclave runs in debug mode');
    const error = new SessionError('attestation_refused', 'The attestation was refused', { cause });
    assert.deepEqual(describeError(error), {
      code: 'attestation_refused',
      detail: 'debug_mode',
      message: 'The attestation was refused',
    });
  });

  it('names of a foreign cause its code and nothing of its words', () => {
    const foreign = Object.assign(new Error('secret words'), { code: 'ECONNREFUSED' });
    const described = describeError(asSessionError(foreign));
    assert.deepEqual([described.code, described.detail], ['network', 'ECONNREFUSED']);
    assert.doesNotMatch(JSON.stringify(described), /secret/);
  });

  it('has no detail where there is none', () => {
    for (const cause of [undefined, null, new Error('secret'), 'secret', { code: 7 }]) {
      const { detail } = describeError(new SessionError('network', 'x', { cause }));
      assert.equal(detail, null);
    }
  });
});
