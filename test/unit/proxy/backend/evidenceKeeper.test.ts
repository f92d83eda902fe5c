import assert from 'node:assert/strict';
import { createAuthority } from '../../../../src/devEnclave/attestation/authority.ts';
import { DEVELOPMENT_PCR0, makeSignedDocument } from '../../../../src/devEnclave/attestation/document.ts';
import { EvidenceKeeper } from '../../../../src/proxy/backend/evidenceKeeper.ts';
import { performHandshake } from '../../../../src/session/handshake.ts';
import type { HandshakeContext, Trust } from '../../../../src/session/handshake.ts';
import { toBase64, toHex } from '../../../../src/shared/bytes.ts';
import type { Evidence } from '../../../../src/shared/evidence.ts';
import { EnclaveHalf, readOffer } from '../../../support/enclaveHalf.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { FakeTransport } from '../../../support/fakeTransport.ts';
import { JSON_FIELDS, developmentReply, replyOf, userDataOf } from '../../../support/handshakes.ts';
import { PRIMITIVES } from '../../../support/sessions.ts';

const CLOCK = new FakeClock();
const NOW = CLOCK.wall();
const AUTHORITY = createAuthority(NOW);
const POLICY = { environment: 'production', additional: [toHex(DEVELOPMENT_PCR0)] } as const;
const BACKEND = { origin: 'https://enclave.example', basePath: '/base' };

function keeper(): EvidenceKeeper {
  return new EvidenceKeeper({ backend: BACKEND, anchors: AUTHORITY.anchors, policy: POLICY });
}

function nitro(): Trust {
  const history = () => Promise.reject(new Error('The history cannot be loaded'));
  return { kind: 'nitro', anchors: AUTHORITY.anchors, policy: POLICY, history };
}

/** A handshake of which `evidence` is told, and what it has sent. */
async function handshake(evidence: EvidenceKeeper, trust: Trust, document: object = {}, reply: object = {}) {
  const transport = new FakeTransport();
  const context: HandshakeContext = {
    transport,
    primitives: PRIMITIVES,
    trust,
    clock: CLOCK,
    timeout: () => 30_000,
    onRefused: evidence.refused,
  };
  const session = performHandshake(context);
  session.catch(() => undefined); // each test checks the result itself
  const call = await transport.next('the handshake');
  const offer = readOffer(await call.body());
  const begun = { session, transport, clock: CLOCK, call, offer, enclave: EnclaveHalf.accept(offer) };
  const bindings = {
    nonce: offer.challenge,
    publicKey: begun.enclave.publicKey,
    userData: userDataOf(offer.clientPublicKey),
  };
  const signed = makeSignedDocument(AUTHORITY, { ...bindings, timestamp: NOW, ...document });
  call.respond(
    200,
    JSON_FIELDS,
    trust.kind === 'nitro' ? replyOf(begun, signed, { ...reply }) : developmentReply(begun, { ...reply }),
  );
  return { session, offer, signed };
}

function failedCheck(evidence: Evidence | null): string | undefined {
  return evidence?.checks.find(({ result }) => result === 'fail')?.id;
}

describe('EvidenceKeeper', () => {
  it('has no evidence before a handshake, and none of a development backend', async () => {
    const evidence = keeper();
    assert.equal(evidence.of(undefined), null);
    const { attestation } = await (await handshake(evidence, { kind: 'development' })).session;
    evidence.established(attestation);
    assert.equal(evidence.of(attestation), null);
    assert.equal(evidence.of(undefined), null);
    const nothing = Buffer.from('nothing').toString('base64');
    const refused = await handshake(evidence, { kind: 'development' }, {}, { attestation_document: nothing });
    await assert.rejects(refused.session, { code: 'attestation_refused' });
    assert.equal(evidence.of(undefined), null);
  });

  it('makes the evidence of the live session from what its handshake sent and received', async () => {
    const evidence = keeper();
    const { session, offer, signed } = await handshake(evidence, nitro());
    const { attestation } = await session;
    evidence.established(attestation);
    const made = evidence.of(attestation);
    assert.ok(made);
    assert.ok(made.checks.every(({ result }) => result === 'pass'));
    assert.deepEqual(
      [made.backend, made.verifiedAt, made.challenge, made.clientPublicKey, made.attestationDocument],
      [
        'https://enclave.example/base',
        new Date(NOW).toISOString(),
        toBase64(offer.challenge),
        toBase64(offer.clientPublicKey),
        toBase64(signed),
      ],
    );
    assert.equal(evidence.of(attestation), made, 'it is made only once');
    assert.equal(evidence.of(undefined), made, 'it is that of the last handshake after the session has ended');
  });

  it('prefers the live session to a renewal that was refused, and then has that of the renewal', async () => {
    const evidence = keeper();
    const { attestation } = await (await handshake(evidence, nitro())).session;
    evidence.established(attestation);
    const refused = await handshake(evidence, nitro(), { nonce: new Uint8Array(32) });
    await assert.rejects(refused.session, { code: 'attestation_refused' });
    assert.equal(failedCheck(evidence.of(attestation)), undefined);
    assert.equal(failedCheck(evidence.of(undefined)), 'challenge');
  });

  for (const [name, document, step] of [
    ['it is for another client', { userData: null }, 'client_key'],
    ['it has no key', { publicKey: null }, 'server_key'],
    ['the enclave is in debug mode', { pcr0: new Uint8Array(48) }, 'debug_mode'],
    ['the history of its image cannot be loaded', { pcr0: new Uint8Array(48).fill(7) }, 'image_approved'],
  ] as const) {
    it(`shows the check that refused a document: ${name}`, async () => {
      const evidence = keeper();
      await assert.rejects((await handshake(evidence, nitro(), document)).session);
      const made = evidence.of(undefined);
      assert.ok(made);
      assert.equal(failedCheck(made), step);
    });
  }

  it('has no evidence of a handshake without a session that no check refused', async () => {
    const evidence = keeper();
    const { session } = await handshake(evidence, nitro(), {}, { session_id: '0'.repeat(32) });
    await assert.rejects(session, { code: 'session_id_mismatch' });
    assert.equal(evidence.of(undefined), null);
  });
});
