import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  COMMANDS,
  CONTEXT_KEYS,
  INTERNAL_COMMANDS,
  commandId,
  menuGroups,
} from '../../../src/presentation/commands.ts';
import type { VisibleCommand } from '../../../src/presentation/commands.ts';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import type { RunningStatus } from '../../../src/shared/status.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { unreachableStatus } from '../../support/statuses.ts';

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly object[];
    readonly menus: Readonly<
      Record<'commandPalette' | 'editor/title', readonly { readonly command: string; readonly when: string }[]>
    >;
    readonly viewsWelcome: readonly { readonly when: string }[];
    readonly walkthroughs: readonly { readonly steps: readonly { readonly completionEvents: readonly string[] }[] }[];
  };
}

const RUNNING: Omit<RunningStatus, 'health'> = {
  kind: 'running',
  url: 'http://127.0.0.1:14114',
  port: 14114,
  version: '1.2.3',
  shared: false,
  backendUrl: 'https://enclave.example',
  verified: null,
  establishedAt: null,
};

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const { contributes, activationEvents } = JSON.parse(read('package.json')) as Manifest;
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

  it('is in the title bar of the diff editor that shows a change, as text, in the same order', () => {
    const inDiff = names.filter((name) => COMMANDS[name].inDiff === true);
    const expected = inDiff.map((name, index) => ({
      command: commandId(name),
      when: COMMANDS[name].palette,
      group: `navigation@${index + 1}`,
    }));
    assertContributes('menus.editor/title', contributes.menus['editor/title'], expected);
  });

  it('works while the editor starts: each command that package.json does not contribute has an activation event', () => {
    const restored = 'onWebviewPanel:sealedProxy.dashboard';
    const expected = [
      'onStartupFinished',
      restored,
      ...INTERNAL_COMMANDS.map((name) => `onCommand:${commandId(name)}`),
    ];
    assert.deepEqual(activationEvents, expected);
  });

  it('has no other title with the word Start, so that typing it in the palette and Enter runs Start', () => {
    const titles = inPalette.map((name) => COMMANDS[name].title);
    const found = titles.filter((title) => /\bstart/i.test(title));
    assert.deepEqual(found, ['Start']);
  });

  it('keeps the public command ids', () => {
    const released =
      'checkConnection connectAssistant copyBaseUrl diagnose getStarted manageAccessKeys newAccessKey removeApiKey ' +
      'restart setApiKey showAttestation showLog showMenu showUsage start stop';
    for (const name of released.split(' ')) assert.ok((inPalette as readonly string[]).includes(name), name);
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

  it('shows the first step in the view only once it is known that it is needed', () => {
    const conditions = contributes.viewsWelcome.map(({ when }) => when);
    assert.deepEqual(conditions, ['sealedProxy.needsApiKey']); // the negation of a key that is not set yet is true
  });

  it('gives every command of the menu an icon', () => {
    for (const name of names) {
      const { icon, group } = COMMANDS[name];
      assert.equal(icon === undefined, group === undefined, name);
    }
  });
});

describe('menuGroups()', () => {
  const menu = (view: Parameters<typeof menuGroups>[0], whileRunning: boolean, withApiKey: boolean) =>
    menuGroups(view, { whileRunning, withApiKey });
  const offering = (...actions: readonly VisibleCommand[]) => ({ actions, remedy: null });
  const find = (groups: ReturnType<typeof menu>, name: VisibleCommand) =>
    groups.find(({ commands }) => commands.includes(name))?.title;

  it('lists what always works, and what the state offers', () => {
    const groups = menu(describeStatus({ kind: 'portTaken', port: 1, by: 'program' }), false, false);
    assert.deepEqual(groups[0], { title: 'Now', commands: ['useFreePort'] });
    for (const name of ['connectAssistant', 'keepChatSealed', 'getStarted'] as const)
      assert.equal(find(groups, name), 'Use', name);
    for (const name of ['openDashboard', 'showPrompts', 'diagnose', 'showLog'] as const)
      assert.equal(find(groups, name), 'Look', name);
    for (const name of ['setApiKey', 'manageAccessKeys'] as const) assert.equal(find(groups, name), 'Keys', name);
    for (const name of ['restart', 'openSettings'] as const) assert.equal(find(groups, name), 'Proxy', name);
    for (const name of ['start', 'stop', 'checkConnection', 'showUsage', 'removeApiKey', 'showMenu'] as const)
      assert.equal(find(groups, name), undefined, name);
  });

  it('lists everything that a running proxy can do', () => {
    const offered = ['checkConnection', 'copyBaseUrl', 'showAttestation', 'showLog', 'stop'] as const;
    const groups = menu(offering(...offered), true, true);
    assert.deepEqual(
      groups.map(({ title }) => title),
      ['Use', 'Look', 'Keys', 'Proxy', 'Remove'],
    );
    for (const name of [...offered, 'showUsage', 'restart', 'removeApiKey'] as const)
      assert.notEqual(find(groups, name), undefined, name);
    assert.equal(find(groups, 'useFreePort'), undefined);
    assert.deepEqual(groups.at(-1)?.commands, ['removeApiKey', 'removeEverything']);
  });

  it('lists each command once, in the order of the catalogue, and no empty group', () => {
    const groups = menu({ actions: names, remedy: 'diagnose' }, true, true);
    for (const { commands } of groups.filter(({ title }) => title !== 'Now')) {
      assert.ok(commands.length > 0);
      assert.deepEqual(
        commands,
        names.filter((name) => commands.includes(name)),
      );
    }
    const all = groups.flatMap(({ commands }) => commands);
    assert.equal(new Set(all).size, all.length);
  });

  it('begins with what the state needs', () => {
    for (const kind of ['noKey', 'keyRejected'] as const) {
      const view = describeStatus({ ...RUNNING, health: { kind, checkedAt: 0 } });
      assert.deepEqual(menu(view, true, kind === 'keyRejected')[0], { title: 'Now', commands: ['setApiKey'] }, kind);
    }
    const off = menu(describeStatus({ kind: 'off' }), false, true);
    assert.deepEqual(off[0], { title: 'Now', commands: ['start'] });
    const unreachable = menu(describeStatus(unreachableStatus('network')), true, true);
    assert.deepEqual(unreachable[0], { title: 'Now', commands: ['diagnose'] });
    assert.notEqual(menu(offering(), true, true)[0]?.title, 'Now');
  });

  it('lists Remove API Key only if there is a key', () => {
    assert.equal(find(menu(offering(), true, false), 'removeApiKey'), undefined);
  });
});
