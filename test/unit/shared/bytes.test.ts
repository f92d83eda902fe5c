import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  asBuffer,
  concatBytes,
  constantTimeEqual,
  fromBase64,
  fromHex,
  toBase64,
  toHex,
  wipe,
} from '../../../src/shared/bytes.ts';

const bytes = fc.uint8Array({ maxLength: 100 });

describe('Hex', () => {
  it('is lower case, two characters a byte', () => {
    assert.equal(toHex(Uint8Array.of(0, 0x0a, 0xff)), '000aff');
    assert.equal(toHex(new Uint8Array(0)), '');
  });

  it('is read back', () => {
    fc.assert(
      fc.property(bytes, (original) => {
        assert.deepEqual(fromHex(toHex(original)), original);
      }),
    );
  });

  for (const text of ['0', '000', 'FF', 'fF', '0g', ' 00', '00 ', '00\n', '0x00', '\u0660\u0660']) {
    it(`is never ${JSON.stringify(text)}`, () => {
      assert.equal(fromHex(text), undefined);
    });
  }
});

describe('Base64', () => {
  it('is as RFC 4648 section 10 has it, both ways', () => {
    for (const [text, encoded] of [
      ['', ''],
      ['f', 'Zg=='],
      ['fo', 'Zm8='],
      ['foo', 'Zm9v'],
      ['foob', 'Zm9vYg=='],
      ['fooba', 'Zm9vYmE='],
      ['foobar', 'Zm9vYmFy'],
    ] as const) {
      assert.equal(toBase64(Buffer.from(text)), encoded);
      assert.equal(Buffer.from(fromBase64(encoded) ?? assert.fail()).toString(), text);
    }
    assert.deepEqual(fromBase64('+/+/'), Uint8Array.of(0xfb, 0xff, 0xbf));
  });

  it('is read back', () => {
    fc.assert(
      fc.property(bytes, (original) => {
        assert.deepEqual(fromBase64(toBase64(original)), original);
      }),
    );
  });

  for (const text of [
    'Zg',
    'Zg=',
    'Zg===',
    'Z',
    'Zm8',
    'Zm9v=',
    '====',
    '=',
    'Zg==Zg==',
    'Zg==\n',
    ' Zg==',
    'Zm\n9v',
    'Zm9v ',
    '-_-_',
    'Zm9v\u0000',
    'Zm9\u00e9',
  ]) {
    it(`is never ${JSON.stringify(text)}`, () => {
      assert.equal(fromBase64(text), undefined);
    });
  }

  it('has one form for each byte string: bits that do not count must be zero', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const taken = (form: (last: string) => string) =>
      Array.from(alphabet).filter((last) => fromBase64(form(last)) !== undefined);
    assert.deepEqual(
      taken((last) => `A${last}==`),
      ['A', 'Q', 'g', 'w'],
    );
    assert.equal(taken((last) => `AA${last}=`).length, 16);
    assert.equal(taken((last) => `AAA${last}`).length, 64);
  });

  it('is never a text that another text means as well', () => {
    const texts = fc.string({ unit: fc.constantFrom(...Array.from('AQgw+/=-_ \n')), maxLength: 12 });
    fc.assert(
      fc.property(texts, (text) => {
        const decoded = fromBase64(text);
        if (decoded !== undefined) assert.equal(toBase64(decoded), text);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('Bytes', () => {
  it('are the same memory as a Buffer', () => {
    const memory = new Uint8Array(8);
    const view = asBuffer(memory.subarray(2, 5));
    view[0] = 7;
    assert.equal(memory[2], 7);
    assert.equal(view.length, 3);
    assert.equal(asBuffer(view), view);
  });

  it('are equal when all of them are', () => {
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        assert.equal(constantTimeEqual(one, other), toHex(one) === toHex(other));
        assert.equal(constantTimeEqual(one, one.slice()), true);
      }),
    );
    assert.equal(constantTimeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 3)), false);
    assert.equal(constantTimeEqual(Uint8Array.of(1, 2), Uint8Array.of(1)), false);
    assert.equal(constantTimeEqual(new Uint8Array(0), new Uint8Array(0)), true);
  });

  it('are joined in memory of their own', () => {
    fc.assert(
      fc.property(fc.array(bytes), (parts) => {
        assert.equal(toHex(concatBytes(...parts)), parts.map(toHex).join(''));
      }),
    );
    const part = Uint8Array.of(1);
    const joined = concatBytes(part);
    part.fill(0);
    assert.deepEqual(joined, Uint8Array.of(1));
  });

  it('are overwritten where they lie', () => {
    const memory = Uint8Array.of(1, 2, 3, 4);
    wipe(memory.subarray(1, 3), Buffer.alloc(0));
    assert.deepEqual(memory, Uint8Array.of(1, 0, 0, 4));
  });
});
