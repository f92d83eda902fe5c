import assert from 'node:assert/strict';
import { decode, encode } from 'cborg';
import { verifyDocument } from '../../../src/attestation/checks.ts';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
import { REAL_DOCUMENT, REAL_NONCE, REAL_TIME } from '../../support/realDocument.ts';

const ENVELOPE = parseSignedEnvelope(REAL_DOCUMENT);
const FIELDS = decode(ENVELOPE.payload, { useMaps: true }) as ReadonlyMap<string, unknown>;
const CABUNDLE = FIELDS.get('cabundle') as readonly Uint8Array[];
const PCRS = FIELDS.get('pcrs') as ReadonlyMap<number, Uint8Array>;

function refusalOf(bytes: Uint8Array): string {
  try {
    verifyDocument({ bytes, anchors: AWS_NITRO_ROOT, at: REAL_TIME, challenge: REAL_NONCE });
  } catch (error) {
    if (error instanceof AttestationError) return error.code;
    throw error;
  }
  return 'accepted';
}

function flipped(bytes: Uint8Array, at: number, bit = 0): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte));
}

/** The real document with other fields in its payload, under the real signature. */
function withFields(changes: Readonly<Record<string, unknown>>): Uint8Array {
  const payload = encode(new Map([...FIELDS, ...Object.entries(changes)]));
  return encode([ENVELOPE.protectedHeader, new Map(), payload, ENVELOPE.signature]);
}

describe('verifyDocument() with a modified real document', () => {
  it('accepts the document if it is decoded and encoded again without changes', () => {
    const fields = [...FIELDS].flatMap(([name, value]) => [encode(name), encode(value)]);
    const payload = Buffer.concat([Buffer.of(0xa0 + FIELDS.size), ...fields]);
    const document = encode([ENVELOPE.protectedHeader, new Map(), payload, ENVELOPE.signature]);
    assert.deepEqual(Buffer.from(document), Buffer.from(REAL_DOCUMENT));
    assert.equal(refusalOf(document), 'accepted');
  });

  it('rejects a different order of the fields', () => {
    assert.equal(refusalOf(withFields({})), 'signature');
  });

  const changes: readonly (readonly [field: string, value: unknown])[] = [
    ['module_id', 'i-06c79bf817127030a-enc0192d3d4945e0433'],
    ['timestamp', REAL_TIME + 1],
    ['pcrs', new Map([...PCRS, [0, flipped(PCRS.get(0) ?? assert.fail(), 47)]])],
    ['pcrs', new Map([...PCRS].slice(0, 15))],
    ['pcrs', new Map([...PCRS, [16, new Uint8Array(48)]])],
    ['public_key', new Uint8Array(32)],
    ['public_key', null],
    ['user_data', new Uint8Array(85)],
    ['added', null],
  ];
  for (const [field, value] of changes) {
    it(`rejects a change of ${field}`, () => {
      assert.equal(refusalOf(withFields({ [field]: value })), 'signature');
    });
  }

  it('rejects a change of the nonce, even to the expected one', () => {
    assert.equal(refusalOf(withFields({ nonce: flipped(REAL_NONCE, 0) })), 'signature');
    const asked = flipped(REAL_NONCE, 0);
    const input = { bytes: withFields({ nonce: asked }), anchors: AWS_NITRO_ROOT, at: REAL_TIME, challenge: asked };
    assert.throws(() => verifyDocument(input), { code: 'signature' });
  });

  it('rejects a change of the digest', () => {
    assert.equal(refusalOf(withFields({ digest: 'SHA512' })), 'malformed_document');
  });

  it('rejects another certificate of the chain as the leaf', () => {
    assert.equal(refusalOf(withFields({ certificate: CABUNDLE[3] })), 'certificate_chain');
  });

  it('rejects a change of the leaf', () => {
    const leaf = FIELDS.get('certificate') as Uint8Array;
    for (let at = 0; at < leaf.length; at += 37) {
      const refusal = refusalOf(withFields({ certificate: flipped(leaf, at) }));
      assert.match(refusal, /^(malformed_certificate|certificate_chain|certificate_algorithm)$/, `byte ${at}`);
    }
  });

  it('rejects a change of any certificate in the bundle', () => {
    for (const [index, certificate] of CABUNDLE.entries()) {
      for (let at = 0; at < certificate.length; at += 37) {
        const cabundle = CABUNDLE.with(index, flipped(certificate, at));
        const expected =
          index === 0 ? /^untrusted_root$/ : /^(malformed_certificate|certificate_chain|certificate_algorithm)$/;
        assert.match(refusalOf(withFields({ cabundle })), expected, `certificate ${index}, byte ${at}`);
      }
    }
  });

  it('rejects a different order or number of certificates', () => {
    const [root, second, third, fourth] = CABUNDLE;
    for (const cabundle of [[second, third, fourth], [root], [root, second, fourth, third], [root, second, third]]) {
      assert.match(refusalOf(withFields({ cabundle })), /^(untrusted_root|certificate_chain)$/);
    }
    assert.equal(refusalOf(withFields({ cabundle: [] })), 'malformed_document');
  });

  it('rejects a change of any byte of the signature', () => {
    for (let at = 0; at < 96; at += 1) {
      const document = encode([ENVELOPE.protectedHeader, new Map(), ENVELOPE.payload, flipped(ENVELOPE.signature, at)]);
      assert.equal(refusalOf(document), 'signature', `byte ${at}`);
    }
  });

  it('rejects a signature of zeros or ones', () => {
    for (const value of [0x00, 0xff]) {
      const signature = new Uint8Array(96).fill(value);
      assert.equal(refusalOf(encode([ENVELOPE.protectedHeader, new Map(), ENVELOPE.payload, signature])), 'signature');
    }
  });

  it('rejects a change of the headers', () => {
    const { protectedHeader, payload, signature } = ENVELOPE;
    for (let at = 0; at < 4; at += 1) {
      const document = encode([flipped(protectedHeader, at), new Map(), payload, signature]);
      assert.equal(refusalOf(document), 'malformed_document');
    }
    const document = encode([protectedHeader, new Map([[1, -35]]), payload, signature]);
    assert.equal(refusalOf(document), 'malformed_document');
  });

  // Testing every byte would take ten seconds. Every seventh one still covers each field and each certificate.
  it('rejects a changed bit at any position', () => {
    for (let at = 0; at < REAL_DOCUMENT.length; at += at < 64 ? 1 : 7) {
      assert.notEqual(refusalOf(flipped(REAL_DOCUMENT, at, at % 8)), 'accepted', `byte ${at}`);
    }
  });

  it('rejects the document if it is truncated at any position', () => {
    for (let length = 0; length < REAL_DOCUMENT.length; length += 13) {
      assert.equal(refusalOf(REAL_DOCUMENT.subarray(0, length)), 'malformed_document', `${length} bytes`);
    }
  });
});
