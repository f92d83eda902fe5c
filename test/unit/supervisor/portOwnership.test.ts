import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { PROTOCOL, digestKeySet } from '../../../src/shared/ownership.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { Phase } from '../../../src/supervisor/phase.ts';
import {
  decideOwnership,
  isOutdated,
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
  capacityWaitSeconds: 0,
  messagesModel: '',
  responsesModel: '',
  allowedOrigins: [],
  logLevel: 'info',
};

const FOREIGN = { kind: 'foreign', isSealedProxy: false } as const;
const [OLDER, OWN, NEWER] = ['1.2.3', '1.10.0', '2.0.0'] as const;

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

    it('joins an own proxy of the same protocol and trust, of any version', () => {
      for (const version of [OWN, NEWER, OLDER]) {
        const found = { kind: 'own', report: { ...report, version } } as const;
        assert.deepEqual(decideOwnership(found, SETTINGS, OWN), { kind: 'client', port, report: found.report });
      }
    });

    it('is blocked by an own proxy of another protocol, even with the same version and trust', () => {
      for (const [version, isNewer] of [
        [NEWER, true],
        [OLDER, false],
        [OWN, false],
      ] as const) {
        const found = { kind: 'own', report: { ...report, version, protocol: PROTOCOL + 1 } } as const;
        const status = { kind: 'otherVersion', port, version, isNewer } as const;
        assert.deepEqual(decideOwnership(found, SETTINGS, OWN), { kind: 'blocked', found, status });
      }
    });

    it('is blocked by an own proxy with other trust', () => {
      const found = { kind: 'own', report: { ...report, trustFingerprint: 'other', backendUrl } } as const;
      const status = { kind: 'otherSettings', port, backendUrl } as const;
      assert.deepEqual(decideOwnership(found, SETTINGS, OWN), { kind: 'blocked', found, status });
    });

    for (const [found, by] of [
      [{ kind: 'foreign', isSealedProxy: false }, 'program'],
      [{ kind: 'foreign', isSealedProxy: true }, 'sealedProxy'],
      [{ kind: 'unresponsive' }, 'unresponsive'],
      [{ kind: 'held', by: 'program' }, 'silent'],
      [{ kind: 'held', by: 'system' }, 'system'],
    ] as const) {
      it(`is blocked by anything else: ${by}`, () => {
        const status = { kind: 'portTaken', port, by } as const;
        assert.deepEqual(decideOwnership(found, SETTINGS, OWN), { kind: 'blocked', found, status });
      });
    }

    it('is blocked by a port that seems free, because the window could not take it', () => {
      const found = { kind: 'held', by: 'program' } as const;
      const status = { kind: 'portTaken', port, by: 'silent' } as const;
      assert.deepEqual(decideOwnership({ kind: 'free' }, SETTINGS, OWN), { kind: 'blocked', found, status });
    });
  });

  describe('isOutdated()', () => {
    const report = aReport(SETTINGS.port, { trustFingerprint: trustFingerprint(SETTINGS) });

    it('is true only for an own proxy of an older version and the same trust', () => {
      for (const [change, expected] of [
        [{ version: OLDER }, true],
        [{ version: OLDER, protocol: 1 }, true],
        [{ version: OWN, protocol: 1 }, false],
        [{ version: NEWER }, false],
        [{ version: NEWER, protocol: 1 }, false],
        [{ version: OLDER, trustFingerprint: 'other' }, false],
      ] as const) {
        const found = { kind: 'own', report: { ...report, ...change } } as const;
        assert.equal(isOutdated(found, SETTINGS, OWN), expected, JSON.stringify(change));
      }
      for (const found of [FOREIGN, { kind: 'unresponsive' }, { kind: 'free' }] as const)
        assert.equal(isOutdated(found, SETTINGS, OWN), false);
    });

    it('is never true in both directions', () => {
      for (const [one, other] of [
        [OLDER, NEWER],
        [OWN, OWN],
        ['0.5.0', '0.5.0-beta'],
        ['x', '0.0.0'],
      ] as const) {
        const replaces = (window: string, version: string) =>
          isOutdated({ kind: 'own', report: { ...report, version } }, SETTINGS, window);
        assert.ok(!(replaces(one, other) && replaces(other, one)), `${one} ${other}`);
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
      await requestPort(fake.port, readSecrets, VERSION);
      assert.equal(fake.released, true);
      assert.equal((await probePort(fake.port, readSecrets)).kind, 'free');
    });

    it('resolves when the proxy of another window has taken the port', async () => {
      const fake = await startFake();
      fake.hasSuccessor = true;
      const { milliseconds } = await timed(() => requestPort(fake.port, readSecrets, VERSION));
      assert.equal(fake.released, true);
      assert.ok(milliseconds < 2900, `${milliseconds} ms`);
    });

    it('asks no proxy that is newer, and does not wait for its port', async () => {
      const fake = await startFake();
      fake.report = { version: NEWER };
      const { milliseconds } = await timed(() => requestPort(fake.port, readSecrets, VERSION));
      assert.equal(fake.released, false);
      assert.ok(milliseconds < 2900, `${milliseconds} ms`);
    });

    it('asks no foreign program, and gives up after three seconds', async () => {
      const fake = await startFake();
      fake.proves = false;
      const { milliseconds } = await timed(() => requestPort(fake.port, readSecrets, VERSION));
      assert.ok(milliseconds >= 2900 && milliseconds < 4500, `${milliseconds} ms`);
      assert.equal(fake.released, false);
    });

    it('resolves at once if the port is free or the secrets cannot be read', async () => {
      const port = await freePort();
      const { milliseconds } = await timed(async () => {
        await requestPort(port, readSecrets, VERSION);
        await requestPort(port, () => Promise.reject(new Error('locked')), VERSION);
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
      [FOREIGN, true, true],
      [FOREIGN, false, false],
      [{ kind: 'foreign', isSealedProxy: true }, false, false],
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
      const { changes } = watch(port, FOREIGN);
      mock.timers.tick(15_000);
      await changes.find('the change', () => true);
    });

    it('probes nothing after the end of the phase, and never port 0', async () => {
      const fake = await startFake();
      mock.timers.enable({ apis: ['setTimeout'] });
      const { changes, phase } = watch(fake.port, FOREIGN);
      phase.end();
      const other = watch(0, undefined);
      mock.timers.tick(60_000);
      await flushEventLoop();
      assert.deepEqual([fake.requests.items.length, changes.items.length, other.changes.items.length], [0, 0, 0]);
    });
  });
});
