import assert from 'node:assert/strict';
import { encode } from 'cborg';
import { verifyDocument } from '../../../src/attestation/checks.ts';
import { parseUnsignedDocument } from '../../../src/attestation/document.ts';
import { AWS_NITRO_ROOT } from '../../../src/attestation/trust.ts';
import { makeUnsignedDocument } from '../../../src/devEnclave/attestation/document.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';

const NOW = Date.UTC(2026, 0, 15);
const NONCE = new Uint8Array(32).fill(1);
const PUBLIC_KEY = new Uint8Array(32).fill(2);
const USER_DATA = new Uint8Array(85).fill(3);
const BINDINGS = { nonce: NONCE, publicKey: PUBLIC_KEY, userData: USER_DATA };

function unsigned(fields: ReadonlyMap<unknown, unknown>, signature = new Uint8Array(0)): Uint8Array {
  return encode([new Uint8Array(0), new Map(), encode(fields), signature]);
}

describe('parseUnsignedDocument()', () => {
  it('returns the three binding fields and the module id', () => {
    const document = parseUnsignedDocument(makeUnsignedDocument(BINDINGS, NOW));
    assert.deepEqual(document.nonce, NONCE);
    assert.deepEqual(document.publicKey, PUBLIC_KEY);
    assert.deepEqual(document.userData, USER_DATA);
    assert.match(document.moduleId ?? '', /^i-[0-9a-f]{16}$/);
  });

  it('accepts documents without other fields, and without binding fields', () => {
    const fields = new Map([['public_key', PUBLIC_KEY]]);
    const { moduleId, publicKey, userData, nonce } = parseUnsignedDocument(unsigned(fields));
    assert.deepEqual([moduleId, publicKey, userData, nonce], [undefined, PUBLIC_KEY, undefined, undefined]);
  });

  it('ignores invalid values in all other fields', () => {
    const rubbish = new Map<string, unknown>([
      ['module_id', 'two\nlines'],
      ['digest', null],
      ['timestamp', 2n ** 63n],
      ['pcrs', 'none'],
      ['certificate', null],
      ['cabundle', []],
      ['nonce', NONCE],
    ]);
    const { moduleId, nonce } = parseUnsignedDocument(unsigned(rubbish, new Uint8Array(7)));
    assert.deepEqual([moduleId, nonce], [undefined, NONCE]);
  });

  it('enforces the limits of the binding fields', () => {
    for (const [name, length] of Object.entries({ public_key: 1025, user_data: 513, nonce: 513 })) {
      const document = unsigned(new Map([[name, new Uint8Array(length)]]));
      assert.throws(() => parseUnsignedDocument(document), { code: 'malformed_document', message: new RegExp(name) });
    }
  });

  it('rejects everything that is not a COSE_Sign1 with a map as its payload', () => {
    const payload = encode(new Map([['nonce', NONCE]]));
    const wrong = [
      new Uint8Array(0),
      payload,
      encode([new Uint8Array(0), new Map(), payload]),
      encode([new Uint8Array(0), new Map(), new Map([['nonce', NONCE]]), new Uint8Array(0)]),
      encode([new Uint8Array(0), new Map(), encode([NONCE]), new Uint8Array(0)]),
      concatBytes(makeUnsignedDocument(BINDINGS, NOW), Uint8Array.of(0)),
      unsigned(new Map([['nonce', NONCE]]), new Uint8Array(65_536)),
    ];
    for (const bytes of wrong) assert.throws(() => parseUnsignedDocument(bytes), { code: 'malformed_document' });
  });

  it('returns a document that does not pass as a verified one', () => {
    const bytes = makeUnsignedDocument(BINDINGS, NOW);
    const verify = (): unknown => verifyDocument({ bytes, anchors: AWS_NITRO_ROOT, at: NOW, challenge: NONCE });
    assert.throws(verify, { code: 'malformed_document' });
  });
});
