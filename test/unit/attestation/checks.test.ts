import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { encode } from 'cborg';
import { approveEnclave, reportChecks, verifyDocument } from '../../../src/attestation/checks.ts';
import type { ReportInput } from '../../../src/attestation/checks.ts';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { userDataFor } from '../../../src/attestation/document.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { approveImage } from '../../../src/attestation/policy.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import {
  DEVELOPMENT_PCR0,
  encodePayload,
  makeSignedDocument,
  makeUnsignedDocument,
  payloadFields,
  signPayload,
} from '../../../src/devEnclave/attestation/document.ts';
import { toBase64, toHex } from '../../../src/shared/bytes.ts';
import { CHECKS, CHECK_IDS } from '../../../src/shared/checks.ts';
import type { CheckId } from '../../../src/shared/checks.ts';
import type { EvidenceCheck } from '../../../src/shared/evidence.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const AUTHORITY = createAuthority(NOW);
const CHALLENGE = new Uint8Array(32).fill(1);
const CLIENT_KEY = new Uint8Array(32).fill(2);
const SERVER_KEY = new Uint8Array(32).fill(3);
const OPTIONS = {
  nonce: CHALLENGE,
  publicKey: SERVER_KEY,
  userData: userDataFor(CLIENT_KEY),
  timestamp: NOW,
};
const DOCUMENT = makeSignedDocument(AUTHORITY, OPTIONS);
const PCR0 = toHex(DEVELOPMENT_PCR0);

const INPUT = {
  bytes: DOCUMENT,
  anchors: AUTHORITY.anchors,
  at: NOW,
  challenge: CHALLENGE,
  clientPublicKey: CLIENT_KEY,
  approve: (pcr0: string) => approveImage(pcr0, { environment: 'production', additional: [PCR0] }, undefined),
} as const satisfies ReportInput;

function examined(checks: readonly EvidenceCheck[], id: CheckId): EvidenceCheck['examined'] {
  return checks.find((check) => check.id === id)?.examined ?? assert.fail();
}

/** What a handshake does with the same input: undefined, or the code of its error. */
function handshake(input: typeof INPUT): string | undefined {
  try {
    approveEnclave(verifyDocument(input), input);
    return undefined;
  } catch (error) {
    if (error instanceof AttestationError) return error.code;
    throw error;
  }
}

describe('reportChecks()', () => {
  it('passes all ten checks in their order for a document that the handshake accepts', () => {
    const { checks, failure, found } = reportChecks(INPUT);
    assert.deepEqual(
      checks.map(({ id, result }) => [id, result]),
      CHECK_IDS.map((id) => [id, 'pass']),
    );
    assert.deepEqual([failure, found.approval], [undefined, { by: 'setting' }]);
  });

  it('names the bytes and values that each check has examined', () => {
    const { checks } = reportChecks(INPUT);
    const { payload, signature } = parseSignedEnvelope(DOCUMENT);
    const [root] = AUTHORITY.anchors.roots;
    assert.ok(root);
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    const sigStructure = encode(['Signature1', Uint8Array.of(0xa1, 1, 0x38, 0x22), new Uint8Array(0), payload]);
    const hour = (after: number) => new Date(NOW + after * HOUR).toISOString();
    const notBefore = Array.from({ length: 4 }, () => hour(-1 / 60));
    const notAfter = [hour(30 * 365 * 24), hour(20 * 24), hour(24), hour(3)];
    const certificates = [...AUTHORITY.cabundle, AUTHORITY.leaf.der].map(sha256);
    assert.deepEqual(examined(checks, 'document_format'), { sha256: sha256(DOCUMENT) });
    assert.deepEqual(examined(checks, 'trusted_root'), { sha256: sha256(root) });
    assert.deepEqual(examined(checks, 'certificate_chain'), {
      sha256: certificates,
      subjects: ['root', 'zone', 'instance', 'enclave'].map((name) => `CN=development ${name}`),
      notBefore,
      notAfter,
    });
    const { publicKey, ...signed } = examined(checks, 'document_signature');
    assert.deepEqual(signed, {
      sigStructureSha384: createHash('sha384').update(sigStructure).digest('hex'),
      signature: toBase64(signature),
    });
    assert.ok(Buffer.from(AUTHORITY.leaf.der).includes(Buffer.from(String(publicKey), 'base64')));
    assert.deepEqual(examined(checks, 'challenge'), { expected: toBase64(CHALLENGE), found: toBase64(CHALLENGE) });
    assert.deepEqual(examined(checks, 'certificate_validity'), { time: hour(0), notBefore, notAfter });
    assert.deepEqual(examined(checks, 'debug_mode'), { pcr0: PCR0 });
    assert.deepEqual(examined(checks, 'image_approved'), { pcr0: PCR0, by: 'setting' });
    assert.deepEqual(examined(checks, 'server_key'), { found: toBase64(SERVER_KEY) });
    const userData = toBase64(OPTIONS.userData);
    assert.deepEqual(examined(checks, 'client_key'), { expected: userData, found: userData });
  });

  const withFields = (changes: Readonly<Record<string, unknown>>) => {
    const fields = new Map([...payloadFields(AUTHORITY, OPTIONS), ...Object.entries(changes)]);
    return signPayload(encodePayload(fields), AUTHORITY.leaf);
  };
  const other = createAuthority(NOW);
  const cases: readonly (readonly [name: string, id: CheckId, code: string, changes: Partial<typeof INPUT>])[] = [
    ['no document', 'document_format', 'malformed_document', { bytes: new Uint8Array(0) }],
    ['an unsigned document', 'document_format', 'malformed_document', { bytes: makeUnsignedDocument(OPTIONS, NOW) }],
    ['a different root', 'trusted_root', 'untrusted_root', { anchors: other.anchors }],
    [
      'a leaf of a different authority',
      'certificate_chain',
      'certificate_chain',
      { bytes: makeSignedDocument({ ...AUTHORITY, leaf: other.leaf }, OPTIONS) },
    ],
    [
      'a certificate that is none',
      'certificate_chain',
      'malformed_certificate',
      { bytes: withFields({ certificate: new Uint8Array(9) }) },
    ],
    [
      'a signature with a different key',
      'document_signature',
      'signature',
      { bytes: signPayload(encodePayload(payloadFields(AUTHORITY, OPTIONS)), other.leaf) },
    ],
    ['a different challenge', 'challenge', 'nonce_mismatch', { challenge: CLIENT_KEY }],
    ['no nonce', 'challenge', 'nonce_mismatch', { bytes: withFields({ nonce: null }) }],
    ['a time before', 'certificate_validity', 'certificate_not_yet_valid', { at: NOW - HOUR }],
    ['a time after', 'certificate_validity', 'certificate_expired', { at: NOW + 4 * HOUR }],
    ['debug mode', 'debug_mode', 'debug_mode', { bytes: withFields({ pcrs: new Map([[0, new Uint8Array(48)]]) }) }],
    ['no PCR0', 'debug_mode', 'pcr0_not_approved', { bytes: withFields({ pcrs: new Map([[1, new Uint8Array(48)]]) }) }],
    [
      'another image',
      'image_approved',
      'pcr0_not_approved',
      { bytes: withFields({ pcrs: new Map([[0, new Uint8Array(48).fill(7)]]) }) },
    ],
    ['no public key', 'server_key', 'public_key_mismatch', { bytes: withFields({ public_key: null }) }],
    [
      'a public key of 33 bytes',
      'server_key',
      'public_key_mismatch',
      { bytes: withFields({ public_key: new Uint8Array(33) }) },
    ],
    ['a different client', 'client_key', 'user_data_mismatch', { clientPublicKey: SERVER_KEY }],
    ['no user data', 'client_key', 'user_data_mismatch', { bytes: withFields({ user_data: null }) }],
  ];

  for (const [name, failing, code, changes] of cases) {
    it(`fails ${failing} for ${name}, as the handshake does, and skips the later checks`, () => {
      const input = { ...INPUT, ...changes };
      const { checks, failure } = reportChecks(input);
      const at = checks.findIndex(({ id }) => id === failing);
      assert.deepEqual(
        checks.map(({ result }) => result),
        CHECK_IDS.map((_id, index) => (index < at ? 'pass' : index === at ? 'fail' : 'skipped')),
      );
      assert.deepEqual([checks[at]?.error, failure?.code, handshake(input)], [code, code, code]);
      for (const skipped of checks.slice(at + 1)) assert.deepEqual(skipped.examined, {});
    });
  }

  it('fails each check in one of these ways, and with no error that the check does not name', () => {
    for (const id of CHECK_IDS) {
      const codes = cases.filter(([, failing]) => failing === id).map(([, , code]) => code);
      assert.ok(codes.length > 0, id);
      const named: readonly string[] =
        id === 'debug_mode' ? [...CHECKS[id].errors, 'pcr0_not_approved'] : CHECKS[id].errors;
      for (const code of codes) assert.ok(named.includes(code), `${id}: ${code}`);
    }
  });

  it('comes to the same verdict as the handshake for a changed bit anywhere in the document', () => {
    for (let at = 0; at < DOCUMENT.length; at += 17) {
      const bytes = DOCUMENT.map((byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte));
      const input = { ...INPUT, bytes };
      assert.equal(reportChecks(input).failure?.code, handshake(input), `byte ${at}`);
    }
  });

  it('skips the checks that have nothing to compare with, and runs the others', () => {
    const missing = { challenge: undefined, clientPublicKey: undefined, approve: undefined };
    const { checks, failure, found } = reportChecks({ ...INPUT, ...missing });
    const skipped = checks.filter(({ result }) => result === 'skipped').map(({ id }) => id);
    assert.deepEqual(skipped, ['challenge', 'image_approved', 'client_key']);
    assert.ok(checks.every(({ result }) => result !== 'fail'));
    assert.deepEqual([failure, found.approval], [undefined, undefined]);
  });

  it('passes on an error that is not a verdict', () => {
    const broken = () => {
      throw new RangeError('a defect');
    };
    assert.throws(() => reportChecks({ ...INPUT, approve: broken }), RangeError);
  });
});
