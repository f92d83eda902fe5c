import assert from 'node:assert/strict';
import { messages } from '../../../src/dialects/messages/messages.ts';
import { IDENTITY } from '../../support/responsesDialect.ts';
import { replyTarget } from '../replies.ts';

export const target = replyTarget({
  createReply: (stream) =>
    messages.createReply({ model: 'm', stream, hidesThinking: false, inputEstimate: 7 }, IDENTITY),
  checkStream,
});

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
}

/** One start, blocks that are numbered and do not overlap, and one end. */
function checkStream(stream: string): void {
  const events = [...stream.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, name, json = '']) => {
    const event = JSON.parse(json) as StreamEvent;
    assert.equal(event.type, name);
    return event;
  });
  assert.equal(stream.replaceAll(/^event: .*\ndata: .*\n\n/gm, ''), '', 'something else than events');
  const types = events.map(({ type }) => type);
  assert.equal(types.indexOf('message_start'), 0);
  const ends = types.filter((type) => type === 'message_stop' || type === 'error');
  assert.deepEqual(ends, types.slice(-1), 'the end');
  let next = 0;
  let open: number | undefined;
  for (const { type, index } of events) {
    if (type === 'content_block_start') {
      assert.equal(open, undefined);
      assert.equal(index, next++);
      open = index;
    } else if (type === 'content_block_delta' || type === 'content_block_stop') {
      assert.notEqual(open, undefined);
      assert.equal(index, open);
      if (type === 'content_block_stop') open = undefined;
    } else if (type === 'message_stop' || type === 'message_delta') {
      assert.equal(open, undefined);
    }
  }
}
