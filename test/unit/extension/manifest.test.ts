// The commands in package.json agree with those that the extension registers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fromRoot } from '../../support/e2e/process.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
  };
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const { commands, menus } = manifest.contributes;
const declared = commands.map(({ command }) => command);

/** Called by other extensions or by links, not by people. */
const INTERNAL = ['mendAssistants', 'useFreePort', 'openSettings', 'getBaseUrl', 'getStatus', 'getConnection'];

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
