// What the Marketplace and the editor read in package.json, besides what other tests derive from the source.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { COMMANDS, INTERNAL_COMMANDS, commandId } from '../../src/presentation/commands.ts';
import type { CommandName } from '../../src/presentation/commands.ts';
import { SCHEMA } from '../../src/settings/schema.ts';
import { fromRoot } from '../support/e2e/process.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly repository: { readonly url: string };
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
  readonly galleryBanner?: { readonly color: string; readonly theme: string };
  readonly categories: readonly string[];
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly walkthroughs: readonly { readonly steps: readonly { description: string }[] }[];
    readonly configurationDefaults: {
      readonly 'remote.portsAttributes': Readonly<Record<string, { readonly onAutoForward: string }>>;
    };
  };
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const { name, version, scripts, contributes } = manifest;

/** Minor versions: VS Code 1 has no other ones. */
function minorOf(range = ''): number {
  const [, minor = ''] = /^\^?1\.(\d+)\.\d+$/.exec(range) ?? [];
  return Number(minor || NaN);
}

describe('package.json', () => {
  it('links the Marketplace page to the repository and its issues', () => {
    const repository = manifest.repository.url.replace(/\.git$/, '');
    assert.equal(manifest.homepage, `${repository}#readme`);
    assert.equal(manifest.bugs?.url, `${repository}/issues`);
    assert.match(manifest.galleryBanner?.color ?? '', /^#[0-9a-f]{6}$/);
    assert.equal(manifest.galleryBanner?.theme, 'dark');
    assert.deepEqual(manifest.categories, ['AI', 'Chat']);
  });

  it('compiles against no newer API than the oldest supported editor has', () => {
    const oldest = minorOf(manifest.engines.vscode);
    const types = manifest.devDependencies['@types/vscode'];
    assert.ok(minorOf(types) <= oldest, `${types} for ${manifest.engines.vscode}`);
    const path = fromRoot('node_modules/@types/vscode/package.json');
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
    assert.ok(minorOf(version) <= oldest, `the installed types are of VS Code ${version}`);
  });

  it('runs only existing commands from the walkthrough', () => {
    const names: readonly CommandName[] = [...(Object.keys(COMMANDS) as CommandName[]), ...INTERNAL_COMMANDS];
    const text = JSON.stringify(manifest.contributes.walkthroughs);
    const linked = [...text.matchAll(/\(command:([\w.]+)\)/g)].map(([, id = '']) => id);
    assert.ok(linked.length >= 4);
    for (const id of linked) assert.ok(names.map(commandId).includes(id), id);
  });

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
