import assert from 'node:assert/strict';
import { ratioChart } from '../../bench/comparison/chart.ts';
import type { Round } from '../../bench/comparison/figures.ts';
import { judge } from '../../bench/comparison/limits.ts';
import { parseOptions } from '../../bench/options.ts';
import { selfTimes } from '../../bench/profile/cpuProfile.ts';

const ROW = 'idle MiB';
const roundsOf = (...values: readonly number[]): Round[] => values.map((value) => ({ sealed: { [ROW]: value } }));

describe('The benchmark', () => {
  it('misses a limit only if the median is worse by more than the noise, which one disturbed round does not make larger', () => {
    const verdictOf = (...values: readonly number[]) =>
      judge({ name: 'x', most: 10, of: ({ sealed }) => sealed?.[ROW] ?? Number.NaN }, roundsOf(...values)).verdict;
    assert.equal(verdictOf(8, 10, 14), 'reached');
    assert.equal(verdictOf(9, 11, 12), 'within noise');
    assert.equal(verdictOf(11, 12, 12.5), 'MISSED');
    assert.equal(verdictOf(11, 11, 11, 11, 99), 'MISSED');
    assert.equal(verdictOf(10.1), 'MISSED');
    assert.equal(verdictOf(), 'MISSED');
  });

  it('draws the ratios to native code if it was measured, and otherwise to the bare relay', () => {
    const bare: Round = { sealed: { [ROW]: 30 }, bare: { [ROW]: 60 } };
    assert.match(ratioChart([bare]), />0\.500 ×</);
    assert.match(ratioChart([{ ...bare, native: { [ROW]: 15 } }]), />2\.00 ×</);
  });

  it('refuses options that it does not understand', () => {
    assert.deepEqual(parseOptions(['--profile', 'burst', '--node', '/n']), {
      kind: 'profile',
      load: 'burst',
      node: '/n',
    });
    for (const args of [['--rounds', '0'], ['--memory', 'x'], ['--replicas', '0'], ['--profile', 'x'], ['--unknown']]) {
      assert.throws(() => parseOptions(args), Error, args.join(' '));
    }
  });
});

describe('selfTimes()', () => {
  it('adds the time until the next sample to each function, by its place in the source', () => {
    const frame = (functionName: string, lineNumber: number) => ({
      functionName,
      url: lineNumber < 0 ? '' : 'file:///x/dist/proxy.js',
      lineNumber,
      columnNumber: 0,
    });
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('(idle)', -1) },
        { id: 2, callFrame: frame('a', 0) },
        { id: 3, callFrame: frame('a', 0) },
      ],
      samples: [2, 1, 3, 1],
      timeDeltas: [0, 5000, 1000, 3000],
    };
    // The position 0:0 of the bundle is line 1 of the source.
    const sources = {
      file: '',
      version: 3,
      sources: ['../src/x.ts'],
      sourcesContent: [],
      names: [],
      mappings: 'AAAA',
      sourceRoot: '',
    };
    assert.deepEqual(selfTimes(profile, sources), [
      { name: 'a src/x.ts:1', ms: 8 },
      { name: '(idle)', ms: 1 },
    ]);
  });
});
