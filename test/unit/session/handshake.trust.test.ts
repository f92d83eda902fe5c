import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../../src/attestation/pins.ts';
import type { Environment } from '../../../src/attestation/pins.ts';
import { parseHistory } from '../../../src/attestation/history.ts';
import type { PcrHistory } from '../../../src/attestation/history.ts';
import { chainSpecs, createAuthority, issueChain } from '../../../src/devEnclave/attestation/authority.ts';
import type { Authority } from '../../../src/devEnclave/attestation/authority.ts';
import {
  DEVELOPMENT_PCR0,
  makeSignedDocument,
  makeUnsignedDocument,
} from '../../../src/devEnclave/attestation/document.ts';
import type { SignedDocumentOptions } from '../../../src/devEnclave/attestation/document.ts';
import { SessionError } from '../../../src/session/errors.ts';
import type { Trust } from '../../../src/session/handshake.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import {
  JSON_FIELDS,
  beginHandshake,
  bindingsOf,
  replyOf,
  userDataOf,
  watchedPrimitives,
} from '../../support/handshakes.ts';
import type { Begun } from '../../support/handshakes.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const NOW = new FakeClock().wall();
const HOUR = 3_600_000;
const AUTHORITY = createAuthority(NOW);
const PCR0 = toHex(DEVELOPMENT_PCR0);
const SIGNED_HISTORY = readFileSync(new URL('../../fixtures/pcr-history-prod.json', import.meta.url));

type NitroTrust = Extract<Trust, { kind: 'nitro' }>;

/** Trust in the throwaway authority and in the image of its documents. No history is expected to be asked. */
const TRUST: NitroTrust = {
  kind: 'nitro',
  anchors: AUTHORITY.anchors,
  policy: { environment: 'production', additional: [PCR0] },
  history: () => Promise.reject(new Error('The history was asked')),
};

function documentOf(begun: Begun, changes: Partial<SignedDocumentOptions> = {}, authority: Authority = AUTHORITY) {
  return makeSignedDocument(authority, { ...bindingsOf(begun), timestamp: begun.clock.wall(), ...changes });
}

/** A handshake that is answered with the document that `make` yields. */
async function answeredWith(make: (begun: Begun) => Uint8Array, trust: NitroTrust = TRUST): Promise<Begun> {
  const begun = await beginHandshake(trust);
  begun.call.respond(200, JSON_FIELDS, replyOf(begun, make(begun)));
  return begun;
}

async function refused(begun: Begun, detail: string): Promise<void> {
  await assert.rejects(begun.session, (error: unknown) => {
    assert.ok(error instanceof SessionError);
    const cause = error.cause as { code?: unknown; message?: unknown };
    assert.deepEqual([error.code, cause.code], ['attestation_refused', detail]);
    assert.ok(error.message.includes(String(cause.message)));
    return true;
  });
}

describe('A handshake with a verified enclave', () => {
  it('yields a session and the evidence for it', async () => {
    let document: Uint8Array = new Uint8Array(0);
    const begun = await answeredWith((honest) => (document = documentOf(honest)));
    const session = await begun.session;
    assert.equal(session.id, begun.enclave.sessionId);
    const { attestation: evidence } = session;
    assert.ok(evidence.kind === 'verified');
    assert.deepEqual(
      [evidence.approved.pcr0, evidence.approved.source, evidence.approved.environment],
      [PCR0, 'additional', 'production'],
    );
    assert.equal(evidence.approved.attestation.timestamp, begun.clock.wall());
    assert.equal(toHex(evidence.document), toHex(document));
  });

  it('refuses a document of the same form under the roots of AWS', async () => {
    const begun = await answeredWith((honest) => documentOf(honest), { ...TRUST, anchors: AWS_NITRO_ROOT });
    await refused(begun, 'untrusted_root');
  });

  it('refuses every document when no root is trusted', async () => {
    await refused(
      await answeredWith((honest) => documentOf(honest), { ...TRUST, anchors: { roots: [] } }),
      'untrusted_root',
    );
  });

  it('refuses another authority of the same names', async () => {
    const other = createAuthority(NOW);
    await refused(await answeredWith((honest) => documentOf(honest, {}, other)), 'untrusted_root');
  });

  it('refuses a leaf of another authority behind the trusted root', async () => {
    const other = createAuthority(NOW);
    const mixed = { ...AUTHORITY, leaf: other.leaf };
    await refused(await answeredWith((honest) => documentOf(honest, {}, mixed)), 'certificate_chain');
  });

  it('refuses a document that another key signed', async () => {
    const other = createAuthority(NOW);
    const leaf = { ...AUTHORITY.leaf, privateKey: other.leaf.privateKey };
    await refused(await answeredWith((honest) => documentOf(honest, {}, { ...AUTHORITY, leaf })), 'signature');
  });

  it('refuses an unsigned document', async () => {
    const begun = await answeredWith((honest) => makeUnsignedDocument(bindingsOf(honest), NOW));
    await refused(begun, 'malformed_document');
  });

  it('refuses a document with any one byte changed', async () => {
    const begun = await beginHandshake(TRUST);
    const { length } = documentOf(begun);
    for (let at = 0; at < length; at += Math.ceil(length / 25)) {
      const changed = await answeredWith((honest) => {
        const document = Buffer.from(documentOf(honest));
        document[at] = (document[at] ?? 0) ^ 1;
        return document;
      });
      await assert.rejects(changed.session, { name: 'SessionError', code: 'attestation_refused' }, `byte ${at}`);
    }
  });

  it('refuses the document of another handshake', async () => {
    const other = await beginHandshake(TRUST);
    const begun = await answeredWith(() => documentOf(other));
    await refused(begun, 'nonce_mismatch');
  });

  it('refuses a document that is right but for another client', async () => {
    const lie = { userData: userDataOf(Buffer.alloc(32, 9)) };
    await refused(await answeredWith((honest) => documentOf(honest, lie)), 'user_data_mismatch');
    await refused(await answeredWith((honest) => documentOf(honest, { userData: null })), 'user_data_mismatch');
  });

  it('refuses a document with no public key or one that is too short', async () => {
    for (const publicKey of [null, Buffer.alloc(31, 9)]) {
      await refused(await answeredWith((honest) => documentOf(honest, { publicKey })), 'public_key_mismatch');
    }
  });

  it('refuses certificates that have expired, and says what a wrong clock would look like', async () => {
    const begun = await beginHandshake(TRUST);
    await begun.clock.advance(29_000);
    begun.clock.sleep(4 * HOUR);
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, documentOf(begun, { timestamp: NOW })));
    await refused(begun, 'certificate_expired');
    await assert.rejects(begun.session, { message: /about 4 hours ahead/ });
  });

  it('refuses certificates that are not valid yet', async () => {
    const later = issueChain(chainSpecs(NOW + HOUR));
    const trust = { ...TRUST, anchors: later.anchors };
    await refused(await answeredWith((honest) => documentOf(honest, {}, later), trust), 'certificate_not_yet_valid');
  });
});

describe('The policy of a handshake', () => {
  const strict: NitroTrust = { ...TRUST, policy: { environment: 'production', additional: [] } };

  it('refuses an enclave in debug mode before any list or history is looked at', async () => {
    const trust: NitroTrust = { ...TRUST, policy: { environment: 'production', additional: ['0'.repeat(96)] } };
    await refused(
      await answeredWith((honest) => documentOf(honest, { pcr0: new Uint8Array(48) }), trust),
      'debug_mode',
    );
  });

  it('asks the history for an unknown image only, and refuses what that does not name either', async () => {
    let asked = 0;
    const history = (): Promise<PcrHistory> => {
      asked++;
      return Promise.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
    };
    await (
      await answeredWith((honest) => documentOf(honest), { ...TRUST, history })
    ).session;
    assert.equal(asked, 0);
    await refused(await answeredWith((honest) => documentOf(honest), { ...strict, history }), 'pcr0_not_approved');
    assert.equal(asked, 1);
  });

  it('takes an image that the signed history names, and derives nothing before the history is there', async () => {
    const entries = JSON.parse(SIGNED_HISTORY.toString()) as { PCR0: string }[];
    const named = entries.find(({ PCR0: pcr0 }) => !PINS.production.pcr0.includes(pcr0)) ?? assert.fail();
    const history = Promise.withResolvers<PcrHistory>();
    const { primitives, derived } = watchedPrimitives();
    const begun = await beginHandshake({ ...strict, history: () => history.promise }, primitives);
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, documentOf(begun, { pcr0: Buffer.from(named.PCR0, 'hex') })));
    await flushEventLoop();
    assert.deepEqual(derived, []);
    history.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
    const { attestation: evidence } = await begun.session;
    assert.ok(evidence.kind === 'verified');
    assert.deepEqual([evidence.approved.source, evidence.approved.pcr0], ['history', named.PCR0]);
  });

  it('takes a pinned image of its own environment, and not one of the other', async () => {
    const answer = (environment: Environment) => {
      const pcr0 = Buffer.from(PINS[environment].pcr0[0] ?? assert.fail(), 'hex');
      const history = () => Promise.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
      return answeredWith((honest) => documentOf(honest, { pcr0 }), { ...strict, history });
    };
    const { attestation: evidence } = await (await answer('production')).session;
    assert.ok(evidence.kind === 'verified');
    assert.equal(evidence.approved.source, 'pinned');
    await refused(await answer('development'), 'pcr0_not_approved');
  });

  it('that refuses leaves nothing derived', async () => {
    const { primitives, derived } = watchedPrimitives();
    const history = () => Promise.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
    const begun = await beginHandshake({ ...strict, history }, primitives);
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, documentOf(begun)));
    await refused(begun, 'pcr0_not_approved');
    assert.deepEqual(derived, []);
  });

  it('never lets the history of one environment stand in for the other', async () => {
    const signed = parseHistory(SIGNED_HISTORY, 'development', HISTORY_VERIFICATION_KEY);
    const trust = { ...strict, history: () => Promise.resolve(signed) };
    await refused(await answeredWith((honest) => documentOf(honest), trust), 'history_invalid');
  });

  it('says that the history could not be had, where that is what failed', async () => {
    const unavailable = new SessionError('history_unavailable', 'offline');
    const trust = { ...strict, history: () => Promise.reject(unavailable) };
    const begun = await answeredWith((honest) => documentOf(honest), trust);
    await assert.rejects(begun.session, (error: unknown) => error === unavailable);
  });
});
