// The units of systemd agree with the proxy.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../src/proxy/hosts/exit.ts';
import { VARIABLES, readEnvironment } from '../../src/settings/environment.ts';
import { NODE_FLAGS } from '../../src/supervisor/proxyProcess.ts';
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
function exposureOf(path: string, manager: 'system' | 'user'): number {
  const args = ['security', `--${manager}`, '--offline=true', '--no-pager', fromRoot(path)];
  const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-systemd-'));
  const env = { ...process.env, XDG_RUNTIME_DIR: folder }; // every session has one
  try {
    const { stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8', env });
    return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const folder of ['', 'user/']) {
  describe(`${FOLDER}/${folder}sealed-proxy.service`, () => {
    const unit = readUnit(`${folder}sealed-proxy.service`);
    const values = Object.fromEntries(
      (unit.get('Environment') ?? []).flatMap((line) => line.split(' ').map((item) => item.split('='))),
    ) as Record<string, string>;

    it('starts Node with the same flags as the extension and the image, which docs/operations.md names', () => {
      const flags = NODE_FLAGS.join(' ');
      assert.match(unit.get('ExecStart')?.[0] ?? '', new RegExp(`^/usr/bin/node ${flags} \\S+/proxy\\.js$`));
      const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
      assert.ok(
        read('Dockerfile').includes(
          `CMD ${JSON.stringify(['node', ...NODE_FLAGS, 'proxy.js']).replaceAll(',', ', ')}\n`,
        ),
      );
      assert.ok(read('docs/operations.md').includes(`\`node ${flags} proxy.js\``));
    });

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
  for (const [manager, folder, pattern] of [
    ['system', '', /an exposure of \*\*([\d.]+)\*\*/],
    ['user', 'user/', /In your own session the exposure is ([\d.]+):/],
  ] as const) {
    it(`gives the service of the ${manager} the exposure that docs/systemd.md states`, function () {
      const version = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
      if (version.status !== 0) this.skip();
      const exposure = exposureOf(`${FOLDER}/${folder}sealed-proxy.service`, manager);
      const [, stated] = pattern.exec(readFileSync(fromRoot('docs/systemd.md'), 'utf8')) ?? [];
      const others = version.stdout.startsWith('systemd 252 ') ? 0 : 0.3; // other versions weigh a little differently
      assert.ok(exposure > 0 && exposure <= Number(stated) + others, `${exposure}`);
    });
  }
});
