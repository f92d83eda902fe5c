import assert from 'node:assert/strict';
import { serviceTierOf } from '../../../src/dialects/serviceTier.ts';

describe('serviceTierOf()', () => {
  it('reads the tier of an event or of a complete response', () => {
    assert.equal(serviceTierOf('{"choices":[],"service_tier": "flex"}'), 'flex');
    assert.equal(serviceTierOf('{"choices":[]}'), undefined);
  });

  it('does not take the words of the model, or other values, for a tier', () => {
    const said = JSON.stringify({ choices: [{ delta: { content: '"service_tier":"flex"', service_tier: 'flex' } }] });
    for (const json of [
      ...[said, '{"service_tier":null}', '{"service_tier":["flex"]}', '{"service_tier":""}', '"service_tier":"flex"'],
      ...['{"service_tier":"a b"}', `{"service_tier":"${'x'.repeat(65)}"}`, '[DONE]', ''],
    ]) {
      assert.equal(serviceTierOf(json), undefined, json);
    }
  });
});
