import assert from 'node:assert/strict';
import { checkDepth } from '../../../../src/dialects/responses/nesting.ts';

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

describe('checkDepth()', () => {
  it('accepts the depth of any schema', () => {
    checkDepth('x', nested(200));
    checkDepth('x', 'text');
    checkDepth('x', null);
  });

  it('rejects a value that nests too deeply, however deep it is', () => {
    for (const depth of [202, 1_000_000]) {
      assert.throws(
        () => {
          checkDepth('tools[0]', { schema: nested(depth) });
        },
        { name: 'DialectError', param: 'tools[0]' },
      );
    }
  });
});
