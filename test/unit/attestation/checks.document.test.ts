import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { encode } from 'cborg';
import { certificatesOf } from '../../../src/attestation/chain.ts';
import { type DocumentInput, type VerifiedDocument, verifyDocument } from '../../../src/attestation/checks.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
import { chainSpecs, createAuthority, issueChain } from '../../../src/devEnclave/attestation/authority.ts';
import {
  encodePayload,
  makeSignedDocument,
  payloadFields,
  signPayload,
} from '../../../src/devEnclave/attestation/document.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';
import {
  REAL_DOCUMENT,
  REAL_LEAF_NOT_AFTER,
  REAL_LEAF_NOT_BEFORE,
  REAL_NONCE,
  REAL_TIME,
} from '../../support/realDocument.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 15, 12);
const NONCE = new Uint8Array(32).fill(1);
const PUBLIC_KEY = new Uint8Array(32).fill(2);
const USER_DATA = new Uint8Array(85).fill(3);
const AUTHORITY = createAuthority(NOW);
const OPTIONS = { nonce: NONCE, publicKey: PUBLIC_KEY, userData: USER_DATA, timestamp: NOW };

function verifyReal(changes: Partial<DocumentInput> = {}): VerifiedDocument {
  const real = { bytes: REAL_DOCUMENT, anchors: AWS_NITRO_ROOT, at: REAL_TIME, challenge: REAL_NONCE };
  return verifyDocument({ ...real, ...changes });
}

function verifyOurs(bytes: Uint8Array, changes: Partial<DocumentInput> = {}): VerifiedDocument {
  return verifyDocument({ bytes, anchors: AUTHORITY.anchors, at: NOW, challenge: NONCE, ...changes });
}

describe('verifyDocument() with the real document of 2024-10-28', () => {
  it('accepts it at its own time and returns its content', () => {
    const { document, chain, pcr0 } = verifyReal();
    assert.equal(document.moduleId, 'i-06c79bf817127030a-enc0192d3d4945e0432');
    assert.equal(document.timestamp, REAL_TIME);
    assert.match(pcr0, /^dce04187[0-9a-f]{82}0726d0$/);
    assert.deepEqual(document.nonce, new Uint8Array(REAL_NONCE));
    assert.match(toHex(document.publicKey ?? assert.fail()), /^f58ab295[0-9a-f]{48}e4aee50f$/);
    assert.equal(document.userData, undefined);
    assert.deepEqual([chain.leaf.notBefore, chain.leaf.notAfter], [REAL_LEAF_NOT_BEFORE, REAL_LEAF_NOT_AFTER]);
    const certificates = certificatesOf(chain);
    const [root] = certificates;
    assert.ok(root);
    assert.equal(certificates.length, 5);
    assert.equal(root.subjectText, 'C=US\nO=Amazon\nOU=AWS\nCN=aws.nitro-enclaves');
    const fingerprint = createHash('sha256').update(root.der).digest('hex');
    assert.equal(fingerprint, '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b');
    assert.equal(root.notBefore, Date.UTC(2019, 9, 28, 13, 28, 5));
    assert.equal(root.notAfter, Date.UTC(2049, 9, 28, 14, 28, 5));
    assert.equal(certificates[4]?.notAfter, REAL_LEAF_NOT_AFTER);
  });

  it('accepts it from five minutes before notBefore of its leaf until notAfter', () => {
    assert.ok(verifyReal({ at: REAL_LEAF_NOT_BEFORE - 5 * MINUTE }));
    assert.ok(verifyReal({ at: REAL_LEAF_NOT_AFTER }));
  });

  it('rejects it a millisecond earlier', () => {
    assert.throws(() => verifyReal({ at: REAL_LEAF_NOT_BEFORE - 5 * MINUTE - 1000 }), {
      code: 'certificate_not_yet_valid',
      message: "this computer's clock is about 11 minutes behind the enclave's",
    });
  });

  it('rejects it a millisecond later', () => {
    assert.throws(() => verifyReal({ at: REAL_LEAF_NOT_AFTER + 1 }), {
      code: 'certificate_expired',
      message: "this computer's clock is about 3 hours ahead of the enclave's",
      clockSkewMs: REAL_LEAF_NOT_AFTER + 1 - REAL_TIME,
    });
  });

  it('rejects it today and reports how far the clock seems to be off', () => {
    const message = /^this computer's clock is about \d+ days ahead of the enclave/;
    assert.throws(() => verifyReal({ at: Date.now() }), { code: 'certificate_expired', message });
  });

  it('rejects it if no root or a different root is trusted', () => {
    for (const anchors of [{ roots: [] }, AUTHORITY.anchors]) {
      assert.throws(() => verifyReal({ anchors }), { code: 'untrusted_root' });
    }
  });

  it('rejects it for a different challenge', () => {
    for (const nonce of [NONCE, new Uint8Array(0), REAL_NONCE.subarray(0, -1)]) {
      assert.throws(() => verifyReal({ challenge: nonce }), { code: 'nonce_mismatch' });
    }
  });
});

describe('verifyDocument()', () => {
  it('accepts a development authority if its root is the trust anchor', () => {
    const { document } = verifyOurs(makeSignedDocument(AUTHORITY, { ...OPTIONS, moduleId: 'i-ours' }));
    assert.equal(document.moduleId, 'i-ours');
    assert.deepEqual([document.nonce, document.publicKey, document.userData], [NONCE, PUBLIC_KEY, USER_DATA]);
  });

  it('accepts a payload of definite or indefinite length', () => {
    const fields = payloadFields(AUTHORITY, OPTIONS);
    const documents = [encodePayload(fields), encode(fields)].map((payload) => signPayload(payload, AUTHORITY.leaf));
    const [indefinite, definite] = documents.map((document) => verifyOurs(document));
    assert.deepEqual(indefinite?.document, definite?.document);
  });

  it("returns a copy of the nonce, which does not change with the caller's array", () => {
    const challenge = Uint8Array.from(NONCE);
    const { document } = verifyOurs(makeSignedDocument(AUTHORITY, OPTIONS), { challenge });
    challenge.fill(0);
    assert.deepEqual(document.nonce, NONCE);
  });

  it('rejects a chain with the trusted root in any but the first position', () => {
    const other = createAuthority(NOW);
    const cabundle = [...other.cabundle, ...AUTHORITY.anchors.roots];
    const document = makeSignedDocument({ ...other, cabundle }, OPTIONS);
    assert.throws(() => verifyOurs(document), { code: 'untrusted_root' });
  });

  it('rejects a chain that the trusted root did not sign', () => {
    const [root] = AUTHORITY.cabundle;
    const other = createAuthority(NOW);
    assert.ok(root);
    const document = makeSignedDocument({ ...other, cabundle: [root, ...other.cabundle.slice(1)] }, OPTIONS);
    assert.throws(() => verifyOurs(document), { code: 'certificate_chain' });
  });

  it('rejects an expired certificate at any position in the chain', () => {
    for (const expired of [0, 1, 2, 3]) {
      const specs = chainSpecs(NOW).map((spec, index) =>
        index === expired ? { ...spec, notAfter: NOW - 1000 } : spec,
      );
      const authority = issueChain(specs);
      assert.throws(() => verifyOurs(makeSignedDocument(authority, OPTIONS), { anchors: authority.anchors }), {
        code: 'certificate_expired',
      });
    }
  });

  it('reports no clock skew unless the document is signed and has the right nonce', () => {
    const later = NOW + 24 * 60 * MINUTE;
    const document = makeSignedDocument(AUTHORITY, OPTIONS);
    const lastByte = document.at(-1) ?? assert.fail();
    const forged = concatBytes(document.subarray(0, -1), Uint8Array.of(lastByte ^ 1));
    const refused = (bytes: Uint8Array, nonce: Uint8Array, code: string): void => {
      assert.throws(() => verifyOurs(bytes, { at: later, challenge: nonce }), { code, clockSkewMs: undefined });
    };
    assert.throws(() => verifyOurs(document, { at: later }), { clockSkewMs: 24 * 60 * MINUTE });
    refused(forged, NONCE, 'signature');
    refused(document, PUBLIC_KEY, 'nonce_mismatch');
  });

  it('throws only AttestationErrors, which do not quote the document', () => {
    const document = makeSignedDocument(AUTHORITY, { ...OPTIONS, moduleId: 'secret-module' });
    for (let run = 0; run < 300; run += 1) {
      const random = randomBytes(3);
      const at = random.readUInt16BE() % document.length;
      const changed = document.map((byte, index) => (index === at ? byte ^ (random[2] ?? 0) : byte));
      try {
        verifyOurs(changed);
        assert.deepEqual(changed, document);
      } catch (error) {
        assert.ok(error instanceof AttestationError);
        assert.doesNotMatch(error.message, /secret-module/);
      }
    }
  });
});

describe('VerifiedDocument', () => {
  it('can only be made by verifyDocument()', () => {
    const { envelope, document, chain, pcr0 } = verifyReal();
    // @ts-expect-error without the symbol, which only checks.ts can name
    const forged: VerifiedDocument = { envelope, document, chain, pcr0 };
    assert.equal(Object.getOwnPropertySymbols(forged).length, 0);
  });
});
