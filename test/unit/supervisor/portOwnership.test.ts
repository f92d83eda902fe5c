import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { digestKeySet } from '../../../src/shared/ownership.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { Phase } from '../../../src/supervisor/phase.ts';
import {
  decideOwnership,
  probeKeys,
  probePort,
  requestPort,
  trustFingerprint,
  watchOwner,
  watchPort,
} from '../../../src/supervisor/portOwnership.ts';
import type { SupervisorSecrets } from '../../../src/supervisor/supervisorHost.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { timed } from '../../support/e2e/stopwatch.ts';
import { FakeProxy } from '../../support/fakeProxy.ts';
import { aReport } from '../../support/reports.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const SECRET = randomBytes(32);
const SECRETS: SupervisorSecrets = {
  apiKey: 'api-key',
  accessKeys: ['a', 'b'],
  ownKey: 'a',
  ownership: SECRET.toString('base64'),
  cacheNamespaceRoot: '',
};
const KEYS = digestKeySet(SECRET, SECRETS.apiKey, SECRETS.accessKeys);
const SETTINGS = {
  port: 14_114,
  backendUrl: 'https://enclave.example',
  pcr0Environment: 'production',
  additionalPcr0: ['ab'.repeat(48), 'cd'.repeat(48)],
  requestTimeoutSeconds: 300,
  streamIdleTimeoutSeconds: 60,
  allowedOrigins: [],
  logLevel: 'info',
};

describe('portOwnership.ts', () => {
  const scope = perTest();
  const readSecrets = () => Promise.resolve(SECRETS);
  const startFake = async (port = 0) => {
    const fake = await FakeProxy.start(SECRET, port);
    scope.onClose(() => fake.close());
    return fake;
  };
  const openPhase = () => {
    const phase = new Phase();
    scope.onClose(() => {
      phase.end();
      return Promise.resolve();
    });
    return phase;
  };

  describe('decideOwnership()', () => {
    const { port, backendUrl } = SETTINGS;
    const report = aReport(port, { trustFingerprint: trustFingerprint(SETTINGS) });

    it('joins an own proxy of the same version and trust', () => {
      assert.deepEqual(decideOwnership({ kind: 'own', report }, SETTINGS), { kind: 'client', port, report });
    });

    it('is blocked by an own proxy of another version, even with the same trust', () => {
      const found = { kind: 'own', report: { ...report, version: '9.9.9' } } as const;
      const status = { kind: 'otherVersion', port, version: '9.9.9' } as const;
      assert.deepEqual(decideOwnership(found, SETTINGS), { kind: 'blocked', found, status });
    });

    it('is blocked by an own proxy with other trust', () => {
      const found = { kind: 'own', report: { ...report, trustFingerprint: 'other', backendUrl } } as const;
      const status = { kind: 'otherSettings', port, backendUrl } as const;
      assert.deepEqual(decideOwnership(found, SETTINGS), { kind: 'blocked', found, status });
    });

    it('is blocked by a program that has the port without listening, and notices when the port is free', () => {
      const status = { kind: 'portTaken', port, unresponsive: false } as const;
      assert.deepEqual(decideOwnership({ kind: 'free' }, SETTINGS), {
        kind: 'blocked',
        found: { kind: 'foreign' },
        status,
      });
    });

    it('is blocked by any other program', () => {
      for (const kind of ['foreign', 'unresponsive'] as const) {
        const status = { kind: 'portTaken', port, unresponsive: kind === 'unresponsive' } as const;
        assert.deepEqual(decideOwnership({ kind }, SETTINGS), { kind: 'blocked', found: { kind: 'foreign' }, status });
      }
    });
  });

  describe('trustFingerprint()', () => {
    it('is the same for the same trust in another spelling', () => {
      const spelled = {
        backendUrl: ' https://enclave.example// ',
        additionalPcr0: ['CD'.repeat(48), ` ${'ab'.repeat(48)}`],
      };
      assert.equal(trustFingerprint({ ...SETTINGS, ...spelled }), trustFingerprint(SETTINGS));
      assert.equal(trustFingerprint({ ...SETTINGS, port: 1, logLevel: 'debug' }), trustFingerprint(SETTINGS));
    });

    it('differs with the backend, the environment and the images', () => {
      const changes = [{ backendUrl: 'https://other.example' }, { pcr0Environment: 'dev' }, { additionalPcr0: [] }];
      const all = [{}, ...changes].map((change) => trustFingerprint({ ...SETTINGS, ...change }));
      assert.equal(new Set(all).size, 4);
    });
  });

  describe('requestPort()', () => {
    it('resolves when the own proxy has released the port', async () => {
      const fake = await startFake();
      await requestPort(fake.port, readSecrets);
      assert.equal(fake.released, true);
      assert.equal((await probePort(fake.port, readSecrets)).kind, 'free');
    });

    it('asks no foreign program, and gives up after three seconds', async () => {
      const fake = await startFake();
      fake.proves = false;
      const { milliseconds } = await timed(() => requestPort(fake.port, readSecrets));
      assert.ok(milliseconds >= 2900 && milliseconds < 4500, `${milliseconds} ms`);
      assert.equal(fake.released, false);
    });

    it('resolves at once if the port is free or the secrets cannot be read', async () => {
      const port = await freePort();
      const { milliseconds } = await timed(async () => {
        await requestPort(port, readSecrets);
        await requestPort(port, () => Promise.reject(new Error('locked')));
      });
      assert.ok(milliseconds < 1000, `${milliseconds} ms`);
    });
  });

  describe('probeKeys()', () => {
    const never = () => false;

    it('waits until the proxy uses the current keys', async () => {
      const fake = await startFake();
      let readings = 0;
      const { found, isCurrent } = await probeKeys(
        fake.port,
        () => {
          if (++readings === 3) fake.report = { keySetDigest: KEYS };
          return readSecrets();
        },
        never,
      );
      assert.deepEqual([found.kind, isCurrent, readings], ['own', true, 3]);
    });

    it('gives up after a second', async () => {
      const fake = await startFake();
      const { result, milliseconds } = await timed(() => probeKeys(fake.port, readSecrets, never));
      assert.deepEqual([result.found.kind, result.isCurrent], ['own', false]);
      assert.ok(milliseconds >= 950 && milliseconds < 2500, `${milliseconds} ms`);
    });

    it('ends with the first final result', async () => {
      const fake = await startFake();
      fake.proves = false;
      const { found, isCurrent } = await probeKeys(fake.port, readSecrets, ({ kind }) => kind === 'foreign');
      assert.deepEqual([found.kind, isCurrent, fake.requests.items.length], ['foreign', false, 1]);
    });
  });

  describe('watchOwner()', () => {
    it('probes over one connection, and reports once when that closes', async () => {
      const fake = await startFake();
      const gone = new EventQueue<string>();
      const agent = watchOwner(openPhase(), () => {
        gone.add('gone');
      });
      for (let count = 0; count < 3; count++)
        assert.equal((await probePort(fake.port, readSecrets, agent)).kind, 'own');
      assert.equal(gone.items.length, 0);
      await fake.close();
      await gone.find('the report', () => true);
      assert.equal(gone.items.length, 1);
    });

    it('reports nothing after the end of the phase', async () => {
      const fake = await startFake();
      const phase = openPhase();
      const agent = watchOwner(phase, () => assert.fail('reported'));
      await probePort(fake.port, readSecrets, agent);
      phase.end();
      await fake.close();
      await flushEventLoop();
    });

    it('keeps no connection for a probe that ends after the phase', async () => {
      const fake = await startFake();
      const phase = openPhase();
      const agent = watchOwner(phase, () => assert.fail('reported'));
      phase.end();
      await flushEventLoop();
      assert.equal((await probePort(fake.port, readSecrets, agent)).kind, 'own');
      await flushEventLoop();
      const open = Object.values({ ...agent.sockets, ...agent.freeSockets }).flatMap((sockets) => sockets ?? []);
      assert.ok(open.every(({ destroyed }) => destroyed));
    });
  });

  describe('watchPort()', () => {
    afterEach(() => {
      mock.timers.reset();
    });

    const watch = (port: number, known: Parameters<typeof watchPort>[2]) => {
      const changes = new EventQueue<string>();
      const phase = openPhase();
      watchPort(phase, port, known, readSecrets, () => {
        changes.add('change');
      });
      return { changes, phase };
    };
    const ownProxy = (port: number, change = {}) => ({ kind: 'own', report: aReport(port, change) }) as const;

    it('reports at once when an own proxy goes away', async () => {
      const fake = await startFake();
      const { changes } = watch(fake.port, ownProxy(fake.port));
      await fake.requests.find('the first probe', () => true);
      await fake.close();
      await changes.find('the change', () => true);
    });

    it('reports an own proxy that is replaced by one of another version or trust', async () => {
      for (const change of [{ version: '9.9.9' }, { trustFingerprint: 'other' }]) {
        const fake = await startFake();
        const { changes } = watch(fake.port, ownProxy(fake.port, change));
        await changes.find('the change', () => true);
      }
    });

    for (const [known, proves, isChange] of [
      [{ kind: 'foreign' }, true, true],
      [{ kind: 'foreign' }, false, false],
      [{ kind: 'unresponsive' }, false, false],
      [undefined, true, true],
      [undefined, false, false],
    ] as const) {
      const what = proves ? 'an own proxy' : 'a foreign program';
      it(`${isChange ? 'reports' : 'ignores'} ${what} after ${known?.kind ?? 'a failed start'}, every 15 seconds`, async () => {
        const fake = await startFake();
        fake.proves = proves;
        mock.timers.enable({ apis: ['setTimeout'] });
        const { changes } = watch(fake.port, known);
        for (let round = 1; round <= (isChange ? 1 : 3); round++) {
          mock.timers.tick(14_999);
          await flushEventLoop();
          assert.equal(fake.requests.items.length, round - 1);
          mock.timers.tick(1);
          await fake.requests.find('the probe', () => true, round - 1);
          if (isChange) await changes.find('the change', () => true);
          else for (let count = 0; count < 50; count++) await flushEventLoop(); // the response has to arrive
        }
        assert.equal(changes.items.length, isChange ? 1 : 0);
      });
    }

    it('reports a port that has become free', async () => {
      const port = await freePort();
      mock.timers.enable({ apis: ['setTimeout'] });
      const { changes } = watch(port, { kind: 'foreign' });
      mock.timers.tick(15_000);
      await changes.find('the change', () => true);
    });

    it('probes nothing after the end of the phase, and never port 0', async () => {
      const fake = await startFake();
      mock.timers.enable({ apis: ['setTimeout'] });
      const { changes, phase } = watch(fake.port, { kind: 'foreign' });
      phase.end();
      const other = watch(0, undefined);
      mock.timers.tick(60_000);
      await flushEventLoop();
      assert.deepEqual([fake.requests.items.length, changes.items.length, other.changes.items.length], [0, 0, 0]);
    });
  });
});
