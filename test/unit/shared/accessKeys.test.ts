import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { ACCESS_KEYS, accessKeyId, isAccessKey } from '../../../src/shared/accessKeys.ts';

const newKey = () => `sealed-${randomBytes(32).toString('base64url')}`;

describe('isAccessKey()', () => {
  it('accepts "sealed-" and the Base64url of 32 bytes', () => {
    for (let count = 0; count < 50; count++) assert.equal(isAccessKey(newKey()), true);
  });

  const key = newKey();
  for (const [what, text] of [
    ['an empty text', ''],
    ['the prefix alone', 'sealed-'],
    ['a key that is one character short', key.slice(0, -1)],
    ['a key that is one character too long', `${key}A`],
    ['a key in another alphabet', `${key.slice(0, -1)}+`],
    ['a padded key', `${key}=`],
    ['a key with a line break', `${key}\n`],
    ['a key with a leading space', ` ${key}`],
    ['a prefix in capitals', key.replace('sealed', 'SEALED')],
    ['an API key', 'sk-1234'],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.equal(isAccessKey(text), false);
    });
  }
});

describe('accessKeyId()', () => {
  it('is the first 16 hex digits of the SHA-256 of the key', () => {
    const key = newKey();
    assert.equal(accessKeyId(key), createHash('sha256').update(key).digest('hex').slice(0, 16));
  });
});

describe('ACCESS_KEYS', () => {
  it('matches every access key in a text', () => {
    const [one, other] = [newKey(), newKey()];
    assert.equal(`a "${one}" ${other}.`.replaceAll(ACCESS_KEYS, '…'), 'a "…" ….');
  });
});
