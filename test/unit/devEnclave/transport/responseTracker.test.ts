import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ResponseTracker } from '../../../../src/devEnclave/transport/responseTracker.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';

describe('ResponseTracker.drained()', () => {
  it('lets the event loop turn if the socket is closed but the event has not arrived', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const tracker = new ResponseTracker(response);
    let over = false;
    const waiting = tracker.drained().then(() => {
      over = true;
    });
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    assert.ok(!over);
    await withTimeout('one turn of the event loop', DEADLINE, waiting);
  });

  it('rejects when the client disconnects', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const tracker = new ResponseTracker(response);
    const waiting = tracker.drained();
    response.emit('close');
    await assert.rejects(waiting, { name: 'AbortError' });
    await assert.rejects(tracker.drained(), { name: 'AbortError' });
    assert.equal(await tracker.ended, 'client-cancelled');
  });
});
