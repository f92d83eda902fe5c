import assert from 'node:assert/strict';
import {
  DerReader,
  TAG,
  namedBits,
  objectIdentifier,
  onlyElement,
  time,
  unsignedInteger,
  wholeBytes,
} from '../../../src/attestation/der.ts';
import type { DerElement } from '../../../src/attestation/der.ts';
import { encodeDer } from '../../../src/devEnclave/attestation/der.ts';

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const elementOf = (hex: string): DerElement => new DerReader(bytesOf(hex)).any();
const zeros = (count: number) => '00'.repeat(count);

describe('DerReader', () => {
  it('reads lengths in each form', () => {
    for (const [head, length] of [
      ['04 00', 0],
      ['04 7f', 127],
      ['04 81 80', 128],
      ['04 81 ff', 255],
      ['04 82 01 00', 256],
      ['04 82 02 01', 513],
    ] as const) {
      assert.equal(elementOf(head + zeros(length)).content.length, length, head);
    }
  });

  it('refuses indefinite lengths, those of three bytes, and those not in their shortest form', () => {
    for (const [head, length] of [
      ['04 80', 128],
      ['04 83 00 01 00', 256],
      ['04 81 7f', 127],
      ['04 82 00 ff', 255],
      ['04 82 00 80', 128],
    ] as const) {
      assert.throws(() => elementOf(head + zeros(length)), /length/, head);
    }
  });

  it('refuses an element that is cut off anywhere', () => {
    for (const hex of ['', '04', '04 01', '04 02 00', '04 81', '04 82 01', `04 82 01 00 ${zeros(255)}`]) {
      assert.throws(() => elementOf(hex), /an element that is cut off/, hex.slice(0, 12));
    }
  });

  it('refuses a tag of several bytes', () => {
    assert.throws(() => elementOf('1f 01 00'), /a tag of several bytes/);
    assert.throws(() => elementOf('3f 00'), /a tag of several bytes/);
  });

  it('refuses another tag, and further bytes', () => {
    assert.throws(() => onlyElement(bytesOf('04 00'), TAG.integer), /tag 4 instead of 2/);
    assert.throws(() => onlyElement(bytesOf('04 00 00'), TAG.octetString), /further bytes/);
    assert.equal(onlyElement(bytesOf('04 00'), TAG.octetString).content.length, 0);
  });

  it('takes an element only if it has the optional tag', () => {
    const reader = new DerReader(bytesOf('02 01 05'));
    assert.equal(reader.optional(TAG.octetString), undefined);
    assert.deepEqual(reader.optional(TAG.integer)?.content, bytesOf('05'));
    assert.equal(reader.optional(TAG.integer), undefined);
  });
});

describe('unsignedInteger()', () => {
  it('reads numbers in their shortest form', () => {
    for (const [hex, value] of [
      ['02 01 00', 0n],
      ['02 01 7f', 127n],
      ['02 02 00 80', 128n],
      ['02 02 01 00', 256n],
    ] as const) {
      assert.equal(unsignedInteger(elementOf(hex)), value);
    }
  });

  it('refuses others, and negative ones', () => {
    for (const hex of ['02 00', '02 02 00 00', '02 02 00 7f', '02 01 80', '02 01 ff']) {
      assert.throws(() => unsignedInteger(elementOf(hex)), /integer/, hex);
    }
  });
});

describe('objectIdentifier()', () => {
  it('reads numbers of any size', () => {
    for (const [hex, dotted] of [
      ['06 01 00', '0.0'],
      ['06 01 27', '0.39'],
      ['06 01 28', '1.0'],
      ['06 01 4f', '1.39'],
      ['06 01 50', '2.0'],
      ['06 01 78', '2.40'],
      ['06 02 88 37', '2.999'],
      ['06 04 2a 81 80 00', '1.2.16384'],
      ['06 06 2a 86 48 86 f7 0d', '1.2.840.113549'],
    ] as const) {
      assert.equal(objectIdentifier(elementOf(hex)), dotted);
    }
  });

  it('refuses an empty one, and numbers that are cut off or not in their shortest form', () => {
    for (const hex of ['06 00', '06 01 80', '06 01 81', '06 02 2a 81', '06 02 80 01', '06 03 2a 80 01']) {
      assert.throws(() => objectIdentifier(elementOf(hex)), /./, hex);
    }
  });
});

describe('wholeBytes() and namedBits()', () => {
  it('read the bytes, and the bits from the highest one of the first byte', () => {
    assert.deepEqual(wholeBytes(elementOf('03 03 00 12 34')), bytesOf('12 34'));
    const isSet = namedBits(elementOf('03 03 07 06 80'));
    assert.deepEqual(
      [0, 4, 5, 6, 7, 8, 9, 16].map((bit) => isSet(bit)),
      [false, false, true, true, false, true, false, false],
    );
    assert.ok(namedBits(elementOf('03 02 00 01'))(7));
  });

  it('refuse bits that do not fill the bytes', () => {
    for (const hex of ['03 00', '03 02 01 80']) assert.throws(() => wholeBytes(elementOf(hex)), /bit string/, hex);
  });

  it('refuse no bits, zeros at the end, and bits that are set but not used', () => {
    for (const hex of [
      '03 00',
      '03 01 00',
      '03 02 00 00',
      '03 02 08 80',
      '03 02 06 80',
      '03 02 07 81',
      '03 02 01 01',
    ]) {
      assert.throws(() => namedBits(elementOf(hex)), /bit string/, hex);
    }
  });
});

describe('time()', () => {
  const timeOf = (tag: 'utcTime' | 'generalizedTime', text: string) =>
    time(new DerReader(encodeDer(tag, Buffer.from(text))).any());

  it('reads UTCTime as 1950 to 2049, and GeneralizedTime from 2050 on', () => {
    assert.equal(timeOf('utcTime', '500101000000Z'), Date.UTC(1950, 0, 1));
    assert.equal(timeOf('utcTime', '991231235959Z'), Date.UTC(1999, 11, 31, 23, 59, 59));
    assert.equal(timeOf('utcTime', '491231235959Z'), Date.UTC(2049, 11, 31, 23, 59, 59));
    assert.equal(timeOf('generalizedTime', '20500101000000Z'), Date.UTC(2050, 0, 1));
  });

  it('refuses other forms, and times that do not exist', () => {
    for (const text of [
      '5001010000Z',
      '500101000000',
      '500101000000+0100',
      '20500101000000Z',
      '500230000000Z',
      '500101240000Z',
    ])
      assert.throws(() => timeOf('utcTime', text), /./, text);
    for (const text of ['20491231235959Z', '19500101000000Z', '20500101000000.0Z', '500101000000Z'])
      assert.throws(() => timeOf('generalizedTime', text), /./, text);
    assert.throws(
      () => time(new DerReader(encodeDer('octetString', Buffer.from('500101000000Z'))).any()),
      /not a time/,
    );
  });
});
