// package.json, the tables in docs/ and the checks in the schema of evidence are derived from the sources.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { generatedFiles } from '../../../scripts/generatedFiles.ts';
import { APPLICATION_SETTING_NAMES, EDITOR_SETTING_NAMES } from '../../../src/settings/schema.ts';
import { fromRoot } from '../../support/e2e/process.ts';

interface Property {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
}

interface Manifest {
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Readonly<Record<string, Property>>;
    }[];
  };
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8').replaceAll('\r\n', '\n');
const properties = ({ contributes }: Manifest) =>
  contributes.configuration.flatMap((group) => Object.entries(group.properties));

describe('SCHEMA', () => {
  for (const [path, text] of generatedFiles(read)) {
    it(`agrees with ${path}`, () => {
      const remedy = `${path} and the sources disagree. Change the sources, then run "npm run generate".`;
      assert.equal(read(path) === text, true, remedy);
    });
  }

  it('keeps the names, types and defaults of released settings', () => {
    const found = Object.fromEntries(properties(JSON.parse(read('package.json')) as Manifest));
    for (const [name, type, value] of [
      ['autoStart', 'boolean', true],
      ['port', 'integer', 14_114],
      ['backendUrl', 'string', 'https://enclave.trymaple.ai'],
      ['pcr0Environment', 'string', 'production'],
      ['additionalPcr0', 'array', []],
      ['requestTimeoutSeconds', 'number', 300],
      ['streamIdleTimeoutSeconds', 'number', 300],
      ['checkInterval', 'number', 300],
      ['allowedOrigins', 'array', ['vscode-webview://*', 'vscode-file://*']],
      ['modelOverrides', 'object', {}],
      ['terminal.enabled', 'boolean', false],
      ['statusBar.compact', 'boolean', false],
      ['baseUrl', 'string', ''],
    ] as const) {
      const property = found[`sealedProxy.${name}`];
      assert.deepEqual([property?.type, property?.default], [type, value], name);
    }
  });

  it('has each setting of the editor once, under a heading', () => {
    const manifest = JSON.parse(read('package.json')) as Manifest;
    assert.deepEqual(
      manifest.contributes.configuration.map(({ title }) => title),
      ['Connection', 'Models', 'Privacy', 'Advanced'],
    );
    assert.deepEqual(
      properties(manifest)
        .map(([name]) => name)
        .toSorted(),
      EDITOR_SETTING_NAMES.map((name) => `sealedProxy.${name}`).toSorted(),
    );
  });

  it('lets no workspace change a setting: it could redirect a key', () => {
    const manifest = JSON.parse(read('package.json')) as Manifest;
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    for (const [name, { scope }] of properties(manifest)) {
      assert.ok(scope === 'machine' || scope === 'application', name);
      assert.ok(restrictedConfigurations.includes(name), name);
    }
  });
});

describe('APPLICATION_SETTING_NAMES', () => {
  it('are the settings that a repository could use to redirect prompts, keys or trust, or to record the user', () => {
    const names = [
      'backendUrl',
      'pcr0Environment',
      'additionalPcr0',
      'allowedOrigins',
      'confirmNewImages',
      'terminal.enabled',
      'usageHistory',
    ];
    assert.deepEqual(APPLICATION_SETTING_NAMES, names);
    const manifest = JSON.parse(read('package.json')) as Manifest;
    const found = properties(manifest).filter(([, { scope }]) => scope === 'application');
    assert.deepEqual(found.map(([name]) => name).toSorted(), names.map((name) => `sealedProxy.${name}`).toSorted());
  });
});

describe('SCHEMA and generatedFiles()', () => {
  it('repairs a description, a default, a table row and a check that were changed by hand', () => {
    for (const [path, from, to] of [
      ['package.json', 'Start the proxy when the editor starts.', 'Start it.'],
      ['package.json', '"default": 14114', '"default": 8080'],
      ['docs/cli.md', '`14114`', '`8080`'],
      ['docs/settings.md', '| yes ', '| no  '],
      ['docs/evidence.schema.json', '"const": "trusted_root"', '"const": "another"'],
    ] as const) {
      const changed = (name: string) => (name === path ? read(name).replace(from, to) : read(name));
      assert.notEqual(changed(path), read(path));
      assert.equal(generatedFiles(changed).get(path), read(path));
    }
  });
});
