import assert from 'node:assert/strict';
import { isLoopback, withoutBrackets } from '../../../src/settings/loopback.ts';

describe('isLoopback()', () => {
  for (const host of ['localhost', 'LocalHost', '127.0.0.1', '127.255.255.255', '::1', '[::1]', '0:0:0:0:0:0:0:1']) {
    it(`is true for ${host}`, () => {
      assert.equal(isLoopback(host), true);
    });
  }

  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '128.0.0.1',
    '10.0.0.1',
    '127.0.0.1.example',
    '127.1',
    '127.0.0.1.',
    'localhost.',
    'localhost.example',
    'xlocalhost',
    '::2',
    '[::1',
    '::1]',
    '::ffff:7f00:1',
    'fe80::1',
  ]) {
    it(`is false for ${JSON.stringify(host)}`, () => {
      assert.equal(isLoopback(host), false);
    });
  }
});

describe('withoutBrackets()', () => {
  it('removes the brackets only if the name has both', () => {
    assert.deepEqual(['[::1]', '[::1', '::1]', 'x'].map(withoutBrackets), ['::1', '[::1', '::1]', 'x']);
  });
});
