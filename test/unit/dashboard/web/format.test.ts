import assert from 'node:assert/strict';
import { formatsFor } from '../../../../src/dashboard/web/format.ts';

const english = formatsFor('en-GB');
const german = formatsFor('de');
const NOW = new Date(2026, 10, 22, 12, 0, 0).getTime();

describe('formatsFor', () => {
  it('writes numbers in the language of the user', () => {
    assert.equal(english.number(1234567.4), '1,234,567');
    assert.equal(german.number(1234567), '1.234.567');
    assert.equal(english.number(null), '–');
    assert.equal(english.number(0), '0');
    assert.equal(formatsFor('en-US').compact(1_234_567), '1.23M');
  });

  it('writes durations in milliseconds, seconds or minutes', () => {
    assert.deepEqual(
      [null, 0, 999.4, 1000, 59_940, 60_000, 3_725_000].map((value) => english.duration(value)),
      ['–', '0 ms', '999 ms', '1.0 s', '59.9 s', '1 min 0 s', '62 min 5 s'],
    );
    assert.equal(german.duration(1250), '1,3 s');
  });

  it('never rounds up to a full unit', () => {
    assert.equal(english.duration(999.6), '1.0 s');
    assert.equal(english.duration(59_990), '1 min 0 s');
  });

  it('writes the day of a time only if it is not today', () => {
    assert.equal(english.clock(NOW - 1000, NOW), '11:59:59');
    assert.equal(english.clock(NOW - 24 * 3_600_000, NOW), '21 Nov, 12:00:00');
  });

  it('writes how long ago something was', () => {
    const ages = [0, 59_000, 60_000, 3_600_000, 5 * 3_600_000, 24 * 3_600_000, 40 * 24 * 3_600_000];
    assert.deepEqual(
      ages.map((age) => english.ago(NOW - age, NOW)),
      ['now', 'now', '1 minute ago', '1 hour ago', '5 hours ago', 'yesterday', '40 days ago'],
    );
    assert.equal(english.ago(NOW + 60_000, NOW), 'now');
  });

  it('writes dates', () => {
    assert.equal(english.date(NOW), '22 Nov 2026');
    assert.equal(english.dateTime(NOW), '22 Nov 2026, 12:00');
    assert.equal(english.minute(NOW, NOW), '12:00');
    assert.equal(english.minute(NOW - 86_400_000, NOW), '21 Nov 2026, 12:00');
  });

  it('writes no time that no calendar has', () => {
    const { clock, date, dateTime, ago } = english;
    for (const time of [NaN, Infinity, -Infinity, 1e300])
      assert.deepEqual([clock(time, NOW), date(time), dateTime(time), ago(time, NOW)], ['–', '–', '–', '–'], `${time}`);
    assert.equal(english.dateTime(8.64e15).length > 1, true);
  });
});
