import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ClientWatch } from '../../../../src/devEnclave/transport/clientWatch.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';

describe('waiting for room in a socket', () => {
  it('lets the event loop turn when the socket is gone and the news is still under way', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const watch = new ClientWatch(response);
    let over = false;
    const waiting = watch.drained().then(() => {
      over = true;
    });
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    assert.ok(!over);
    await withTimeout('one turn of the event loop', DEADLINE, waiting);
  });

  it('is given up when the client goes away', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const watch = new ClientWatch(response);
    const waiting = watch.drained();
    response.emit('close');
    await assert.rejects(waiting, { name: 'AbortError' });
    await assert.rejects(watch.drained(), { name: 'AbortError' });
    assert.equal(await watch.ended, 'client-cancelled');
  });
});
