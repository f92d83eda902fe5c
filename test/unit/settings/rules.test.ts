import assert from 'node:assert/strict';
import { isAttested } from '../../../src/settings/rules.ts';

describe('isAttested()', () => {
  it('is false only for a development backend', () => {
    assert.equal(isAttested('https://enclave.example'), true);
    assert.equal(isAttested('HTTPS://localhost:8443/base'), true);
    assert.equal(isAttested('http://127.0.0.1:8080'), false);
  });
});
