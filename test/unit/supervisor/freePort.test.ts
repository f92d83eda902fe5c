import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { freePort, ownPort } from '../../../src/supervisor/freePort.ts';
import { findHolder } from '../../../src/supervisor/portHold.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { listen } from '../../support/fakeProxy.ts';

describe('freePort()', () => {
  it('finds a port on which a program can listen', async () => {
    assert.equal(await findHolder(await freePort()), undefined);
  });
});

describe('ownPort()', () => {
  const scope = perTest();

  it('is the same for the same editor, below the ports that systems give to outgoing connections', async () => {
    const port = await ownPort('an editor');
    assert.equal(await ownPort('an editor'), port);
    assert.ok(port > 14_114 && port < 32_768, String(port));
    const others = await Promise.all(['b', 'c', 'd', 'e'].map(ownPort));
    assert.ok(others.some((other) => other !== port));
  });

  it('is another one while that port is in use, on one address or on all', async () => {
    const port = await ownPort('an editor');
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const { close } = await listen(createServer(), port, host);
      scope.onClose(close);
      const other = await ownPort('an editor');
      assert.notEqual(other, port);
      assert.equal(await findHolder(other), undefined);
      await close();
    }
    assert.equal(await ownPort('an editor'), port);
  });
});
