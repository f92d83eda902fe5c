import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { HealthMonitor } from '../../../src/supervisor/healthMonitor.ts';
import type { MonitorOptions } from '../../../src/supervisor/healthMonitor.ts';
import { VerifiedConnection, probe } from '../../../src/supervisor/localProxy.ts';
import type { ProxyReport } from '../../../src/shared/ownership.ts';
import type { Health } from '../../../src/shared/status.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { ACCESS_KEY, perTest } from '../../support/e2e/scope.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';
import { FakeProxy, answerWith } from '../../support/fakeProxy.ts';

const SECRET = randomBytes(32);
const REFUSED = { at: 1, code: 'attestation_refused', detail: 'nonce_mismatch', message: 'It was refused' };
const NETWORK = { at: 1, code: 'network', detail: 'ECONNRESET', message: 'It broke' };
const MINUTE = 60_000;

describe('The monitor of a running proxy', () => {
  const scope = perTest();
  let fake: FakeProxy;
  let healths: EventQueue<Health>;
  let reports: EventQueue<ProxyReport>;
  let keys: { accessKey: string; hasApiKey: boolean };
  let lost: number;

  beforeEach(async () => {
    fake = await FakeProxy.start(SECRET);
    scope.onClose(() => fake.close());
    healths = new EventQueue();
    reports = new EventQueue();
    keys = { accessKey: ACCESS_KEY, hasApiKey: true };
    lost = 0;
  });

  afterEach(() => {
    mock.timers.reset();
  });

  const open = (change: Partial<MonitorOptions> = {}): HealthMonitor => {
    const monitor = new HealthMonitor({
      probe: () => probe(fake.port, SECRET),
      line: () => Promise.resolve(new VerifiedConnection(fake.port, SECRET)),
      keys: () => Promise.resolve({ ...keys }),
      checkInterval: () => 0,
      backendLimit: () => 5000,
      onHealth: (health) => {
        healths.add(health);
      },
      onReport: (report) => {
        reports.add(report);
      },
      onLost: () => {
        lost++;
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
    return monitor.health;
  };

  const unreachable = async (monitor: HealthMonitor) => {
    const health = await check(monitor);
    assert.ok(health.kind === 'unreachable');
    return health;
  };

  it('says that there is no key, and asks the port whose it is but not the backend', async () => {
    keys.hasApiKey = false;
    assert.deepEqual(await check(open()), { kind: 'noKey' });
    assert.deepEqual([fake.asked, reports.items.length], [0, 1]);
  });

  it('says that it is connected, and to which models, by the extension’s own key', async () => {
    const begin = Date.now();
    const health = await check(open());
    assert.ok(health.kind === 'connected' && health.checkedAt >= begin);
    assert.deepEqual(health.models, ['a', 'b']);
    const { authorization } = await fake.requests.find('the question', ({ path }) => path === '/v1/models');
    assert.equal(authorization, `Bearer ${ACCESS_KEY}`);
    assert.deepEqual(healths.items, [{ kind: 'checking' }, health]);
  });

  it('passes on what the proxy proved for this very answer', async () => {
    fake.models = (_request, response) => {
      fake.report = { verified: { kind: 'development', moduleId: 'i-1' }, establishedAt: 7 };
      response.end('{"data":[]}');
    };
    assert.equal((await check(open())).kind, 'connected');
    assert.deepEqual(reports.items.at(-1)?.verified, { kind: 'development', moduleId: 'i-1' });
  });

  it('says that the backend refused the key', async () => {
    fake.models = answerWith(401, '{}', { 'www-authenticate': 'Bearer realm="backend"' });
    assert.equal((await check(open())).kind, 'keyRejected');
    fake.models = answerWith(401);
    assert.equal((await check(open())).kind, 'keyRejected');
  });

  it('takes the proxy’s own refusal for what it is: the keys are on their way, and it asks again soon', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fake.models = answerWith(401, '{}', { 'www-authenticate': 'Bearer realm="sealed-proxy"' });
    assert.deepEqual(await check(open()), { kind: 'checking' });
    fake.models = answerWith(200, '{"data":[]}');
    const before = healths.items.length;
    mock.timers.tick(1000);
    await healths.find('the next check', ({ kind }) => kind === 'connected', before);
  });

  it('asks less and less often where that lasts', async () => {
    fake.models = answerWith(401, '{}', { 'www-authenticate': 'Bearer realm="sealed-proxy"' });
    const monitor = open();
    for (let count = 0; count < 12; count++) await check(monitor);
    mock.timers.enable({ apis: ['setTimeout'] });
    await check(monitor);
    const asked = fake.asked;
    mock.timers.tick(30_000);
    await flushEventLoop();
    assert.equal(fake.asked, asked);
    mock.timers.tick(30_000);
    await fake.requests.find('the next check', ({ path }) => path === '/v1/models', fake.requests.items.length);
  });

  it('does not blame a renewal that failed for what the session that stands answers', async () => {
    fake.models = answerWith(503);
    fake.report = { failure: REFUSED, verified: { kind: 'development', moduleId: null }, establishedAt: 1 };
    assert.equal((await unreachable(open())).cause, 'backend');
    fake.report = { failure: REFUSED };
    assert.equal((await unreachable(open())).cause, 'attestation');
  });

  it('says that the backend is slow: by 504, and where no answer comes at all', async () => {
    fake.models = answerWith(504);
    assert.equal((await check(open())).kind, 'slow');
    fake.models = () => undefined;
    const health = await check(open({ backendLimit: () => 100 }));
    assert.ok(health.kind === 'slow');
    assert.equal((health.retryAt ?? 0) - health.checkedAt, 5000);
  });

  it('does not call a proxy slow that breaks off: it asks again soon', async () => {
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
    it(`says why the backend cannot be reached, as the proxy reports it: ${cause}`, async () => {
      fake.models = answerWith(502);
      fake.report = { failure };
      const health = await unreachable(open());
      assert.deepEqual([health.cause, health.message], [cause, 'It was refused']);
      assert.equal((health.retryAt ?? 0) - health.checkedAt, 5000);
    });
  }

  it('asks for the cause after the answer, not before it', async () => {
    fake.models = (_request, response) => {
      fake.report = { failure: REFUSED };
      response.writeHead(502).end();
    };
    assert.equal((await unreachable(open())).cause, 'attestation');
  });

  it('names the network where an exchange failed and no handshake did, the backend for its own errors, else the protocol', async () => {
    const monitor = open();
    for (const [status, body, cause] of [
      [502, '', 'network'],
      [500, '', 'backend'],
      [503, '', 'backend'],
      [429, '', 'backend'],
      [404, '', 'protocol'],
      [200, '<html>', 'protocol'],
    ] as const) {
      fake.models = answerWith(status, body);
      const health = await unreachable(monitor);
      assert.equal(health.cause, cause);
      assert.match(health.message, new RegExp(`status ${status}`));
    }
  });

  it('tries again with growing gaps, which success and nothing else ends', async () => {
    const monitor = open();
    const gap = async () => {
      const health = await check(monitor);
      return 'retryAt' in health ? (health.retryAt ?? 0) - health.checkedAt : 0;
    };
    fake.models = answerWith(502);
    assert.deepEqual([await gap(), await gap()], [5000, 10_000]);
    fake.models = answerWith(504);
    assert.deepEqual([await gap(), await gap()], [20_000, 40_000]);
    fake.models = answerWith(200, '{"data":[]}');
    assert.equal(await gap(), 0);
    fake.models = answerWith(502);
    assert.equal(await gap(), 5000);
  });

  it('tries again by itself when it said it would', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fake.models = answerWith(502);
    const monitor = open();
    await check(monitor);
    fake.models = answerWith(200, '{"data":[]}');
    mock.timers.tick(4000);
    await flushEventLoop();
    assert.equal(fake.asked, 1);
    mock.timers.tick(1001);
    await healths.find('the second check', ({ kind }) => kind === 'connected');
  });

  it('checks again after the interval, and never by itself where that is 0', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const never = open();
    await check(never);
    mock.timers.tick(10 * MINUTE);
    await flushEventLoop();
    assert.equal(fake.asked, 1);
    never.end();
    await check(open({ checkInterval: () => 5 * MINUTE }));
    mock.timers.tick(5 * MINUTE);
    await fake.requests.find('the check', ({ path }) => path === '/v1/models', fake.requests.items.length);
    assert.equal(fake.asked, 3);
  });

  it('takes another interval at once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let interval = 0;
    const monitor = open({ checkInterval: () => interval });
    await check(monitor);
    interval = MINUTE;
    monitor.reschedule();
    mock.timers.tick(MINUTE);
    await fake.requests.find('the check', ({ path }) => path === '/v1/models', fake.requests.items.length);
  });

  it('does not hammer the backend where the interval is longer than any timer', async () => {
    const monitor = open({ checkInterval: () => 1e15 });
    await check(monitor);
    const before = fake.requests.items.length;
    await new Promise((resolve) => {
      setTimeout(resolve, 50); // there is nothing to wait for: nothing must come
    });
    assert.equal(fake.requests.items.length, before);
  });

  it('checks once for all who ask at the same time', async () => {
    const monitor = open();
    await Promise.all([monitor.check(), monitor.check(), monitor.check()]);
    assert.equal(fake.asked, 1);
  });

  it('checks anew with another key: the answer to the old one does not count, however late it comes', async () => {
    let answerOld: (() => void) | undefined;
    fake.models = (_request, response) => {
      answerOld = () => response.writeHead(401).end();
    };
    const monitor = open();
    const old = monitor.check();
    await fake.requests.find('the first question', ({ path }) => path === '/v1/models');
    fake.models = answerWith(200, '{"data":[]}');
    await monitor.checkAnew();
    answerOld?.();
    await old;
    assert.deepEqual(
      healths.items.map(({ kind }) => kind).filter((kind) => kind !== 'checking'),
      ['connected'],
    );
    assert.equal(monitor.health.kind, 'connected');
  });

  it('has an answer for all who ask anew at the same time', async () => {
    const monitor = open();
    const kinds = await Promise.all(
      [1, 2, 3].map(async () => {
        await monitor.checkAnew();
        return monitor.health.kind;
      }),
    );
    assert.deepEqual(kinds, ['connected', 'connected', 'connected']);
  });

  it('checks when the last check is older than so long', async () => {
    const monitor = open();
    await check(monitor);
    monitor.checkIfOlder(MINUTE);
    await flushEventLoop();
    assert.equal(fake.asked, 1);
    monitor.checkIfOlder(-1);
    await fake.requests.find('the check', ({ path }) => path === '/v1/models', fake.requests.items.length);
  });

  it('sends no key to a port that does not prove to be ours, says that it is lost, and asks again', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fake.proves = false;
    const monitor = open();
    assert.deepEqual(await check(monitor), { kind: 'checking' });
    assert.deepEqual([lost, fake.asked], [1, 0]);
    assert.ok(fake.requests.items.every(({ authorization }) => authorization === undefined));
    fake.proves = true;
    mock.timers.tick(1000);
    await healths.find('the next check', ({ kind }) => kind === 'connected');
  });

  it('asks the proxy every 15 seconds, and not the backend while nothing has changed', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    await check(open());
    const [asked, before] = [fake.asked, reports.items.length];
    for (let count = 1; count <= 3; count++) {
      const seen = reports.items.length;
      mock.timers.tick(15_000);
      await reports.find(`report ${count}`, () => true, seen);
    }
    assert.deepEqual([fake.asked, reports.items.length], [asked, before + 3]);
  });

  it('checks when the proxy reports that a handshake failed since, once', async () => {
    const monitor = open();
    await check(monitor);
    fake.models = answerWith(502);
    fake.report = { failure: { ...REFUSED, at: Date.now() + 1 } };
    await monitor.look();
    assert.equal(monitor.health.kind, 'unreachable');
    await monitor.look();
    assert.equal(fake.asked, 2);
  });

  it('does not ask the backend again and again while a renewal fails and the session still serves', async () => {
    const monitor = open();
    await check(monitor);
    fake.report = { failure: { ...REFUSED, at: Date.now() + 5 } };
    while (Date.now() < (fake.report.failure?.at ?? 0)) await flushEventLoop();
    for (let count = 0; count < 4; count++) await monitor.look();
    assert.deepEqual([fake.asked, monitor.health.kind], [2, 'connected']);
  });

  it('checks when the proxy reports another reason than the one that was known', async () => {
    const monitor = open();
    fake.models = answerWith(502);
    assert.equal((await unreachable(monitor)).cause, 'network');
    fake.report = { failure: { ...REFUSED, at: Date.now() + 1 } };
    await monitor.look();
    assert.ok(monitor.health.kind === 'unreachable' && monitor.health.cause === 'attestation');
  });

  for (const [code, cause] of [
    ['record_authentication', 'protocol'],
    ['enclave_error', 'backend'],
    ['network', 'network'],
  ] as const) {
    it(`says why the answer itself failed, whole or broken off: ${code}`, async () => {
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

  it('calls a list of models without an end a fault of the protocol, and asks less and less often', async () => {
    fake.models = answerWith(200, `{"data":[${'"x",'.repeat(1_200_000)}"x"]}`);
    const health = await unreachable(open());
    assert.equal(health.cause, 'protocol');
    assert.ok((health.retryAt ?? 0) - health.checkedAt >= 5000);
  });

  it('goes on where the keys cannot be read, and is not connected until they can', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let locked = false;
    const monitor = open({ keys: () => (locked ? Promise.reject(new Error('locked')) : Promise.resolve({ ...keys })) });
    await check(monitor);
    locked = true;
    assert.deepEqual(await check(monitor), { kind: 'checking' });
    locked = false;
    const before = healths.items.length;
    mock.timers.tick(1000);
    await healths.find('the next check', ({ kind }) => kind === 'connected', before);
  });

  it('checks when the proxy reports that a request of somebody else failed since, once', async () => {
    const monitor = open();
    await check(monitor);
    fake.models = answerWith(502);
    fake.report = { requestFailure: { ...NETWORK, at: Date.now() + 1 } };
    await monitor.look();
    assert.equal(monitor.health.kind, 'unreachable');
    fake.report = { requestFailure: { ...NETWORK, at: Date.now() - MINUTE } };
    await monitor.look();
    assert.equal(fake.asked, 2);
  });

  for (const [status, kind] of [
    [502, 'unreachable'],
    [504, 'slow'],
    [401, 'keyRejected'],
  ] as const) {
    it(`checks when the proxy reports that a request of somebody else was served since: ${kind}`, async () => {
      const monitor = open();
      fake.models = answerWith(status);
      assert.equal((await check(monitor)).kind, kind);
      fake.models = answerWith(200, '{"data":[]}');
      fake.report = { servedAt: Date.now() - MINUTE };
      await monitor.look();
      assert.equal(monitor.health.kind, kind);
      fake.report = { servedAt: Date.now() + 1 };
      await monitor.look();
      assert.equal(monitor.health.kind, 'connected');
    });
  }

  it('is not connected any more when the proxy does not answer: no light stays green by itself', async () => {
    const monitor = open();
    await check(monitor);
    fake.proves = false;
    await monitor.look();
    assert.equal(monitor.health.kind, 'checking');
    assert.equal(fake.asked, 1);
  });

  it('checks when the proxy reports that a session stands again', async () => {
    const monitor = open();
    fake.models = answerWith(502);
    fake.report = { failure: REFUSED };
    await check(monitor);
    fake.models = answerWith(200, '{"data":[]}');
    fake.report = { verified: { kind: 'development', moduleId: null }, establishedAt: Date.now() + 1 };
    await monitor.look();
    assert.equal(monitor.health.kind, 'connected');
  });

  it('says nothing and asks nothing after its end, whatever was under way', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    fake.models = () => undefined;
    const monitor = open({ checkInterval: () => MINUTE });
    const checking = monitor.check();
    await fake.requests.find('the question', ({ path }) => path === '/v1/models');
    monitor.end();
    await checking;
    const [said, asked] = [healths.items.length, fake.requests.items.length];
    mock.timers.tick(60 * MINUTE);
    await Promise.all([monitor.check(), monitor.checkAnew(), flushEventLoop()]);
    assert.deepEqual([healths.items.length, fake.requests.items.length, lost], [said, asked, 0]);
  });
});
