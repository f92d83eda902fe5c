import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mock } from 'node:test';
import { PROTOCOL, digestKeySet } from '../../../src/shared/ownership.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { Phase } from '../../../src/supervisor/phase.ts';
import {
  askOutdated,
  awaitSuccessor,
  confirmFree,
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
import { bindPort } from '../../support/boundPort.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { FakeProxy } from '../../support/fakeProxy.ts';
import { aReport } from '../../support/reports.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../support/withTimeout.ts';

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

  const asked = <Result>(asking: Promise<Result>) => withTimeout('the result', DEADLINE, asking);
  /** Waits for two more probes: the first one may have come before what the test has just changed. */
  const goesOn = async (fake: FakeProxy) => {
    const { items } = fake.requests;
    await fake.requests.find('two more probes', () => true, items.length + 1);
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

  describe('askOutdated()', () => {
    const trust = trustFingerprint(SETTINGS);

    it('asks an outdated proxy for the port', async () => {
      const fake = await startFake();
      fake.report = { version: OLDER, trustFingerprint: trust };
      const settings = { ...SETTINGS, port: fake.port };
      assert.equal(await askOutdated(await probePort(fake.port, readSecrets), settings, OWN, readSecrets), true);
      assert.equal(fake.released, true);
    });

    it('does not ask the proxy of another window that was faster', async () => {
      const fake = await startFake();
      fake.report = { version: OLDER, trustFingerprint: trust };
      const settings = { ...SETTINGS, port: fake.port };
      const found = await probePort(fake.port, readSecrets);
      fake.report = { version: OWN, trustFingerprint: trust };
      await asked(askOutdated(found, settings, OWN, readSecrets));
      assert.equal(fake.released, false);
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
      mock.timers.enable({ apis: ['Date'] }); // it does not give up
      await asked(requestPort(fake.port, readSecrets, VERSION));
      assert.equal(fake.released, true);
    });

    it('asks no proxy that is newer, and does not wait for its port', async () => {
      const fake = await startFake();
      fake.report = { version: NEWER };
      mock.timers.enable({ apis: ['Date'] }); // it does not give up
      await asked(requestPort(fake.port, readSecrets, VERSION));
      assert.equal(fake.released, false);
    });

    it('asks no foreign program, and gives up after three seconds', async () => {
      const fake = await startFake();
      fake.proves = false;
      mock.timers.enable({ apis: ['Date'] });
      const asking = requestPort(fake.port, readSecrets, VERSION);
      await goesOn(fake);
      mock.timers.setTime(2999);
      await goesOn(fake);
      mock.timers.setTime(3000);
      await asked(asking);
      assert.equal(fake.released, false);
    });

    it('resolves at once if the port is free or the secrets cannot be read', async () => {
      const port = await freePort();
      mock.timers.enable({ apis: ['Date'] }); // it does not give up
      await asked(requestPort(port, readSecrets, VERSION));
      await asked(requestPort(port, () => Promise.reject(new Error('locked')), VERSION));
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
      mock.timers.enable({ apis: ['Date'] });
      const probing = probeKeys(fake.port, readSecrets, never);
      await goesOn(fake);
      mock.timers.setTime(1000);
      await goesOn(fake);
      mock.timers.setTime(1001);
      const { found, isCurrent } = await asked(probing);
      assert.deepEqual([found.kind, isCurrent], ['own', false]);
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

  describe('confirmFree()', () => {
    it('finds that a proxy can listen', async () => {
      assert.deepEqual(await confirmFree(await freePort(), readSecrets), { kind: 'free' });
    });

    it('finds the proxy of another window that has just taken the port', async () => {
      const { port } = await startFake();
      assert.equal((await confirmFree(port, readSecrets)).kind, 'own');
    });

    it('finds the port free when another window listened only to try it', async () => {
      const port = await freePort();
      const other = createServer((socket) => {
        other.close();
        socket.destroy();
      });
      await once(other.listen(port, '127.0.0.1').unref(), 'listening');
      assert.deepEqual(await confirmFree(port, readSecrets), { kind: 'free' });
    });

    it('finds a program that keeps the port without listening', async () => {
      const { port } = await bindPort(scope);
      assert.deepEqual(await confirmFree(port, readSecrets), { kind: 'held', by: 'program' });
    });
  });

  describe('awaitSuccessor()', () => {
    const wait = (port: number) => {
      const ends = new EventQueue<string>();
      const phase = openPhase();
      awaitSuccessor(phase, port, readSecrets, () => {
        ends.add('end');
      });
      return { ends, phase };
    };

    it('ends when the proxy of another window has the port, however long that took', async () => {
      mock.timers.enable({ apis: ['Date'] }); // the limit is not reached
      const port = await freePort();
      const { ends } = wait(port);
      const fake = await startFake(port);
      await ends.find('the end', () => true);
      assert.ok(fake.requests.items.length > 0);
    });

    it('ends after ten seconds if none comes', async () => {
      mock.timers.enable({ apis: ['Date'] });
      const fake = await startFake();
      fake.proves = false; // counts the probes
      const { ends } = wait(fake.port);
      await goesOn(fake);
      mock.timers.setTime(9999);
      await goesOn(fake);
      assert.deepEqual(ends.items, []);
      mock.timers.setTime(10_000);
      await ends.find('the end', () => true);
    });

    it('ends without a word when its phase is over', async () => {
      const fake = await startFake();
      const { ends, phase } = wait(fake.port);
      phase.end();
      for (let turn = 0; turn < 20; turn++) await flushEventLoop();
      assert.deepEqual([ends.items, fake.requests.items], [[], []]);
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
