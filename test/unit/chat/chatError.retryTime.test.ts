import assert from 'node:assert/strict';
import { retryTime } from '../../../src/chat/chatError.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const after = (value: string, exact?: string) =>
  retryTime({ 'retry-after': value, ...(exact !== undefined && { 'retry-after-ms': exact }) }, NOW);
const inSeconds = (seconds: number) => new Date(NOW + seconds * 1000).toUTCString();

describe('retryTime()', () => {
  it('is in seconds, then in minutes', () => {
    for (const [seconds, text] of [
      [1, 'in 1 s'],
      [20, 'in 20 s'],
      [119, 'in 119 s'],
      [120, 'in 2 minutes'],
      [121, 'in 3 minutes'],
      [180, 'in 3 minutes'],
      [3600, 'in 60 minutes'],
    ] as const) {
      assert.equal(after(String(seconds)), text);
      assert.equal(after(inSeconds(seconds)), text);
    }
    assert.equal(after('0'), 'in 1 s');
    assert.equal(after('1.2'), 'in 2 s');
  });

  it('is a clock time after more than an hour, with its day after a day', () => {
    const at = new Date(NOW + 3_601_000);
    assert.equal(after('3601'), `at ${at.toLocaleTimeString()}`);
    assert.equal(after(inSeconds(3601)), `at ${at.toLocaleTimeString()}`);
    assert.equal(after('90000'), `on ${new Date(NOW + 90_000_000).toLocaleString()}`);
    assert.equal(after('999999999'), 'later');
  });

  it('prefers the exact header of the OpenAI libraries', () => {
    assert.equal(after('60', '1500'), 'in 2 s');
    assert.equal(after('60', '-1'), 'in 60 s');
    assert.equal(after('60', 'soon'), 'in 60 s');
    assert.equal(retryTime({ 'retry-after-ms': '1500.5' }, NOW), 'in 2 s');
  });

  it('is soon if no header says when, or says nonsense', () => {
    assert.equal(retryTime({}, NOW), 'in a moment');
    for (const value of ['', '-5', 'soon', '1e9', '2026-11-20', 'Xxx GMT', '99999999999999', inSeconds(-1)])
      assert.equal(after(value), 'in a moment', value);
  });
});
