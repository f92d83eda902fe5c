import { readCorpus } from '../fuzz/corpus.ts';
import { execute } from '../fuzz/execute.ts';
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
