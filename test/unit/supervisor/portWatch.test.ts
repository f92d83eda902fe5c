import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { probePort } from '../../../src/supervisor/portProbe.ts';
import { awaitSuccessor, watchInterval, watchOwner, watchPort } from '../../../src/supervisor/portWatch.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { aReport } from '../../support/reports.ts';
import { FOREIGN, openPhase, readSecrets, startFake, twoMoreProbes } from '../../support/supervisors.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

describe('watchOwner()', () => {
  const scope = perTest();

  it('probes over one connection, and reports once when that closes', async () => {
    const fake = await startFake(scope);
    const gone = new EventQueue<string>();
    const agent = watchOwner(openPhase(scope), () => {
      gone.add('gone');
    });
    for (let count = 0; count < 3; count++) assert.equal((await probePort(fake.port, readSecrets, agent)).kind, 'own');
    assert.equal(gone.items.length, 0);
    await fake.close();
    await gone.find('the report', () => true);
    assert.equal(gone.items.length, 1);
  });

  it('reports nothing after the end of the phase', async () => {
    const fake = await startFake(scope);
    const phase = openPhase(scope);
    const agent = watchOwner(phase, () => assert.fail('reported'));
    await probePort(fake.port, readSecrets, agent);
    phase.end();
    await fake.close();
    await flushEventLoop();
  });

  it('keeps no connection for a probe that ends after the phase', async () => {
    const fake = await startFake(scope);
    const phase = openPhase(scope);
    const agent = watchOwner(phase, () => assert.fail('reported'));
    phase.end();
    await flushEventLoop();
    assert.equal((await probePort(fake.port, readSecrets, agent)).kind, 'own');
    await flushEventLoop();
    const open = Object.values({ ...agent.sockets, ...agent.freeSockets }).flatMap((sockets) => sockets ?? []);
    assert.ok(open.every(({ destroyed }) => destroyed));
  });
});

describe('awaitSuccessor()', () => {
  const scope = perTest();

  const wait = (port: number) => {
    const ends = new EventQueue<string>();
    const phase = openPhase(scope);
    awaitSuccessor(phase, port, readSecrets, () => {
      ends.add('end');
    });
    return { ends, phase };
  };

  it('ends when the proxy of another window has the port, however long that took', async () => {
    mock.timers.enable({ apis: ['Date'] }); // the limit is not reached
    const port = await freePort();
    const { ends } = wait(port);
    const fake = await startFake(scope, port);
    await ends.find('the end', () => true);
    assert.ok(fake.requests.items.length > 0);
  });

  it('ends after ten seconds if none comes', async () => {
    mock.timers.enable({ apis: ['Date'] });
    const fake = await startFake(scope);
    fake.proves = false; // counts the probes
    const { ends } = wait(fake.port);
    await twoMoreProbes(fake);
    mock.timers.setTime(9999);
    await twoMoreProbes(fake);
    assert.deepEqual(ends.items, []);
    mock.timers.setTime(10_000);
    await ends.find('the end', () => true);
  });

  it('ends without a word when its phase is over', async () => {
    const fake = await startFake(scope);
    const { ends, phase } = wait(fake.port);
    phase.end();
    for (let turn = 0; turn < 20; turn++) await flushEventLoop();
    assert.deepEqual([ends.items, fake.requests.items], [[], []]);
  });
});

describe('watchPort()', () => {
  const scope = perTest();

  const watch = (port: number, known: Parameters<typeof watchPort>[2]) => {
    const changes = new EventQueue<string>();
    const phase = openPhase(scope);
    watchPort(phase, port, known, readSecrets, () => {
      changes.add('change');
    });
    return { changes, phase };
  };
  const ownProxy = (port: number, change = {}) => ({ kind: 'own', report: aReport(port, change) }) as const;

  it('reports at once when an own proxy goes away', async () => {
    const fake = await startFake(scope);
    const { changes } = watch(fake.port, ownProxy(fake.port));
    await fake.requests.find('the first probe', () => true);
    await fake.close();
    await changes.find('the change', () => true);
  });

  it('reports an own proxy that is replaced by one of another version or trust', async () => {
    for (const change of [{ version: '9.9.9' }, { trustFingerprint: 'other' }]) {
      const fake = await startFake(scope);
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
      const fake = await startFake(scope);
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
    const fake = await startFake(scope);
    mock.timers.enable({ apis: ['setTimeout'] });
    const { changes, phase } = watch(fake.port, FOREIGN);
    phase.end();
    const other = watch(0, undefined);
    mock.timers.tick(60_000);
    await flushEventLoop();
    assert.deepEqual([fake.requests.items.length, changes.items.length, other.changes.items.length], [0, 0, 0]);
  });
});

describe('watchInterval()', () => {
  it('is 15 seconds, and doubles with each start on a port that could not be used, up to five minutes', () => {
    const seconds = [0, 1, 2, 3, 4, 5, 6, 100].map((failures) => watchInterval(failures) / 1000);
    assert.deepEqual(seconds, [15, 15, 30, 60, 120, 240, 300, 300]);
  });
});
