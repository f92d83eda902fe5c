import assert from 'node:assert/strict';
import { responses } from '../../../src/dialects/responses/responses.ts';
import { CODEX_REQUEST, IDENTITY, eventsOf, translate } from '../../support/responsesDialect.ts';
import { replyTarget } from '../replies.ts';

const { plan } = translate(CODEX_REQUEST);
const ENDS = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

export const target = replyTarget({
  createReply: (stream) => responses.createReply({ ...plan, stream }, IDENTITY),
  checkStream,
});

/** One start, numbers without gaps, items that begin and end once, and one end. */
function checkStream(stream: string): void {
  const events = eventsOf(stream);
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, index) => index),
  );
  const types = events.map(({ type }) => type);
  assert.equal(types.indexOf('response.created'), 0);
  assert.deepEqual(
    types.filter((type) => ENDS.includes(type)),
    types.slice(-1),
    'the end',
  );
  const open = new Set<number>();
  let next = 0;
  for (const event of events) {
    if (event.type === 'response.output_item.added') {
      assert.equal(event.output_index, next++);
      open.add(event.output_index);
    } else if (event.type === 'response.output_item.done') {
      assert.ok(open.delete(event.output_index), 'an item ends twice, or has not begun');
    } else if ('output_index' in event) {
      assert.ok(open.has(event.output_index), `${event.type} outside an item`);
    } else if (event.type === 'response.completed') {
      assert.equal(open.size, 0);
      assert.equal(event.response.output.length, next);
    }
  }
}
