import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { PROTOCOL } from '../../../src/shared/ownership.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import {
  askOutdated,
  decideOwnership,
  isOutdated,
  requestPort,
  trustFingerprint,
} from '../../../src/supervisor/portClaim.ts';
import { probePort } from '../../../src/supervisor/portProbe.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { aReport } from '../../support/reports.ts';
import { SETTINGS as DEFAULTS, FOREIGN, readSecrets, startFake, twoMoreProbes } from '../../support/supervisors.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

const SETTINGS = { ...DEFAULTS, additionalPcr0: ['ab'.repeat(48), 'cd'.repeat(48)] };
const [OLDER, OWN, NEWER] = ['1.2.3', '1.10.0', '2.0.0'] as const;

const asked = <Result>(asking: Promise<Result>) => withTimeout('the result', DEADLINE, asking);

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
  const scope = perTest();

  const trust = trustFingerprint(SETTINGS);

  it('asks an outdated proxy for the port', async () => {
    const fake = await startFake(scope);
    fake.report = { version: OLDER, trustFingerprint: trust };
    const settings = { ...SETTINGS, port: fake.port };
    assert.equal(await askOutdated(await probePort(fake.port, readSecrets), settings, OWN, readSecrets), true);
    assert.equal(fake.released, true);
  });

  it('does not ask the proxy of another window that was faster', async () => {
    const fake = await startFake(scope);
    fake.report = { version: OLDER, trustFingerprint: trust };
    const settings = { ...SETTINGS, port: fake.port };
    const found = await probePort(fake.port, readSecrets);
    fake.report = { version: OWN, trustFingerprint: trust };
    await asked(askOutdated(found, settings, OWN, readSecrets));
    assert.equal(fake.released, false);
  });
});

describe('requestPort()', () => {
  const scope = perTest();

  it('resolves when the own proxy has released the port', async () => {
    const fake = await startFake(scope);
    await requestPort(fake.port, readSecrets, VERSION);
    assert.equal(fake.released, true);
    assert.equal((await probePort(fake.port, readSecrets)).kind, 'free');
  });

  it('resolves when the proxy of another window has taken the port', async () => {
    const fake = await startFake(scope);
    fake.hasSuccessor = true;
    mock.timers.enable({ apis: ['Date'] }); // it does not give up
    await asked(requestPort(fake.port, readSecrets, VERSION));
    assert.equal(fake.released, true);
  });

  it('asks no proxy that is newer, and does not wait for its port', async () => {
    const fake = await startFake(scope);
    fake.report = { version: NEWER };
    mock.timers.enable({ apis: ['Date'] }); // it does not give up
    await asked(requestPort(fake.port, readSecrets, VERSION));
    assert.equal(fake.released, false);
  });

  it('asks no foreign program, and gives up after three seconds', async () => {
    const fake = await startFake(scope);
    fake.proves = false;
    mock.timers.enable({ apis: ['Date'] });
    const asking = requestPort(fake.port, readSecrets, VERSION);
    await twoMoreProbes(fake);
    mock.timers.setTime(2999);
    await twoMoreProbes(fake);
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
