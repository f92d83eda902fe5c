import assert from 'node:assert/strict';
import { readCorpus } from '../fuzz/corpus.ts';
import { execute } from '../fuzz/execute.ts';
import { minimize } from '../fuzz/minimize.ts';
import { TARGETS, loadTarget } from '../fuzz/target.ts';

describe('The corpus of the fuzzing', () => {
  for (const name of TARGETS) {
    it(`finds nothing in ${name}`, async () => {
      const target = await loadTarget(name);
      const inputs = [
        ...target.seeds().map((seed) => Buffer.from(seed as string)),
        ...readCorpus(name).map(({ bytes }) => bytes),
      ];
      try {
        for (const input of inputs) {
          const failure = await execute(target, input);
          if (failure !== undefined) throw new Error(`${JSON.stringify(input.toString())}: ${failure.details}`);
        }
      } finally {
        await target.close?.();
      }
    });
  }
});

describe('An input that has failed', () => {
  it('is shortened to what fails in the same way', async () => {
    const target = {
      seeds: () => [],
      run: (input: Buffer) => {
        assert.ok(input.length < 12, 'too long');
        assert.ok(!input.includes('bad'), 'bad');
      },
    };
    const input = Buffer.from('one bad two');
    const failure = await execute(target, input);
    assert.match(failure?.kind ?? '', /bad$/);
    assert.equal(String(await minimize(target, input, failure ?? assert.fail())), 'bad');
  });
});
