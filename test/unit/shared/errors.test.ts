import assert from 'node:assert/strict';
import { errorMessage } from '../../../src/shared/errors.ts';

describe('errorMessage()', () => {
  it('is the message of an error, and the text of any other value', () => {
    assert.equal(errorMessage(new TypeError('It failed.')), 'It failed.');
    assert.equal(errorMessage('refused'), 'refused');
    assert.equal(errorMessage(undefined), 'undefined');
  });
});
