import assert from 'node:assert/strict';
import { codeOf, errorMessage } from '../../../src/shared/errors.ts';

describe('errorMessage()', () => {
  it('is the message of an error, and the text of any other value', () => {
    assert.equal(errorMessage(new TypeError('It failed.')), 'It failed.');
    assert.equal(errorMessage('refused'), 'refused');
    assert.equal(errorMessage(undefined), 'undefined');
  });
});

describe('codeOf()', () => {
  it('is the code of an error, and undefined for any other value', () => {
    assert.equal(codeOf(Object.assign(new Error(), { code: 'ENOENT' })), 'ENOENT');
    for (const value of [new Error('ENOENT'), { code: 20 }, 'ENOENT', null, undefined])
      assert.equal(codeOf(value), undefined);
  });
});
