import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { findHolder, holderFor } from '../../../src/supervisor/portHold.ts';
import { bindPort } from '../../support/boundPort.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { listen } from '../../support/fakeProxy.ts';

describe('findHolder()', () => {
  const scope = perTest();

  it('finds none for a free port, and leaves the port free', async () => {
    const port = await freePort();
    assert.equal(await findHolder(port), undefined);
    assert.equal(await findHolder(port), undefined);
  });

  it('finds a program that has bound the port without listening, until that ends', async () => {
    const { port, release } = await bindPort(scope);
    assert.equal(await findHolder(port), 'program');
    await release();
    assert.equal(await findHolder(port), undefined);
  });

  it('finds a program that listens', async () => {
    const { port, close } = await listen(createServer());
    scope.onClose(close);
    assert.equal(await findHolder(port), 'program');
  });
});

describe('holderFor()', () => {
  it('knows from the error that the system has reserved the port', () => {
    assert.equal(holderFor(Object.assign(new Error('x'), { code: 'EACCES' })), 'system');
    assert.equal(holderFor(Object.assign(new Error('x'), { code: 'EADDRINUSE' })), 'program');
  });
});
