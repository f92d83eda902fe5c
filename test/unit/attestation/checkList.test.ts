import assert from 'node:assert/strict';
import { CheckList } from '../../../src/attestation/checkList.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';

interface Input {
  readonly text: string;
  readonly challenge: string;
}

const LIST = CheckList.for<Input>()
  .and({
    id: 'document_format',
    run: ({ text }) => ({ length: text.length }),
    examined: ({ text, length }) => ({ text, ...(length === undefined ? {} : { length: String(length) }) }),
  })
  .and({
    id: 'challenge',
    needs: 'challenge',
    run: ({ text, challenge }) => {
      if (text !== challenge) throw new AttestationError('nonce_mismatch', 'another text');
    },
    examined: ({ challenge }) => ({ expected: challenge }),
  });
const NEXT = CheckList.for<{ readonly length: number }>().and({
  id: 'server_key',
  run: ({ length }) => ({ half: length / 2 }),
  examined: () => ({}),
});

describe('CheckList', () => {
  it('gives each check what was given and what earlier ones have found', () => {
    const found = LIST.followedBy(NEXT).run({ text: 'four', challenge: 'four' });
    assert.deepEqual(found, { length: 4, half: 2 });
  });

  it('throws the error of the first check that fails', () => {
    assert.throws(() => LIST.run({ text: 'a', challenge: 'b' }), { code: 'nonce_mismatch' });
  });

  it('reports what was examined, and skips everything after a check that fails', () => {
    const { checks, failure, found } = LIST.followedBy(NEXT).report({ text: 'a', challenge: 'b' });
    assert.deepEqual(checks, [
      { id: 'document_format', result: 'pass', examined: { text: 'a', length: '1' } },
      { id: 'challenge', result: 'fail', examined: { expected: 'b' }, error: 'nonce_mismatch' },
      { id: 'server_key', result: 'skipped', examined: {} },
    ]);
    assert.deepEqual([failure?.code, found], ['nonce_mismatch', { length: 1 }]);
  });

  it('skips a check that has nothing to compare with, and runs the others', () => {
    const { checks, failure } = LIST.followedBy(NEXT).report({ text: 'a', challenge: undefined });
    assert.deepEqual(
      checks.map(({ result }) => result),
      ['pass', 'skipped', 'pass'],
    );
    assert.equal(failure, undefined);
  });

  it('does not compile if a check comes before the one whose result it needs', () => {
    const needsLength = {
      id: 'server_key',
      run: ({ length }: { length: number }) => ({ length }),
      examined: () => ({}),
    } as const;
    // @ts-expect-error `length` is not known yet
    const wrong = () => CheckList.for<Input>().and(needsLength);
    assert.equal(typeof wrong, 'function');
  });
});
