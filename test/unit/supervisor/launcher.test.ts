import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { digestKeySet } from '../../../src/shared/ownership.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { Launcher } from '../../../src/supervisor/launcher.ts';
import { Phase } from '../../../src/supervisor/phase.ts';
import { trustFingerprint } from '../../../src/supervisor/portClaim.ts';
import { HEALTH_LIMIT } from '../../../src/supervisor/portProbe.ts';
import type { SupervisorSecrets } from '../../../src/supervisor/supervisorHost.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { listen } from '../../support/fakeProxy.ts';
import type { FakeProxy } from '../../support/fakeProxy.ts';
import { SETTINGS as DEFAULTS, SECRET, SECRETS, startFake } from '../../support/supervisors.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

const SETTINGS = { ...DEFAULTS, port: 0 };
/** Echoes each message into the log, and ends when it is asked to. */
const ECHO = `process.on('message', (message) => {
  process.stderr.write(JSON.stringify(message) + '\\n');
  if (message.type === 'stop') process.disconnect();
});`;
const onStart = (...messages: readonly object[]) =>
  `${ECHO} process.on('message', ({ type }) => { if (type === 'start') { ${messages
    .map((message) => `process.send(${JSON.stringify(message)});`)
    .join(' ')} } });`;

const secretsWith = (accessKeys: readonly string[]) => ({ ...SECRETS, apiKey: null, accessKeys });

describe('Launcher', () => {
  const scope = perTest();
  let log: EventQueue<string>;
  let events: EventQueue<string>;
  let accessKeys: readonly string[];
  let readSecrets: () => Promise<SupervisorSecrets>;
  let fake: FakeProxy;

  beforeEach(async () => {
    [log, events, accessKeys] = [new EventQueue(), new EventQueue(), ['a']];
    readSecrets = () => Promise.resolve(secretsWith(accessKeys));
    fake = await startFake(scope);
    fake.report = {
      keySetDigest: digestKeySet(SECRET, null, accessKeys),
      trustFingerprint: trustFingerprint(SETTINGS),
    };
  });

  /** Launches this code in place of the proxy. */
  const open = (source: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-launcher-'));
    const module = join(folder, 'fake.cjs');
    writeFileSync(module, source);
    const launcher = new Launcher(
      {
        module,
        cwd: folder,
        version: VERSION,
        settings: () => SETTINGS,
        network: () => ({}),
        checkInterval: () => 0,
        secrets: () => readSecrets(),
        onStatus: () => undefined,
        onLog: (line) => {
          log.add(line);
        },
        onKeyUsed: (id) => {
          events.add(`used ${id}`);
        },
        onUsage: () => undefined,
        onChatAnswered: (id) => {
          events.add(`answered ${id}`);
        },
        onRefused: (problems) => {
          for (const { setting } of problems) events.add(`refused ${setting}`);
        },
      },
      (event) => {
        events.add(event);
      },
    );
    scope.onClose(async () => {
      await launcher.stop();
      rmSync(folder, { recursive: true });
    });
    return launcher;
  };
  const acquire = (launcher: Launcher, change: Partial<typeof SETTINGS> = {}, phase = new Phase()) =>
    withTimeout(
      'the outcome',
      DEADLINE,
      launcher.acquire(phase, { settings: { ...SETTINGS, ...change }, network: {} }, true),
    );
  const ready = () => ({ type: 'ready', url: '', port: fake.port, version: '' });
  const types = () => log.items.map((line) => (JSON.parse(line) as { type: string }).type);

  it('starts a process with all it needs, and confirms that it serves the port with the current keys', async () => {
    const ownership = await acquire(open(onStart(ready())));
    assert.ok(ownership.kind === 'owner');
    assert.equal(ownership.port, fake.port);
    const message: unknown = JSON.parse(await log.find('the first message', () => true));
    const secrets = { apiKey: null, accessKeys: ['a'], ownership: SECRET.toString('base64') };
    const rest = { cacheNamespaceRoot: 'root', network: {}, trustFingerprint: trustFingerprint(SETTINGS) };
    assert.deepEqual(message, { type: 'start', settings: SETTINGS, secrets, ...rest });
  });

  it('joins or is blocked by a proxy on the port, without a process', async () => {
    const launcher = open(onStart());
    assert.equal((await acquire(launcher, { port: fake.port })).kind, 'client');
    fake.proves = false;
    assert.equal((await acquire(launcher, { port: fake.port })).kind, 'blocked');
    assert.deepEqual(log.items, []);
  });

  it('refuses invalid settings, without a process', async () => {
    const failing = acquire(open(onStart()), { backendUrl: 'http://enclave.example', requestTimeoutSeconds: 0 });
    await assert.rejects(failing, { name: 'Error', reason: 'setting', message: /^sealedProxy\.backendUrl/ });
    assert.deepEqual(events.items, ['refused backendUrl', 'refused requestTimeoutSeconds']);
    assert.deepEqual(log.items, []);
  });

  it('probes again if another program has taken the port meanwhile', async () => {
    const port = await freePort();
    const launcher = open(onStart({ type: 'failed', code: 'port_taken', setting: 'port', message: 'taken' }));
    const ownership = await acquire(launcher, { port });
    assert.ok(ownership.kind === 'blocked');
    assert.deepEqual(ownership.status, { kind: 'portTaken', port, by: 'silent' });
    assert.deepEqual(ownership.found, { kind: 'held', by: 'program' });
    await log.find('the request to end', (line) => line.includes('"stop"'));
    assert.equal(types().filter((type) => type === 'start').length, 3);
    assert.deepEqual(events.items, []);
  });

  it('starts when the proxy on the port was only ending', async () => {
    const server = createServer((_req, res) => {
      server.close();
      res.writeHead(200, { connection: 'close' }).end('{"service":"sealed-proxy"}');
    });
    const { port, close } = await listen(server);
    scope.onClose(close);
    const ownership = await acquire(open(onStart(ready())), { port });
    assert.equal(ownership.kind, 'owner');
  });

  it('does not ask an older proxy for the port once it would not start any more', async () => {
    const port = await freePort();
    // Each time, an older window's proxy is faster.
    const launcher = open(`${ECHO} process.on('message', ({ type }) => {
      const tryPort = () => {
        const socket = require('node:net').connect(${port}, '127.0.0.1', () => {
          socket.destroy();
          process.send({ type: 'failed', code: 'port_taken', setting: 'port', message: 'taken' });
        });
        socket.on('error', () => setTimeout(tryPort, 10));
      };
      if (type === 'start') tryPort();
    });`);
    const acquiring = acquire(launcher, { port });
    const older: FakeProxy[] = [];
    for (let start = 0; older.length < 3; start++) {
      await log.find('a start', (line) => line.includes('"start"'), start);
      start = log.items.findIndex((line, index) => index >= start && line.includes('"start"'));
      const proxy = await startFake(scope, port);
      proxy.report = { ...fake.report, version: '0.0.1' };
      older.push(proxy);
    }
    assert.equal((await acquiring).kind, 'client');
    assert.deepEqual(
      older.map(({ released }) => released),
      [true, true, false],
    );
  });

  for (const [code, reason] of [
    ['invalid_setting', 'setting'],
    ['cannot_listen', 'listen'],
  ] as const) {
    it(`passes on why the process does not start, and ends it: ${code}`, async () => {
      const launcher = open(onStart({ type: 'failed', code, setting: null, message: 'Because.' }));
      await assert.rejects(acquire(launcher), { reason, message: 'Because.' });
      await log.find('the request to end', (line) => line.includes('"stop"'));
      assert.deepEqual(events.items, []);
    });
  }

  it('kills a process that is not ready in thirty seconds', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const launcher = open(`${ECHO} process.stderr.write('{}\\n')`);
    const failing = assert.rejects(launcher.acquire(new Phase(), { settings: SETTINGS, network: {} }, true), {
      reason: 'slowStart',
    });
    await log.find('its start', () => true);
    mock.timers.tick(30_000);
    await failing;
    await launcher.stop();
    assert.deepEqual(events.items, []);
  });

  it('does not trust a process that is ready while another program responds on its port', async () => {
    fake.proves = false;
    await assert.rejects(acquire(open(onStart(ready()))), { reason: 'listen', message: /another program responds/ });
    assert.deepEqual(events.items, []);
  });

  it('waits for a process that is ready and answers late, as on a busy computer', async () => {
    fake.hangs = true;
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const acquiring = acquire(open(onStart(ready())));
    await fake.requests.find('a probe', () => true);
    fake.hangs = false;
    mock.timers.tick(HEALTH_LIMIT);
    assert.equal((await acquiring).kind, 'owner');
    assert.deepEqual(events.items, []);
  });

  it('counts as a crash a process that is ready and does not answer in thirty seconds', async () => {
    fake.hangs = true;
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const failing = assert.rejects(acquire(open(onStart(ready()))));
    for (let probes = 0; probes * HEALTH_LIMIT < 30_000; probes++) {
      await fake.requests.find('the next probe', () => true, probes);
      mock.timers.tick(HEALTH_LIMIT);
    }
    await failing;
    assert.deepEqual(events.items, ['crash']);
  });

  it('counts as a crash a process that is ready and does not listen', async () => {
    await fake.close();
    await assert.rejects(acquire(open(onStart(ready()))));
    assert.deepEqual(events.items, ['crash']);
  });

  it('ends the process if the secrets cannot be read once it is ready', async () => {
    const launcher = open(onStart(ready(), { type: 'accessKeyUsed', id: '7' }));
    const failing = assert.rejects(acquire(launcher), /The keyring is locked/);
    await log.find('its start', () => true);
    readSecrets = () => Promise.reject(new Error('The keyring is locked'));
    await failing;
    await log.find('the request to end', (line) => line.includes('"stop"'));
  });

  it('starts no process in a phase that is over', async () => {
    const phase = new Phase();
    const failing = assert.rejects(acquire(open(onStart(ready())), {}, phase), /has been left/);
    phase.end();
    await failing;
    assert.deepEqual(log.items, []);
  });

  it('has no process after a phase, no matter at which step of the start that ends', async () => {
    const launcher = open(onStart(ready()));
    for (let steps = 0; steps < 12; steps++) {
      const phase = new Phase();
      const starting = acquire(launcher, {}, phase).catch(() => undefined);
      for (let step = 0; step < steps; step++) await Promise.resolve();
      phase.end();
      await launcher.release();
      await starting;
      assert.equal(launcher.update({}), false, `after ${steps} steps`);
    }
  });

  it('sends no earlier reading of the secrets after a later one', async () => {
    const launcher = open(onStart(ready()));
    const stale = Promise.withResolvers<SupervisorSecrets>();
    const reading = Promise.withResolvers<undefined>();
    let readings = 0;
    readSecrets = () => {
      if (++readings !== 2) return Promise.resolve(secretsWith(accessKeys)); // 2: to confirm the start
      reading.resolve(undefined);
      return stale.promise;
    };
    const acquiring = acquire(launcher);
    await withTimeout('the second reading', DEADLINE, reading.promise);
    accessKeys = ['b'];
    await launcher.sendSecrets();
    fake.report = { ...fake.report, keySetDigest: digestKeySet(SECRET, null, accessKeys) };
    stale.resolve(secretsWith(['a']));
    assert.equal((await acquiring).kind, 'owner');
    launcher.update({ logLevel: 'debug' });
    await log.find('the last message', (line) => line.includes('"update"'));
    const sent = log.items.filter((line) => line.includes('"secrets","secrets"'));
    assert.ok(sent.length > 0 && sent.every((line) => line.includes('"accessKeys":["b"]')), sent.join('\n'));
  });

  it('reports what the process does by itself, and nothing after its release', async () => {
    const messages = [
      { type: 'accessKeyUsed', id: '1' },
      { type: 'chatAnswered', id: '2' },
      { type: 'outcomeChanged', success: true },
    ];
    const launcher = open(onStart(...messages, ready()));
    await acquire(launcher);
    assert.deepEqual(events.items, ['used 1', 'answered 2', 'news']);
    await launcher.release();
    launcher.crash();
    assert.deepEqual(events.items, ['used 1', 'answered 2', 'news']);
  });

  it('reports a crash of the current process', async () => {
    const launcher = open(onStart(ready()));
    await acquire(launcher);
    launcher.crash();
    await events.find('the crash', (event) => event === 'crash');
  });

  it('reports that the process has yielded its port, and leaves it to finish', async () => {
    const yielding = `process.on('message', ({ type }) => type === 'update' && process.send({ type: 'stopped' }));`;
    const launcher = open(onStart(ready()) + yielding);
    await acquire(launcher);
    launcher.update({ logLevel: 'debug' });
    await events.find('the yield', (event) => event === 'yield');
    await launcher.release();
    accessKeys = ['last'];
    await launcher.sendSecrets();
    await log.find('the last message', (line) => line.includes('"last"'));
    assert.ok(!types().includes('stop'));
  });

  it('sends settings to the current process, and keys also to those that finish', async () => {
    const launcher = open(onStart(ready()).replace('process.disconnect()', "process.send({ type: 'stopped' })"));
    await acquire(launcher);
    assert.equal(launcher.update({ logLevel: 'debug' }), true);
    await launcher.release();
    assert.equal(launcher.update({ logLevel: 'trace' }), false);
    accessKeys = ['b'];
    await launcher.sendSecrets();
    await log.find('the keys', (line) => line.includes('"accessKeys":["b"]'));
    assert.deepEqual(
      types().filter((type) => type === 'update'),
      ['update'],
    );
  });
});
