import assert from 'node:assert/strict';
import { ChatError } from '../../../src/chat/chatError.ts';
import type { ChatErrorKind } from '../../../src/chat/chatError.ts';
import { ConnectionWait } from '../../../src/chat/connectionWait.ts';
import type { Health, ProxyStatus } from '../../../src/shared/status.ts';
import { RUNNING } from '../../support/diagnostics.ts';

const running = (health: Health): ProxyStatus => ({ ...RUNNING, health });
const CONNECTED = running({ kind: 'connected', models: [], catalogue: {}, checkedAt: 0 });
const CHECKING = running({ kind: 'checking' });
const TAKEN: ProxyStatus = { kind: 'portTaken', port: 14114, by: 'program' };

const noCheck = () => Promise.resolve();
const never = () => new AbortController().signal;
const failure = (kind: ChatErrorKind, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ChatError);
  assert.equal(error.kind, kind);
  assert.match(error.message, message);
  return true;
};

describe('ConnectionWait', () => {
  it('does not wait while the proxy is connected', async () => {
    const wait = new ConnectionWait(noCheck);
    wait.update(CONNECTED);
    await wait.connected(never(), never());
  });

  it('waits through all other states, for all requests', async () => {
    const wait = new ConnectionWait(noCheck);
    let over = 0;
    const requests = Array.from({ length: 20 }, async () => {
      await wait.connected(never(), never());
      over++;
    });
    for (const status of [{ kind: 'off' }, { kind: 'starting' }, TAKEN, CHECKING] as const) {
      wait.update(status);
      await Promise.resolve();
    }
    assert.equal(over, 0);
    wait.update(CONNECTED);
    await Promise.all(requests);
  });

  it('checks the connection until it is there', async () => {
    let checks = 0;
    const wait = new ConnectionWait(async () => {
      if (++checks === 1) throw new Error('The keys cannot be read');
      wait.update(checks < 4 ? CHECKING : CONNECTED);
      return Promise.resolve();
    }, 1);
    wait.update(CHECKING);
    await wait.connected(never(), never());
    assert.equal(checks, 4);
    await wait.connected(never(), never());
    assert.equal(checks, 4);
  });

  it('fails after the deadline with the cause and the remedy', async () => {
    for (const [status, message] of [
      [{ kind: 'off' }, /is off .* Your prompt was not sent\. .* run "Sealed Proxy: Start"\.$/],
      [{ kind: 'starting' }, /^Sealed Proxy is starting\. Your prompt was not sent\. Try again in a moment\.$/],
      [TAKEN, /port 14114 is used by another program\. .* Use a free port/],
      [CHECKING, /checking the connection to the backend\. Your prompt was not sent\. Try again in a moment\.$/],
    ] as const) {
      const wait = new ConnectionWait(noCheck);
      const deadline = new AbortController();
      wait.update(status);
      const request = wait.connected(deadline.signal, never());
      deadline.abort();
      await assert.rejects(request, failure('other', message));
      await assert.rejects(wait.connected(deadline.signal, never()), failure('other', message));
    }
  });

  it('fails at once if only a new API key can help', async () => {
    const wait = new ConnectionWait(noCheck);
    const request = wait.connected(never(), never());
    wait.update(running({ kind: 'noKey' }));
    await assert.rejects(request, failure('noPermissions', /needs an API key\..* run Set API Key\.$/));
    wait.update(running({ kind: 'keyRejected', checkedAt: 0 }));
    await assert.rejects(wait.connected(never(), never()), failure('noPermissions', /refused the API key/));
  });

  it('ends when the request is cancelled', async () => {
    const wait = new ConnectionWait(noCheck);
    const abort = new AbortController();
    const request = wait.connected(never(), abort.signal);
    abort.abort();
    await assert.rejects(request, { name: 'AbortError' });
  });

  it('checks again, at most until a signal aborts', async () => {
    let checks = 0;
    const quick = new ConnectionWait(() => {
      checks++;
      return Promise.resolve();
    });
    await quick.recheck(never(), never());
    assert.equal(checks, 1);
    await quick.recheck(AbortSignal.abort(), never());
    assert.equal(checks, 1);
    const slow = new ConnectionWait(() => new Promise(() => undefined));
    const abort = new AbortController();
    const check = slow.recheck(never(), abort.signal);
    abort.abort();
    await check;
  });
});
