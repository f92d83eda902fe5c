import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseHistory } from '../../../src/attestation/history.ts';
import type { PcrHistory } from '../../../src/attestation/history.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../../src/attestation/pins.ts';
import type { Environment } from '../../../src/attestation/pins.ts';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
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
import type { CheckError } from '../../../src/shared/checks.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import {
  JSON_FIELDS,
  beginHandshake,
  bindingsOf,
  replyOf,
  userDataOf,
  watchedPrimitives,
} from '../../support/handshakes.ts';
import type { PendingHandshake } from '../../support/handshakes.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const NOW = new FakeClock().wall();
const HOUR = 3_600_000;
const AUTHORITY = createAuthority(NOW);
const PCR0 = toHex(DEVELOPMENT_PCR0);
const SIGNED_HISTORY = readFileSync(new URL('../../fixtures/pcr-history-prod.json', import.meta.url));

type NitroTrust = Extract<Trust, { kind: 'nitro' }>;

/** Trusts the temporary authority and the image of its documents, and expects no fetch of the history. */
const TRUST: NitroTrust = {
  kind: 'nitro',
  anchors: AUTHORITY.anchors,
  policy: { environment: 'production', additional: [PCR0] },
  history: () => Promise.reject(new Error('The history was asked')),
};

function documentOf(
  begun: PendingHandshake,
  changes: Partial<SignedDocumentOptions> = {},
  authority: Authority = AUTHORITY,
) {
  return makeSignedDocument(authority, { ...bindingsOf(begun), timestamp: begun.clock.wall(), ...changes });
}

/** A handshake whose reply has the document that `make` returns. */
async function answeredWith(
  make: (begun: PendingHandshake) => Uint8Array,
  trust: NitroTrust = TRUST,
): Promise<PendingHandshake> {
  const begun = await beginHandshake(trust);
  begun.call.respond(200, JSON_FIELDS, replyOf(begun, make(begun)));
  return begun;
}

async function refused(begun: PendingHandshake, detail: string): Promise<void> {
  await assert.rejects(begun.session, (error: unknown) => {
    assert.ok(error instanceof SessionError);
    const cause = error.cause as { code?: unknown; message?: unknown };
    assert.deepEqual([error.code, cause.code], ['attestation_refused', detail]);
    assert.ok(error.message.includes(String(cause.message)));
    return true;
  });
}

describe('performHandshake() with a signed document', () => {
  it('returns a session and the result of the attestation', async () => {
    let document: Uint8Array = new Uint8Array(0);
    const begun = await answeredWith((handshake) => (document = documentOf(handshake)));
    const session = await begun.session;
    assert.equal(session.id, begun.enclave.sessionId);
    const { attestation } = session;
    assert.ok(attestation.kind === 'verified');
    assert.deepEqual(
      [attestation.enclave.pcr0, attestation.enclave.approval, attestation.environment],
      [PCR0, { by: 'setting' }, 'production'],
    );
    assert.equal(attestation.enclave.document.timestamp, begun.clock.wall());
    assert.equal(toHex(attestation.presented.bytes), toHex(document));
  });

  const other = createAuthority(NOW);
  const later = issueChain(chainSpecs(NOW + HOUR));
  const otherSigner = { ...AUTHORITY.leaf, privateKey: other.leaf.privateKey };
  const refusals: readonly (readonly [
    name: string,
    code: CheckError,
    make: (begun: PendingHandshake) => Uint8Array,
    trust?: Partial<NitroTrust>,
  ])[] = [
    ['a development authority under the root of AWS', 'untrusted_root', documentOf, { anchors: AWS_NITRO_ROOT }],
    ['every document if no root is trusted', 'untrusted_root', documentOf, { anchors: { roots: [] } }],
    ['a different authority with the same names', 'untrusted_root', (begun) => documentOf(begun, {}, other)],
    [
      'a leaf of a different authority after the trusted root',
      'certificate_chain',
      (begun) => documentOf(begun, {}, { ...AUTHORITY, leaf: other.leaf }),
    ],
    [
      'a document signed with a different key',
      'signature',
      (begun) => documentOf(begun, {}, { ...AUTHORITY, leaf: otherSigner }),
    ],
    ['an unsigned document', 'malformed_document', (begun) => makeUnsignedDocument(bindingsOf(begun), NOW)],
    [
      'certificates that are not yet valid',
      'certificate_not_yet_valid',
      (begun) => documentOf(begun, {}, later),
      { anchors: later.anchors },
    ],
    [
      'a document for a different client',
      'user_data_mismatch',
      (begun) => documentOf(begun, { userData: userDataOf(Buffer.alloc(32, 9)) }),
    ],
    ['a document without a client', 'user_data_mismatch', (begun) => documentOf(begun, { userData: null })],
    ['a missing public key', 'public_key_mismatch', (begun) => documentOf(begun, { publicKey: null })],
    ['a short public key', 'public_key_mismatch', (begun) => documentOf(begun, { publicKey: Buffer.alloc(31, 9) })],
  ];
  for (const [name, code, make, trust] of refusals) {
    it(`rejects ${name}`, async () => {
      await refused(await answeredWith((begun) => make(begun), { ...TRUST, ...trust }), code);
    });
  }

  it('rejects a document with any byte changed', async () => {
    const begun = await beginHandshake(TRUST);
    const { length } = documentOf(begun);
    for (let at = 0; at < length; at += Math.ceil(length / 25)) {
      const changed = await answeredWith((handshake) => {
        const document = Buffer.from(documentOf(handshake));
        document[at] = (document[at] ?? 0) ^ 1;
        return document;
      });
      await assert.rejects(changed.session, { name: 'SessionError', code: 'attestation_refused' }, `byte ${at}`);
    }
  });

  it('rejects the document of a different handshake', async () => {
    const other = await beginHandshake(TRUST);
    const begun = await answeredWith(() => documentOf(other));
    await refused(begun, 'nonce_mismatch');
  });

  it('rejects expired certificates and reports how far the clock may be off', async () => {
    const begun = await beginHandshake(TRUST);
    await begun.clock.advance(29_000);
    begun.clock.sleep(4 * HOUR);
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, documentOf(begun, { timestamp: NOW })));
    await refused(begun, 'certificate_expired');
    await assert.rejects(begun.session, { message: /about 4 hours ahead/ });
  });
});

describe('performHandshake() and the PCR0 policy', () => {
  const strict: NitroTrust = { ...TRUST, policy: { environment: 'production', additional: [] } };

  it('rejects debug mode before it consults any list or history', async () => {
    const trust: NitroTrust = { ...TRUST, policy: { environment: 'production', additional: ['0'.repeat(96)] } };
    await refused(
      await answeredWith((handshake) => documentOf(handshake, { pcr0: new Uint8Array(48) }), trust),
      'debug_mode',
    );
  });

  it('fetches the history only for an image that is not pinned, and rejects it if the history lacks it', async () => {
    let asked = 0;
    const history = (): Promise<PcrHistory> => {
      asked++;
      return Promise.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
    };
    await (
      await answeredWith((handshake) => documentOf(handshake), { ...TRUST, history })
    ).session;
    assert.equal(asked, 0);
    await refused(
      await answeredWith((handshake) => documentOf(handshake), { ...strict, history }),
      'pcr0_not_approved',
    );
    assert.equal(asked, 1);
  });

  it('accepts an image in the signed history, and derives nothing before the history arrives', async () => {
    const entries = JSON.parse(SIGNED_HISTORY.toString()) as { PCR0: string }[];
    const named = entries.find(({ PCR0: pcr0 }) => !PINS.production.pcr0.includes(pcr0)) ?? assert.fail();
    const history = Promise.withResolvers<PcrHistory>();
    const { primitives, derived } = watchedPrimitives();
    const begun = await beginHandshake({ ...strict, history: () => history.promise }, primitives);
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, documentOf(begun, { pcr0: Buffer.from(named.PCR0, 'hex') })));
    await flushEventLoop();
    assert.deepEqual(derived, []);
    history.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
    const { attestation } = await begun.session;
    assert.ok(attestation.kind === 'verified');
    assert.deepEqual([attestation.enclave.approval.by, attestation.enclave.pcr0], ['history', named.PCR0]);
  });

  it('accepts a pinned image of its own environment, and none of the other', async () => {
    const answer = (environment: Environment) => {
      const pcr0 = Buffer.from(PINS[environment].pcr0[0] ?? assert.fail(), 'hex');
      const history = () => Promise.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
      return answeredWith((handshake) => documentOf(handshake, { pcr0 }), { ...strict, history });
    };
    const { attestation } = await (await answer('production')).session;
    assert.ok(attestation.kind === 'verified');
    assert.deepEqual(attestation.enclave.approval, { by: 'pin' });
    await refused(await answer('development'), 'pcr0_not_approved');
  });

  it('derives nothing if the policy rejects the image', async () => {
    const { primitives, derived } = watchedPrimitives();
    const history = () => Promise.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
    const begun = await beginHandshake({ ...strict, history }, primitives);
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, documentOf(begun)));
    await refused(begun, 'pcr0_not_approved');
    assert.deepEqual(derived, []);
  });

  it('asks for the history of the measured image', async () => {
    const asked: string[] = [];
    const history = (pcr0: string) => {
      asked.push(pcr0);
      return Promise.resolve(parseHistory(SIGNED_HISTORY, 'production', HISTORY_VERIFICATION_KEY));
    };
    const pcr0 = Buffer.alloc(48, 0xcd);
    await refused(
      await answeredWith((begun) => documentOf(begun, { pcr0 }), { ...strict, history }),
      'pcr0_not_approved',
    );
    assert.deepEqual(asked, ['cd'.repeat(48)]);
  });

  it('never accepts the history of the other environment', async () => {
    const signed = parseHistory(SIGNED_HISTORY, 'development', HISTORY_VERIFICATION_KEY);
    const trust = { ...strict, history: () => Promise.resolve(signed) };
    await refused(await answeredWith((handshake) => documentOf(handshake), trust), 'history_invalid');
  });

  it('reports that the history could not be fetched', async () => {
    const unavailable = new SessionError('history_unavailable', 'offline');
    const trust = { ...strict, history: () => Promise.reject(unavailable) };
    const begun = await answeredWith((handshake) => documentOf(handshake), trust);
    await assert.rejects(begun.session, (error: unknown) => error === unavailable);
  });
});
