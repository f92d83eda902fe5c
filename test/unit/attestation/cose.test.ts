import assert from 'node:assert/strict';
import { encode } from 'cborg';
import fc from 'fast-check';
import { PROTECTED_HEADER, parseSignedEnvelope, sigStructure } from '../../../src/attestation/cose.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';
import { REAL_DOCUMENT } from '../../support/realDocument.ts';

const PAYLOAD = Uint8Array.of(1, 2, 3);
const SIGNATURE = new Uint8Array(96).fill(7);

function envelope(...parts: readonly unknown[]): Uint8Array {
  return encode(parts);
}

function refuses(bytes: Uint8Array, message: RegExp): void {
  assert.throws(() => parseSignedEnvelope(bytes), { name: 'AttestationError', code: 'malformed_document', message });
}

describe('parseSignedEnvelope()', () => {
  it('returns the four elements', () => {
    assert.deepEqual(parseSignedEnvelope(envelope(PROTECTED_HEADER, new Map(), PAYLOAD, SIGNATURE)), {
      protectedHeader: Uint8Array.of(0xa1, 0x01, 0x38, 0x22),
      unprotectedHeader: new Map(),
      payload: PAYLOAD,
      signature: SIGNATURE,
    });
  });

  it('reads the real document', () => {
    const { payload, signature } = parseSignedEnvelope(REAL_DOCUMENT);
    assert.equal(payload.length, 4422);
    assert.equal(toHex(signature), toHex(REAL_DOCUMENT.subarray(-96)));
  });

  it('accepts 64 KiB and not a byte more', () => {
    const overhead = envelope(PROTECTED_HEADER, new Map(), new Uint8Array(0x8000), SIGNATURE).length - 0x8000;
    const padded = (length: number): Uint8Array =>
      envelope(PROTECTED_HEADER, new Map(), new Uint8Array(length - overhead), SIGNATURE);
    assert.equal(padded(65_536).length, 65_536);
    assert.equal(parseSignedEnvelope(padded(65_536)).payload.length, 65_536 - overhead);
    refuses(padded(65_537), /longer than 65536 bytes/);
  });

  it('rejects the CBOR tag 18, which Nitro does not send', () => {
    refuses(concatBytes(Uint8Array.of(0xd2), REAL_DOCUMENT), /not CBOR/);
  });

  it('rejects an array of indefinite length and trailing bytes', () => {
    refuses(concatBytes(Uint8Array.of(0x9f), REAL_DOCUMENT.subarray(1), Uint8Array.of(0xff)), /not CBOR/);
    refuses(concatBytes(REAL_DOCUMENT, Uint8Array.of(0)), /not CBOR/);
  });

  it('rejects everything but an array of four', () => {
    refuses(encode(new Map([[0, PROTECTED_HEADER]])), /array of four/);
    for (const value of [null, 4, 'four', new Uint8Array(4)]) refuses(encode(value), /array of four/);
    refuses(envelope(PROTECTED_HEADER, new Map(), PAYLOAD), /array of four/);
    refuses(envelope(PROTECTED_HEADER, new Map(), PAYLOAD, SIGNATURE, null), /array of four/);
  });

  it('rejects elements of the wrong type', () => {
    refuses(envelope('a1013822', new Map(), PAYLOAD, SIGNATURE), /protected header that is not/);
    refuses(envelope(PROTECTED_HEADER, [], PAYLOAD, SIGNATURE), /unprotected header that is not/);
    refuses(envelope(PROTECTED_HEADER, new Map(), null, SIGNATURE), /payload that is not/);
    refuses(envelope(PROTECTED_HEADER, new Map(), PAYLOAD, [...SIGNATURE]), /signature that is not/);
  });

  it('rejects any other protected header', () => {
    const es256 = Uint8Array.of(0xa1, 0x01, 0x26);
    const notMinimal = Uint8Array.of(0xa1, 0x01, 0x39, 0x00, 0x22);
    for (const header of [es256, notMinimal, new Uint8Array(0), concatBytes(PROTECTED_HEADER, Uint8Array.of(0))]) {
      refuses(envelope(header, new Map(), PAYLOAD, SIGNATURE), /ES384/);
    }
  });

  it('rejects a non-empty unprotected header', () => {
    refuses(envelope(PROTECTED_HEADER, new Map([[1, -35]]), PAYLOAD, SIGNATURE), /has an unprotected header/);
  });

  it('rejects a signature that is not 96 bytes long', () => {
    for (const length of [0, 64, 95, 97]) {
      refuses(envelope(PROTECTED_HEADER, new Map(), PAYLOAD, new Uint8Array(length)), /96 bytes/);
    }
  });

  it('throws only AttestationErrors for random bytes', () => {
    const spliced = fc
      .tuple(fc.nat(REAL_DOCUMENT.length), fc.nat(8), fc.uint8Array({ maxLength: 8 }))
      .map(([at, removed, added]) =>
        concatBytes(REAL_DOCUMENT.subarray(0, at), added, REAL_DOCUMENT.subarray(at + removed)),
      );
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), spliced), (bytes) => {
        try {
          parseSignedEnvelope(bytes);
        } catch (error) {
          assert.ok(error instanceof AttestationError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('sigStructure()', () => {
  it('returns the array of RFC 9052 section 4.4 with empty external data', () => {
    assert.equal(
      toHex(sigStructure(PROTECTED_HEADER, PAYLOAD)),
      `846a${toHex(Buffer.from('Signature1'))}44a10138224043010203`,
    );
  });
});
