import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Health } from '../../../src/shared/status.ts';
import { HealthMonitor, retryDelay } from '../../../src/supervisor/healthMonitor.ts';
import type { MonitorOptions, StatusUpdate } from '../../../src/supervisor/healthMonitor.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { ACCESS_KEY, perTest } from '../../support/e2e/scope.ts';
import { respondWith } from '../../support/fakeProxy.ts';
import type { FakeProxy } from '../../support/fakeProxy.ts';
import { SECRETS, startFake } from '../../support/supervisors.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const REFUSED = { at: 1, code: 'attestation_refused', detail: 'nonce_mismatch', message: 'It was refused' };
const NETWORK = { at: 1, code: 'network', detail: 'ECONNRESET', message: 'It broke' };
const MINUTE = 60_000;

describe('HealthMonitor', () => {
  const scope = perTest();
  let fake: FakeProxy;
  let healths: EventQueue<Health>;
  let reports: EventQueue<StatusUpdate>;
  let apiKey: string | null;
  /** For how long it was lost, each time in milliseconds. */
  let lost: number[];

  beforeEach(async () => {
    fake = await startFake(scope);
    healths = new EventQueue();
    reports = new EventQueue();
    apiKey = 'api-key';
    lost = [];
  });

  const secrets = () => Promise.resolve({ ...SECRETS, apiKey, accessKeys: [ACCESS_KEY], ownKey: ACCESS_KEY });

  const open = (change: Partial<MonitorOptions> = {}): HealthMonitor => {
    const monitor = new HealthMonitor({
      port: fake.port,
      agent: undefined,
      secrets,
      checkInterval: () => 0,
      backendLimit: () => 5000,
      onUpdate: (update) => {
        if (update.health === undefined) reports.add(update);
        else healths.add(update.health);
      },
      onLost: (_found, milliseconds) => {
        lost.push(milliseconds);
      },
      ...change,
    });
    scope.onClose(() => {
      monitor.end();
      return Promise.resolve();
    });
    return monitor;
  };

  const check = async (monitor: HealthMonitor): Promise<Health> => {
    await monitor.check();
    return latest();
  };

  const latest = (): Health => {
    const health = healths.items.at(-1);
    assert.ok(health !== undefined);
    return health;
  };

  const unreachable = async (monitor: HealthMonitor) => {
    const health = await check(monitor);
    assert.ok(health.kind === 'unreachable');
    return health;
  };

  it('reports a missing API key, and probes the proxy but not the backend', async () => {
    apiKey = null;
    assert.deepEqual(await check(open()), { kind: 'noKey' });
    assert.deepEqual([fake.modelRequests, reports.items.length], [0, 1]);
  });

  it('reports the connection and its models, using the extension’s own key', async () => {
    const begin = Date.now();
    const health = await check(open());
    assert.ok(health.kind === 'connected' && health.checkedAt >= begin);
    assert.deepEqual(health.models, ['a', 'b']);
    const { authorization } = await fake.requests.find('the request', ({ path }) => path === '/v1/models');
    assert.equal(authorization, `Bearer ${ACCESS_KEY}`);
    assert.deepEqual(healths.items, [{ kind: 'checking' }, health]);
  });

  it('reports the attestation made for this check', async () => {
    fake.models = (_request, response) => {
      fake.report = { verified: { kind: 'development', moduleId: 'i-1' }, establishedAt: 7 };
      response.end('{"data":[]}');
    };
    assert.equal((await check(open())).kind, 'connected');
    assert.deepEqual(reports.items.at(-1)?.verified, { kind: 'development', moduleId: 'i-1' });
  });

  it('reports that the backend refused the API key', async () => {
    fake.models = respondWith(401, '{}', { 'www-authenticate': 'Bearer realm="backend"' });
    assert.equal((await check(open())).kind, 'keyRejected');
    for (const status of [401, 403]) {
      fake.models = respondWith(status);
      assert.equal((await check(open())).kind, 'keyRejected', String(status));
    }
  });

  it('checks again soon when the proxy itself refuses the access key, since new keys are on their way', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fake.models = respondWith(401, '{}', { 'www-authenticate': 'Bearer realm="sealed-proxy"' });
    assert.deepEqual(await check(open()), { kind: 'checking' });
    fake.models = respondWith(200, '{"data":[]}');
    const before = healths.items.length;
    mock.timers.tick(1000);
    await healths.find('the next check', ({ kind }) => kind === 'connected', before);
  });

  it('checks less and less often while checks stay inconclusive', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fake.models = respondWith(401, '{}', { 'www-authenticate': 'Bearer realm="sealed-proxy"' });
    const monitor = open();
    for (let count = 0; count < 13; count++) await check(monitor);
    const asked = fake.modelRequests;
    mock.timers.tick(30_000);
    await flushEventLoop();
    assert.equal(fake.modelRequests, asked);
    mock.timers.tick(30_000);
    await fake.requests.find('the next check', ({ path }) => path === '/v1/models', fake.requests.items.length);
  });

  it('does not explain error responses on a live session by a failed renewal', async () => {
    fake.models = respondWith(503);
    fake.report = { failure: REFUSED, verified: { kind: 'development', moduleId: null }, establishedAt: 1 };
    assert.equal((await unreachable(open())).cause, 'backend');
    fake.report = { failure: REFUSED };
    assert.equal((await unreachable(open())).cause, 'attestation');
  });

  it('reports a slow backend, both for status 504 and without any response', async () => {
    fake.models = respondWith(504);
    assert.equal((await check(open())).kind, 'slow');
    fake.models = () => undefined;
    const health = await check(open({ backendLimit: () => 100 }));
    assert.ok(health.kind === 'slow');
    assert.equal((health.retryAt ?? 0) - health.checkedAt, 5000);
  });

  it('checks again soon when the proxy closes the connection', async () => {
    fake.models = (_request, response) => response.destroy();
    assert.deepEqual(await check(open()), { kind: 'checking' });
  });

  for (const [failure, cause] of [
    [{ ...REFUSED, code: 'network', detail: 'ECONNREFUSED' }, 'network'],
    [REFUSED, 'attestation'],
    [{ ...REFUSED, detail: 'pcr0_not_approved' }, 'pcr0'],
    [{ ...REFUSED, detail: 'clock' }, 'clock'],
    [{ ...REFUSED, code: 'handshake_malformed', detail: null }, 'protocol'],
  ] as const) {
    it(`reports why the backend cannot be reached: ${cause}`, async () => {
      fake.models = respondWith(502);
      fake.report = { failure };
      const health = await unreachable(open());
      assert.deepEqual([health.cause, health.message], [cause, 'It was refused']);
      assert.equal((health.retryAt ?? 0) - health.checkedAt, 5000);
    });
  }

  it('reads the cause after the response, not before it', async () => {
    fake.models = (_request, response) => {
      fake.report = { failure: REFUSED };
      response.writeHead(502).end();
    };
    assert.equal((await unreachable(open())).cause, 'attestation');
  });

  it('derives the cause from the status when the proxy reports no failure', async () => {
    const monitor = open();
    for (const [status, body, cause] of [
      [502, '', 'network'],
      [500, '', 'backend'],
      [503, '', 'backend'],
      [429, '', 'backend'],
      [404, '', 'protocol'],
      [200, '<html>', 'protocol'],
    ] as const) {
      fake.models = respondWith(status, body);
      const health = await unreachable(monitor);
      assert.equal(health.cause, cause);
      assert.match(health.message, new RegExp(`status ${status}`));
    }
  });

  it('checks with growing delays until a check succeeds', async () => {
    const monitor = open();
    const gap = async () => {
      const health = await check(monitor);
      return 'retryAt' in health ? (health.retryAt ?? 0) - health.checkedAt : 0;
    };
    fake.models = respondWith(502);
    assert.deepEqual([await gap(), await gap()], [5000, 10_000]);
    fake.models = respondWith(504);
    assert.deepEqual([await gap(), await gap()], [20_000, 40_000]);
    fake.models = respondWith(200, '{"data":[]}');
    assert.equal(await gap(), 0);
    fake.models = respondWith(502);
    assert.equal(await gap(), 5000);
  });

  it('does not check less often after failed checks that do not count', async () => {
    const monitor = open();
    fake.models = respondWith(502);
    for (let count = 0; count < 4; count++) await monitor.check(false);
    const health = await unreachable(monitor);
    assert.equal((health.retryAt ?? 0) - health.checkedAt, 5000);
  });

  it('checks again at the time it reported', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fake.models = respondWith(502);
    const monitor = open();
    await check(monitor);
    fake.models = respondWith(200, '{"data":[]}');
    mock.timers.tick(4000);
    await flushEventLoop();
    assert.equal(fake.modelRequests, 1);
    mock.timers.tick(1001);
    await healths.find('the second check', ({ kind }) => kind === 'connected');
  });

  it('checks again after the interval, and never by itself if that is 0', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const never = open();
    await check(never);
    mock.timers.tick(10 * MINUTE);
    await flushEventLoop();
    assert.equal(fake.modelRequests, 1);
    never.end();
    await check(open({ checkInterval: () => 5 * MINUTE }));
    mock.timers.tick(5 * MINUTE);
    await fake.requests.find('the check', ({ path }) => path === '/v1/models', fake.requests.items.length);
    assert.equal(fake.modelRequests, 3);
  });

  it('applies a changed interval at once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let interval = 0;
    const monitor = open({ checkInterval: () => interval });
    await check(monitor);
    interval = MINUTE;
    monitor.reschedule();
    mock.timers.tick(MINUTE);
    await fake.requests.find('the check', ({ path }) => path === '/v1/models', fake.requests.items.length);
  });

  it('does not check continuously when the interval is longer than any timer', async () => {
    const monitor = open({ checkInterval: () => 1e15 });
    await check(monitor);
    const before = fake.requests.items.length;
    await new Promise((resolve) => {
      setTimeout(resolve, 50); // no event shows that nothing happens
    });
    assert.equal(fake.requests.items.length, before);
  });

  it('shares one check among simultaneous calls', async () => {
    const monitor = open();
    await Promise.all([monitor.check(), monitor.check(), monitor.check()]);
    assert.equal(fake.modelRequests, 1);
  });

  it('ignores the response to a check that was restarted, however late it comes', async () => {
    let respondLate: (() => void) | undefined;
    fake.models = (_request, response) => {
      respondLate = () => response.writeHead(401).end();
    };
    const monitor = open();
    const old = monitor.check();
    await fake.requests.find('the first request', ({ path }) => path === '/v1/models');
    fake.models = respondWith(200, '{"data":[]}');
    await monitor.restartCheck();
    respondLate?.();
    await old;
    assert.deepEqual(
      healths.items.map(({ kind }) => kind).filter((kind) => kind !== 'checking'),
      ['connected'],
    );
    assert.equal(latest().kind, 'connected');
  });

  it('has a result for each of several simultaneous restarts of a check', async () => {
    const monitor = open();
    const kinds = await Promise.all(
      [1, 2, 3].map(async () => {
        await monitor.restartCheck();
        return latest().kind;
      }),
    );
    assert.deepEqual(kinds, ['connected', 'connected', 'connected']);
  });

  it('checks again for a restart that comes as the check ends', async () => {
    for (let steps = 0; steps < 6; steps++) {
      let restart: (() => Promise<void>) | undefined = async () => {
        for (let step = 0; step < steps; step++) await Promise.resolve();
        await monitor.restartCheck();
      };
      const restarted = Promise.withResolvers<unknown>();
      const monitor = open({
        onUpdate: ({ health }) => {
          if (health?.kind !== 'connected') return;
          restarted.resolve(restart?.());
          restart = undefined;
        },
      });
      const before = fake.modelRequests;
      await monitor.check();
      await restarted.promise;
      assert.equal(fake.modelRequests - before, 2, `after ${steps} steps`);
    }
  });

  it('checks if the last check is older than the given age', async () => {
    const monitor = open();
    await check(monitor);
    monitor.checkIfOlder(MINUTE);
    await flushEventLoop();
    assert.equal(fake.modelRequests, 1);
    monitor.checkIfOlder(-1);
    await fake.requests.find('the check', ({ path }) => path === '/v1/models', fake.requests.items.length);
  });

  it('checks a failed connection again when the user looks at the window, unless it was just checked', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const monitor = open();
    fake.models = respondWith(502);
    await unreachable(monitor);
    fake.models = respondWith(200, '{"data":[]}');
    mock.timers.tick(10_000);
    monitor.checkIfOlder(5 * MINUTE);
    await flushEventLoop();
    assert.equal(fake.modelRequests, 1);
    mock.timers.tick(1);
    monitor.checkIfOlder(5 * MINUTE);
    await healths.find('the check', ({ kind }) => kind === 'connected');
  });

  it('checks at once after the computer has slept, and forgets earlier failures', async () => {
    mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: Date.now() });
    const monitor = open();
    fake.models = respondWith(502);
    for (let count = 0; count < 8; count++) await unreachable(monitor);
    const before = healths.items.length;
    mock.timers.setTime(Date.now() + MINUTE); // no timer fires while the computer sleeps
    mock.timers.tick(5000);
    const health = await healths.find('the check', ({ kind }) => kind === 'unreachable', before);
    assert.ok(health.kind === 'unreachable');
    assert.equal((health.retryAt ?? 0) - health.checkedAt, 5000);
  });

  it('sends no key to a port without a valid proof, reports it as lost, and checks again', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fake.proves = false;
    const monitor = open();
    assert.deepEqual(await check(monitor), { kind: 'checking' });
    assert.deepEqual([lost, fake.modelRequests], [[0], 0]);
    assert.ok(fake.requests.items.every(({ authorization }) => authorization === undefined));
    fake.proves = true;
    mock.timers.tick(1000);
    await healths.find('the next check', ({ kind }) => kind === 'connected');
  });

  it('probes the proxy every 15 seconds, and leaves the backend alone while nothing has changed', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    await check(open());
    const [asked, before] = [fake.modelRequests, reports.items.length];
    for (let count = 1; count <= 3; count++) {
      const seen = reports.items.length;
      mock.timers.tick(15_000);
      await reports.find(`report ${count}`, () => true, seen);
    }
    assert.deepEqual([fake.modelRequests, reports.items.length], [asked, before + 3]);
  });

  it('checks once when the proxy reports a later failed handshake', async () => {
    const monitor = open();
    await check(monitor);
    fake.models = respondWith(502);
    fake.report = { failure: { ...REFUSED, at: Date.now() + 1 } };
    await monitor.poll();
    assert.equal(latest().kind, 'unreachable');
    await monitor.poll();
    assert.equal(fake.modelRequests, 2);
  });

  it('does not check repeatedly while renewals fail and the session still works', async () => {
    const monitor = open();
    await check(monitor);
    fake.report = { failure: { ...REFUSED, at: Date.now() + 5 } };
    while (Date.now() < (fake.report.failure?.at ?? 0)) await flushEventLoop();
    for (let count = 0; count < 4; count++) await monitor.poll();
    assert.deepEqual([fake.modelRequests, latest().kind], [2, 'connected']);
  });

  it('checks when the proxy reports another cause than the known one', async () => {
    const monitor = open();
    fake.models = respondWith(502);
    assert.equal((await unreachable(monitor)).cause, 'network');
    fake.report = { failure: { ...REFUSED, at: Date.now() + 1 } };
    await monitor.poll();
    const health = latest();
    assert.ok(health.kind === 'unreachable' && health.cause === 'attestation');
  });

  for (const [code, cause] of [
    ['record_authentication', 'protocol'],
    ['enclave_error', 'backend'],
    ['network', 'network'],
  ] as const) {
    it(`reports why the response itself failed, complete or cut off: ${code}`, async () => {
      const failed = () => ({ requestFailure: { ...NETWORK, code, at: Date.now() } });
      const monitor = open();
      for (const breaks of [true, false]) {
        fake.models = (_request, response) => {
          fake.report = failed();
          if (breaks) response.destroy();
          else response.writeHead(502).end();
        };
        const health = await unreachable(monitor);
        assert.deepEqual([health.cause, health.message], [cause, 'It broke']);
        assert.ok((health.retryAt ?? 0) - health.checkedAt >= 5000);
      }
    });
  }

  it('reports an endless list of models as a protocol error, and checks less and less often', async () => {
    fake.models = respondWith(200, `{"data":[${'"x",'.repeat(1_200_000)}"x"]}`);
    const health = await unreachable(open());
    assert.equal(health.cause, 'protocol');
    assert.ok((health.retryAt ?? 0) - health.checkedAt >= 5000);
  });

  it('is not connected while the keys cannot be read, and recovers', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let locked = false;
    const monitor = open({ secrets: () => (locked ? Promise.reject(new Error('locked')) : secrets()) });
    await check(monitor);
    locked = true;
    assert.deepEqual(await check(monitor), { kind: 'checking' });
    locked = false;
    const before = healths.items.length;
    mock.timers.tick(1000);
    await healths.find('the next check', ({ kind }) => kind === 'connected', before);
  });

  it('checks once when the proxy reports a later failed request', async () => {
    const monitor = open();
    await check(monitor);
    fake.models = respondWith(502);
    fake.report = { requestFailure: { ...NETWORK, at: Date.now() + 1 } };
    await monitor.poll();
    assert.equal(latest().kind, 'unreachable');
    fake.report = { requestFailure: { ...NETWORK, at: Date.now() - MINUTE } };
    await monitor.poll();
    assert.equal(fake.modelRequests, 2);
  });

  for (const [status, kind] of [
    [502, 'unreachable'],
    [504, 'slow'],
    [401, 'keyRejected'],
  ] as const) {
    it(`checks when the proxy reports a later successful request: ${kind}`, async () => {
      const monitor = open();
      fake.models = respondWith(status);
      assert.equal((await check(monitor)).kind, kind);
      fake.models = respondWith(200, '{"data":[]}');
      fake.report = { servedAt: Date.now() - MINUTE };
      await monitor.poll();
      assert.equal(latest().kind, kind);
      fake.report = { servedAt: Date.now() + 1 };
      await monitor.poll();
      assert.equal(latest().kind, 'connected');
    });
  }

  it('is no longer connected when the proxy does not respond', async () => {
    const monitor = open();
    await check(monitor);
    fake.proves = false;
    await monitor.poll();
    assert.equal(latest().kind, 'checking');
    assert.equal(fake.modelRequests, 1);
  });

  it('reports for how long the proxy has not responded', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const monitor = open();
    await check(monitor);
    fake.proves = false;
    await check(monitor);
    mock.timers.tick(30_000);
    await check(monitor);
    fake.proves = true;
    await check(monitor);
    fake.proves = false;
    await check(monitor);
    assert.deepEqual(lost, [0, 30_000, 0]);
  });

  it('checks when the proxy reports a new session', async () => {
    const monitor = open();
    fake.models = respondWith(502);
    fake.report = { failure: REFUSED };
    await check(monitor);
    fake.models = respondWith(200, '{"data":[]}');
    fake.report = { verified: { kind: 'development', moduleId: null }, establishedAt: Date.now() + 1 };
    await monitor.poll();
    assert.equal(latest().kind, 'connected');
  });

  it('reports and requests nothing after its end, even if a check was running', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    fake.models = () => undefined;
    const monitor = open({ checkInterval: () => MINUTE });
    const checking = monitor.check();
    await fake.requests.find('the request', ({ path }) => path === '/v1/models');
    monitor.end();
    await checking;
    const [reported, asked] = [healths.items.length, fake.requests.items.length];
    mock.timers.tick(60 * MINUTE);
    await Promise.all([monitor.check(), monitor.restartCheck(), flushEventLoop()]);
    assert.deepEqual([healths.items.length, fake.requests.items.length, lost], [reported, asked, []]);
  });
});

describe('retryDelay()', () => {
  it('is 5, 10, 20 … seconds, and at most five minutes', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => retryDelay(failures));
    assert.deepEqual(delays, [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('is at most a minute if the backend was not reached', () => {
    const delays = [1, 4, 5, 100].map((failures) => retryDelay(failures, true));
    assert.deepEqual(delays, [5000, 40_000, 60_000, 60_000]);
  });
});
