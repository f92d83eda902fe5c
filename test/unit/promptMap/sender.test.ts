import assert from 'node:assert/strict';
import { completeVerdictLines, verdictLines } from '../../../src/promptMap/sender.ts';
import type { Sender } from '../../../src/promptMap/sender.ts';
import { sender } from '../../support/senders.ts';

describe('verdictLines()', () => {
  it('names the senders of each verdict, the worst first', () => {
    const senders = (['sealed', 'elsewhere', 'depends', 'partly', 'unknown'] as const).map((each) => sender(each));
    assert.deepEqual(
      verdictLines(senders, 6).map(({ word, names, count }) => `${count} ${word}: ${names}`),
      [
        ...['1 Not sealed: elsewhere', '1 Partly sealed: partly', '1 Unknown: unknown'],
        '1 Depends on the model: depends',
        '1 Sealed: sealed',
      ],
    );
  });

  it('cuts a long list of names', () => {
    const senders = Array.from({ length: 9 }, (_, index) => sender('unknown', { name: String(index) }));
    assert.deepEqual(verdictLines(senders, 6), [
      { verdict: 'unknown', word: 'Unknown', count: 9, names: '0, 1, 2, 3, 4, 5 and 3 more' },
    ]);
  });

  it('makes names from outside safe and short', () => {
    const hostile = sender('elsewhere', { name: `x\u202e${'long '.repeat(4000)}` });
    const [line] = verdictLines([hostile], 6);
    assert.ok(line !== undefined && line.names.length <= 64 && line.names.startsWith('x\ufffd'), line?.names);
  });
});

describe('completeVerdictLines()', () => {
  const shown = (senders: readonly Sender[]) =>
    completeVerdictLines(senders).map(({ word, count, names }) => ({ word, count, names }));

  it('names the senders of each verdict, and nothing else', () => {
    const senders = [
      sender('elsewhere', { name: 'A', sentence: '/home/ann/secret' }),
      sender('elsewhere', { name: 'B' }),
      sender('sealed', { name: 'C' }),
    ];
    assert.deepEqual(shown(senders), [
      { word: 'Not sealed', count: 2, names: 'A and B' },
      { word: 'Sealed', count: 1, names: 'C' },
    ]);
  });

  it('says that none is sealed', () => {
    assert.deepEqual(shown([sender('unknown')]), [
      { word: 'Unknown', count: 1, names: 'unknown' },
      { word: 'Sealed', count: 0, names: 'none' },
    ]);
    assert.deepEqual(shown([]), []);
  });
});
