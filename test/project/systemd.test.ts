// The units of systemd agree with the proxy.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { EXIT } from '../../src/proxy/hosts/exit.ts';
import { VARIABLES, readEnvironment } from '../../src/settings/environment.ts';
import { fromRoot } from '../support/e2e/process.ts';

const FOLDER = 'deploy/systemd';

/** The values of each key, in order. */
function readUnit(path: string): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(fromRoot(`${FOLDER}/${path}`), 'utf8').split('\n');
  const entries = lines
    .filter((line) => /^[A-Z]\w*=/i.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
  const groups = Map.groupBy(entries, ([name]) => name);
  return new Map([...groups].map(([name, found]) => [name, found.map(([, value]) => value)]));
}

/** The lowest number is the best. */
function exposureOf(path: string): number {
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', fromRoot(path)], {
    encoding: 'utf8',
  });
  return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
}

for (const folder of ['', 'user/']) {
  describe(`${FOLDER}/${folder}sealed-proxy.service`, () => {
    const unit = readUnit(`${folder}sealed-proxy.service`);
    const values = Object.fromEntries(
      (unit.get('Environment') ?? []).flatMap((line) => line.split(' ').map((item) => item.split('='))),
    ) as Record<string, string>;

    it('sets only variables of the proxy, and loads a credential for each file', () => {
      const known = VARIABLES.map(({ variable }) => variable);
      assert.deepEqual(
        Object.keys(values).filter((name) => !known.includes(name)),
        [],
      );
      const credentials = (unit.get('LoadCredential') ?? []).map((line) => `%d/${line.split(':')[0] ?? ''}`);
      const files = Object.entries(values).filter(([name]) => name.endsWith('_FILE'));
      assert.deepEqual(
        files.map(([, path]) => path),
        credentials,
      );
    });

    it('has the address of its socket for the probes', () => {
      const { host, port } = readEnvironment(values);
      assert.deepEqual(readUnit(`${folder}sealed-proxy.socket`).get('ListenStream'), [`${host}:${port}`]);
    });

    it('waits longer for the end than the proxy takes', () => {
      const { drain, drainDelay } = readEnvironment(values);
      assert.ok(Number(unit.get('TimeoutStopSec')?.[0]) * 1000 > drain + drainDelay);
    });

    it('does not restart the proxy after mistakes that another start does not correct', () => {
      assert.deepEqual(unit.get('RestartPreventExitStatus'), [`${EXIT.invalid} ${EXIT.portTaken}`]);
    });
  });
}

describe('systemd-analyze security', () => {
  it('gives the service of the system a low exposure, which docs/systemd.md states', function () {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) this.skip();
    const exposure = exposureOf(`${FOLDER}/sealed-proxy.service`);
    const [, stated] = /an exposure of \*\*([\d.]+)\*\*/.exec(readFileSync(fromRoot('docs/systemd.md'), 'utf8')) ?? [];
    assert.ok(exposure > 0 && exposure <= Number(stated) + 0.3, `${exposure}`); // other versions weigh a little differently
  });
});
