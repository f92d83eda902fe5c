import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  asBuffer,
  concatBytes,
  constantTimeEqual,
  fromBase64,
  toBase64,
  toHex,
  wipe,
} from '../../../src/shared/bytes.ts';

const bytes = fc.uint8Array({ maxLength: 100 });

describe('toHex()', () => {
  it('writes two lower-case characters for each byte', () => {
    assert.equal(toHex(Uint8Array.of(0, 0x0a, 0xff)), '000aff');
    assert.equal(toHex(new Uint8Array(0)), '');
  });
});

describe('toBase64() and fromBase64()', () => {
  it('agree with the test vectors of RFC 4648 section 10', () => {
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

  it('are inverse', () => {
    fc.assert(
      fc.property(bytes, (original) => {
        assert.deepEqual(fromBase64(toBase64(original)), original);
      }),
    );
  });

  it('are inverse for megabytes', () => {
    const original = new Uint8Array(16 * 1024 * 1024);
    assert.equal(Buffer.compare(fromBase64(toBase64(original)) ?? assert.fail(), original), 0);
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
    it(`refuse ${JSON.stringify(text)}`, () => {
      assert.equal(fromBase64(text), undefined);
    });
  }

  it('allow one text for each byte string: unused bits must be zero', () => {
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

  it('never read two texts as the same bytes', () => {
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

describe('asBuffer()', () => {
  it('shares the memory', () => {
    const memory = new Uint8Array(8);
    const view = asBuffer(memory.subarray(2, 5));
    view[0] = 7;
    assert.equal(memory[2], 7);
    assert.equal(view.length, 3);
    assert.equal(asBuffer(view), view);
  });
});

describe('constantTimeEqual()', () => {
  it('is true if all bytes are equal', () => {
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
});

describe('concatBytes()', () => {
  it('joins in new memory', () => {
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
});

describe('wipe()', () => {
  it('overwrites the memory with zeros', () => {
    const memory = Uint8Array.of(1, 2, 3, 4);
    wipe(memory.subarray(1, 3), Buffer.alloc(0));
    assert.deepEqual(memory, Uint8Array.of(1, 0, 0, 4));
  });
});
