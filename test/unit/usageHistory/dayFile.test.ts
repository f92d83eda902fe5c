import assert from 'node:assert/strict';
import { HOUR } from '../../../src/shared/activity.ts';
import { OTHER_MODELS } from '../../../src/shared/usage.ts';
import { formatDay, parseDay } from '../../../src/usageHistory/dayFile.ts';
import { usageSum } from '../../support/requestRecords.ts';

const SUM = usageSum({ hour: 7 * HOUR });
const DAY = { names: { '0123456789abcdef': 'Cline' }, sums: [SUM, { ...SUM, model: '<b>"\n' }] };

describe('formatDay()', () => {
  it('makes a text that parseDay() reads', () => {
    for (const day of [DAY, { names: {}, sums: [] }]) assert.deepEqual(parseDay(formatDay(day)), day);
  });

  it('adds up all models if there are more than 5000 sums', () => {
    const sums = Array.from({ length: 5001 }, (_, index) => ({ ...SUM, model: `model ${index}` }));
    assert.deepEqual(parseDay(formatDay({ names: {}, sums: sums.slice(1) }))?.sums, sums.slice(1));
    const [sum, ...others] = parseDay(formatDay({ names: {}, sums }))?.sums ?? [];
    assert.deepEqual([sum?.model, sum?.requests, others], [OTHER_MODELS, 5 * 5001, []]);
  });
});

describe('parseDay()', () => {
  it('refuses a damaged text, and one of another version', () => {
    const text = formatDay(DAY);
    for (let length = 0; length < text.length; length++) assert.equal(parseDay(text.slice(0, length)), undefined);
    for (const wrong of [
      text.replace('"version":1', '"version":2'),
      text.replace('"Cline"', '7'),
      text.replace('glm-5"', 'glm-5",1'),
      text.replace('"12":2', '"12":-2'),
      text.replace(`[${7 * HOUR}`, `[${7 * HOUR + 1}`),
      '{"version":1,"names":{},"sums":[null]}',
      '{"version":1,"names":[],"sums":[]}',
      '{"version":1,"names":{},"sums":{}}',
      'null',
    ]) {
      assert.notEqual(wrong, text);
      assert.equal(parseDay(wrong), undefined, wrong);
    }
  });
});
