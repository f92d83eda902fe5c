import assert from 'node:assert/strict';
import { fromDialectUrl, toDialectUrl } from '../../../../src/assistants/adapters/dialectUrl.ts';

const BASE_URL = 'http://127.0.0.1:8123/v1';

describe('toDialectUrl()', () => {
  it('is the base URL of each dialect, as its clients need it', () => {
    assert.equal(toDialectUrl(BASE_URL, 'messages'), 'http://127.0.0.1:8123/anthropic');
    assert.equal(toDialectUrl(BASE_URL, 'responses'), 'http://127.0.0.1:8123/responses/v1');
  });
});

describe('fromDialectUrl()', () => {
  it('is the inverse, and keeps any other value', () => {
    for (const dialect of ['messages', 'responses'] as const) {
      assert.equal(fromDialectUrl(toDialectUrl(BASE_URL, dialect), dialect), BASE_URL);
      for (const other of ['https://example.com', '', undefined, 1, null]) {
        assert.equal(fromDialectUrl(other, dialect), other);
      }
    }
  });
});
