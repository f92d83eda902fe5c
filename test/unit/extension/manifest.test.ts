// What package.json, package.nls.json, the README and the sources say of the same things.
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
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
    readonly configuration: { readonly properties: Readonly<Record<string, Property>> };
  };
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const manifestText = read('package.json');
const manifest = JSON.parse(manifestText) as Manifest;
const { commands, menus, configuration } = manifest.contributes;
const settings = Object.entries(configuration.properties);
const declared = commands.map(({ command }) => command);

/** Called by other extensions or by links, not by people. */
const INTERNAL = ['mendAssistants', 'useFreePort', 'openSettings', 'getBaseUrl', 'getStatus', 'getConnection'];

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

describe('package.nls.json', () => {
  const strings = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
  const used = [...manifestText.matchAll(/"%([^%"]+)%"/g)].map(([, name]) => name ?? '');

  it('has every string that package.json names', () => {
    for (const name of used) assert.ok((strings[name] ?? '') !== '', name);
  });

  it('has no other', () => {
    assert.deepEqual(
      Object.keys(strings).filter((name) => !used.includes(name)),
      [],
    );
  });

  it('is used for everything that people read', () => {
    for (const { title, category } of commands) assert.match(`${title}${category}`, /^%[^%]+%%[^%]+%$/);
    for (const [, { markdownDescription }] of settings) assert.match(markdownDescription, /^%[^%]+%$/);
  });
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

describe('The commands', () => {
  const source = read('src/extension/commands/commands.ts');
  const table = /const commands: [^=]+=> unknown>> = \{\n(.*?)\n {2}\};/s.exec(source)?.[1] ?? '';
  const registered = [...table.matchAll(/^ {4}([A-Za-z]+): /gm)].map(([, name]) => name ?? '');

  it('are declared and registered alike, but for the internal ones', () => {
    const expected = registered.filter((name) => !INTERNAL.includes(name)).map((name) => `sealedProxy.${name}`);
    assert.deepEqual([...declared].sort(), expected.sort());
    assert.deepEqual(
      INTERNAL.filter((name) => !registered.includes(name)),
      [],
    );
  });

  it('are those that the design names', () => {
    const names = 'start stop restart setApiKey removeApiKey checkConnection copyBaseUrl connectAssistant';
    const all = `${names} newAccessKey manageAccessKeys showAttestation showUsage diagnose showLog getStarted showMenu`
      .split(' ')
      .map((name) => `sealedProxy.${name}`);
    assert.deepEqual(declared, all);
  });

  it('appear in the palette when they can work, and depend on nothing that is never set', () => {
    const set = new Set(
      [...read('src/extension/extension.ts').matchAll(/'setContext', '([^']+)'/g)].map(([, key]) => key),
    );
    for (const { command, when } of menus.commandPalette) {
      assert.ok(declared.includes(command), command);
      for (const [key] of when.matchAll(/sealedProxy\.\w+/g)) assert.ok(set.has(key), `${command}: ${key}`);
      for (const [, kind = ''] of when.matchAll(/sealedProxy\.state [!=]= (\w+)/g)) {
        assert.ok(read('src/shared/status.ts').includes(`readonly kind: '${kind}'`), `${command}: ${kind}`);
      }
    }
  });
});
