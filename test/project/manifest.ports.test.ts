import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SCHEMA } from '../../src/settings/schema.ts';
import { fromRoot } from '../support/e2e/process.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly configurationDefaults: {
      readonly 'remote.portsAttributes': Readonly<Record<string, { readonly onAutoForward: string }>>;
    };
  };
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const { name, version, scripts, contributes } = JSON.parse(read('package.json')) as Manifest;

describe('package.json', () => {
  it('keeps the editor from forwarding the proxy, by its default port and by the command line of its process', () => {
    const [port, command, ...others] = Object.keys(contributes.configurationDefaults['remote.portsAttributes']);
    assert.deepEqual(others, []);
    assert.equal(port, String(SCHEMA.port.default));
    for (const path of [
      `/usr/bin/node /home/me/.vscode-server/extensions/${name}.${name}-${version}/dist/proxy.js`,
      `C:\\Code.exe C:\\Users\\me\\.vscode\\extensions\\${name}.${name}-${version}\\dist\\proxy.js`,
    ])
      assert.match(path, new RegExp(command ?? ''));
    assert.doesNotMatch('node /srv/app/dist/proxy.js', new RegExp(command ?? ''));
    for (const { onAutoForward } of Object.values(contributes.configurationDefaults['remote.portsAttributes']))
      assert.equal(onAutoForward, 'ignore');
  });

  it('runs a script after the extension was uninstalled, which is in the package', () => {
    const [program, script = '', ...others] = scripts['vscode:uninstall']?.split(' ') ?? [];
    assert.deepEqual([program, others], ['node', []]); // the editor accepts no other form
    assert.ok(read('.vscodeignore').split('\n').includes(`!${script}`));
  });
});
