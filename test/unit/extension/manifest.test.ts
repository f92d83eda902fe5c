// package.json, the README and the sources describe the same settings.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fromRoot } from '../../support/e2e/process.ts';

interface Property {
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription: string;
}

interface Manifest {
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, Property>> };
  };
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const { configuration } = manifest.contributes;
const settings = Object.entries(configuration.properties);

describe('The README', () => {
  const section = /\n## Extension settings\n(.*?)\n## /s.exec(read('README.md'))?.[1] ?? '';
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('lists every setting of the extension once, in the order of package.json, and no other', () => {
    assert.deepEqual(
      rows.map(([, name]) => name),
      settings.map(([name]) => `\`${name}\``),
    );
  });

  for (const [name, property] of settings) {
    it(`says the default of ${name}`, () => {
      const [, , value, meaning] = rows.find(([, cell]) => cell === `\`${name}\``) ?? [];
      assert.equal(value, `\`${JSON.stringify(property.default)}\``);
      assert.notEqual(meaning, '');
    });
  }
});

describe('The settings', () => {
  it('are of the machine, so that no folder that someone else made can redirect a key', () => {
    for (const [name, { scope }] of settings) assert.equal(scope, 'machine', name);
  });

  it('are all restricted in untrusted workspaces', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.deepEqual([...restrictedConfigurations].sort(), settings.map(([name]) => name).sort());
  });

  it('are all read by the extension, with the same defaults', () => {
    const source = read('src/extension/settings.ts');
    const readOnes = new Map(
      [...source.matchAll(/\bget(?:<[^>]*>)?\('([^']+)', ([^\n]*?)\)[,)]/g)].map(([, name, value]) => [name, value]),
    );
    for (const [name, property] of settings) {
      if (name === 'sealedProxy.baseUrl') continue; // is written
      const written = readOnes.get(name.replace('sealedProxy.', ''))?.replaceAll("'", '"').replaceAll(', ', ',');
      assert.equal(written, JSON.stringify(property.default), name);
    }
    assert.equal(readOnes.size, settings.length - 1);
  });
});
