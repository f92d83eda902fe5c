import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { COMMANDS, CONTEXT_KEYS, commandId, menuGroups } from '../../../src/presentation/commands.ts';
import type { VisibleCommand } from '../../../src/presentation/commands.ts';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import { fromRoot } from '../../support/e2e/process.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly object[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
    readonly walkthroughs: readonly { readonly steps: readonly { readonly completionEvents: readonly string[] }[] }[];
  };
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const { contributes } = JSON.parse(read('package.json')) as Manifest;
const names = Object.keys(COMMANDS) as VisibleCommand[];
const inPalette = names.filter((name) => COMMANDS[name].palette !== 'never');

/** Fails with a sentence that names the part of package.json to change, and its right content. */
function assertContributes(part: string, actual: unknown, expected: unknown): void {
  assert.deepEqual(
    actual,
    expected,
    `package.json differs from src/presentation/commands.ts. Set contributes.${part} in package.json to ` +
      `${JSON.stringify(expected, null, 2)}, or correct the catalogue.`,
  );
}

describe('COMMANDS', () => {
  it('is what package.json contributes, in the same order', () => {
    const expected = inPalette.map((name) => ({
      command: commandId(name),
      title: COMMANDS[name].title,
      category: 'Sealed Proxy',
    }));
    assertContributes('commands', contributes.commands, expected);
  });

  it('has the when clauses of the Command Palette in package.json', () => {
    const expected = inPalette
      .filter((name) => COMMANDS[name].palette !== undefined)
      .map((name) => ({ command: commandId(name), when: COMMANDS[name].palette }));
    assertContributes('menus.commandPalette', contributes.menus.commandPalette, expected);
  });

  it('keeps the public command ids', () => {
    const ids =
      'checkConnection connectAssistant copyBaseUrl diagnose getStarted manageAccessKeys newAccessKey removeApiKey ' +
      'restart setApiKey showAttestation showLog showMenu showUsage start stop';
    assert.equal(inPalette.toSorted().join(' '), ids);
  });

  it('uses only context keys that the extension sets, and states that exist', () => {
    const whenClauses = contributes.menus.commandPalette.map(({ when }) => when);
    const events = contributes.walkthroughs.flatMap(({ steps }) =>
      steps.flatMap(({ completionEvents }) => completionEvents),
    );
    const status = read('src/shared/status.ts');
    for (const text of [...whenClauses, ...events]) {
      for (const [, key = ''] of text.matchAll(/sealedProxy\.(\w+)/g))
        assert.ok((CONTEXT_KEYS as readonly string[]).includes(key), `${text}: no context key is named ${key}`);
      for (const [, kind = ''] of text.matchAll(/sealedProxy\.state [!=]= (\w+)/g))
        assert.ok(status.includes(`readonly kind: '${kind}'`), `${text}: no state is named ${kind}`);
    }
  });

  it('gives every command of the menu an icon', () => {
    for (const name of names) {
      const { icon, group } = COMMANDS[name];
      assert.equal(icon === undefined, group === undefined, name);
    }
  });
});

describe('menuGroups()', () => {
  const menu = (offered: readonly VisibleCommand[], whileRunning: boolean, withApiKey: boolean) =>
    menuGroups(offered, { whileRunning, withApiKey }).map((group) => group.join(' '));

  it('lists what always works, and what the state offers', () => {
    const { actions } = describeStatus({ kind: 'portTaken', port: 1, unresponsive: false });
    assert.deepEqual(menu(actions, false, false), [
      'useFreePort diagnose showLog',
      'connectAssistant setApiKey newAccessKey manageAccessKeys',
      'restart openSettings getStarted',
    ]);
  });

  it('lists everything that a running proxy can do', () => {
    assert.deepEqual(menu(['checkConnection', 'copyBaseUrl', 'showAttestation', 'showLog', 'stop'], true, true), [
      'checkConnection copyBaseUrl showAttestation showUsage diagnose showLog',
      'connectAssistant setApiKey removeApiKey newAccessKey manageAccessKeys',
      'restart stop openSettings getStarted',
    ]);
  });

  it('lists Remove API Key only if there is a key', () => {
    assert.ok(!menu([], true, false).join(' ').includes('removeApiKey'));
  });
});
