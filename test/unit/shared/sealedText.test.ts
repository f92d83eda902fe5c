import assert from 'node:assert/strict';
import { concatBytes } from '../../../src/shared/bytes.ts';
import { openText, sealText } from '../../../src/shared/sealedText.ts';

const KEY = new Uint8Array(32);
const AAD = Buffer.from('additional');

describe('sealText() and openText()', () => {
  it('return the text, with and without additional data', () => {
    for (const text of ['', 'text', 'žluťoučký 😀'.repeat(1000)]) {
      assert.equal(openText(KEY, sealText(KEY, text)), text);
      assert.equal(openText(KEY, sealText(KEY, text, AAD), AAD), text);
    }
  });

  it('open what another implementation has sealed (McGrew and Viega 2005, test cases 13 and 14)', () => {
    const nonce = new Uint8Array(12);
    const empty = Buffer.from('530f8afbc74536b9a963b4f1c4cb738b', 'hex');
    const zeros = Buffer.from('cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919', 'hex');
    assert.equal(openText(KEY, concatBytes(nonce, empty)), '');
    assert.equal(openText(KEY, concatBytes(nonce, zeros)), '\0'.repeat(16));
  });

  it('refuse anything else', () => {
    const sealed = sealText(KEY, 'text', AAD);
    assert.equal(openText(KEY, sealed), undefined);
    assert.equal(openText(KEY, sealed, Buffer.from('other')), undefined);
    assert.equal(openText(Buffer.alloc(32, 1), sealed, AAD), undefined);
    for (let length = 0; length < sealed.length; length++)
      assert.equal(openText(KEY, sealed.subarray(0, length), AAD), undefined);
    for (let index = 0; index < sealed.length; index++) {
      const altered = sealed.map((byte, at) => (at === index ? byte ^ 1 : byte));
      assert.equal(openText(KEY, altered, AAD), undefined);
    }
  });
});
