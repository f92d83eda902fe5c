import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { codex } from '../../../src/assistants/adapters/codex.ts';
import { opencode } from '../../../src/assistants/adapters/opencode.ts';
import { Leave, readRecord, uninstall, writeRecord } from '../../../src/assistants/leave.ts';
import { FILE_ASSISTANTS } from '../../../src/assistants/registry.ts';
import { UndoStore, undoEntries } from '../../../src/assistants/undoStore.ts';
import { makeAccessKey } from '../../../src/keys/accessKeys.ts';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';
import { accessKeyId } from '../../../src/shared/accessKeys.ts';
import { EXAMPLES, KEY, OTHER_KEY, THEIR_KEY } from '../../support/assistantFiles.ts';
import { perTestHome } from '../../support/assistantHome.ts';
import { Vault, entriesIn } from '../../support/secretVault.ts';

const FILE = '.config/opencode/opencode.jsonc';
const KEYS = /sealed-[\w-]{43}/;

describe('uninstall()', () => {
  const home = perTestHome();
  const settings = () => home().pathOf('settings.json');
  const record = () => home().pathOf('extension-uninstall.json');
  const uninstalled = async () => {
    const known = await readRecord(record());
    return known === undefined ? undefined : uninstall(known);
  };
  let secrets: Secrets;

  beforeEach(async () => {
    secrets = new Secrets(new Vault().storage(), new MachineStore(home().pathOf('data')));
    const undo = new UndoStore(undoEntries(secrets));
    for (const { assistant, file, before } of EXAMPLES) {
      home().write(file, before);
      const { key } = await secrets.accessKeyNamed(assistant.name, 'assistant');
      await undo.set(assistant, await home().connect(assistant, { ...home().endpoint, key }));
    }
    const leave = new Leave(FILE_ASSISTANTS, undo, { home: home().path }, secrets);
    await writeRecord(record(), await leave.record([settings()]));
  });

  afterEach(() => {
    secrets.dispose();
  });

  it('restores what assistants had selected before, and deletes the backups', async () => {
    assert.deepEqual(await uninstalled(), []);
    for (const { file, before } of EXAMPLES) {
      assert.equal(
        home()
          .read(file)
          .replaceAll(/[\s,]+/g, ''),
        before.replaceAll(/[\s,]+/g, ''),
      );
      assert.equal(existsSync(`${home().pathOf(file)}.sealed-proxy-backup`), false);
    }
  });

  it('finds no secret in the record', async () => {
    const text = readFileSync(record(), 'utf8');
    assert.ok((await readRecord(record())) !== undefined);
    assert.doesNotMatch(text, KEYS);
    assert.ok(!text.includes(THEIR_KEY));
  });

  it('knows the folders that the user has moved', async () => {
    const places = { home: home().path, codexHome: home().pathOf('moved') };
    const change = await home().plan(codex, { ...home().endpoint, codexHome: places.codexHome });
    await codex.apply(change);
    const key = { ...(await secrets.accessKeyNamed(codex.name, 'assistant')), key: KEY, id: accessKeyId(KEY) };
    const only = { accessKeys: () => Promise.resolve([key]) };
    const leave = new Leave(FILE_ASSISTANTS, new UndoStore(undoEntries(secrets)), places, only);
    await writeRecord(record(), await leave.record([]));
    assert.deepEqual((await readRecord(record()))?.places, places);
    assert.deepEqual(await uninstalled(), []);
    assert.doesNotMatch(home().read('moved/config.toml'), /sealed/i);
  });

  it('removes only the settings that the extension wrote, and those with one of its keys', async () => {
    const { key } = (await secrets.accessKeys())[0] ?? { key: '' };
    const theirs = '{\n  // mine\n  "editor.fontSize": 14,\n  "sealedProxy.port": 7000';
    const ours = ',\n  "sealedProxy.baseUrl": "http://127.0.0.1:7000/v1"';
    const llama = `,\n  "llama-vscode.endpoint_chat": "x",\n  "llama-vscode.api_key_chat": "${key}"`;
    for (const [text, wanted] of [
      [`${theirs}${ours}${llama}\n}\n`, `${theirs}\n}\n`],
      [
        `${theirs}${ours},\n  "llama-vscode.api_key_chat": "theirs"\n}\n`,
        `${theirs},\n  "llama-vscode.api_key_chat": "theirs"\n}\n`,
      ],
      [`${theirs}\n}\n`, `${theirs}\n}\n`],
      ['{ broken', '{ broken'],
    ] as const) {
      writeFileSync(settings(), text);
      assert.deepEqual(await uninstalled(), []);
      assert.equal(readFileSync(settings(), 'utf8'), wanted);
    }
  });

  it('removes the port that the extension wrote, unless the user has changed it since', async () => {
    const without = await readRecord(record());
    assert.ok(without !== undefined);
    const mine = '{ "sealedProxy.port": 7000 }\n';
    for (const [port, text, wanted] of [
      [14_200, '{ "sealedProxy.port": 14200 }\n', {}],
      [14_200, mine, { 'sealedProxy.port': 7000 }],
      [14_200, '{ "sealedProxy.port": "14200" }\n', { 'sealedProxy.port': '14200' }],
      [undefined, mine, { 'sealedProxy.port': 7000 }],
    ] as const) {
      await writeRecord(record(), { ...without, ...(port !== undefined && { port }) });
      writeFileSync(settings(), text);
      assert.deepEqual(await uninstalled(), []);
      assert.deepEqual(JSON.parse(readFileSync(settings(), 'utf8')), wanted);
    }
  });

  it('names what it cannot change, and continues with the rest', async () => {
    const [first, ...others] = EXAMPLES;
    assert.ok(first !== undefined);
    const broken = `{ "x": "${(await secrets.accessKeys()).map(({ key }) => key).join()}"`;
    home().write(first.file, broken);
    const [message = '', ...rest] = (await uninstalled()) ?? [];
    assert.ok(message.includes(home().pathOf(first.file)));
    assert.doesNotMatch(message, KEYS);
    assert.deepEqual(rest, []);
    for (const { file } of others) assert.doesNotMatch(home().read(file), KEYS);
  });

  it('knows no record if there is none, or a damaged one', async () => {
    for (const text of [undefined, '', '{}', '{"version":2}', '{"version":1,"places":{"home":7}}']) {
      if (text === undefined) await writeRecord(record(), undefined);
      else writeFileSync(record(), text);
      assert.equal(await uninstalled(), undefined);
    }
  });
});

describe('Leave', () => {
  const home = perTestHome();
  const stored = new Map<string, string>();
  const undo = new UndoStore(entriesIn(stored));
  const removeAll = (...keys: string[]) => {
    const places = { home: home().path };
    const known = keys.map((key) => ({ ...makeAccessKey(opencode.name, 'assistant', 0), key, id: accessKeyId(key) }));
    return new Leave([opencode], undo, places, { accessKeys: () => Promise.resolve(known) }).disconnectAll();
  };

  beforeEach(() => {
    stored.clear();
  });

  it('leaves the entry of another editor on this computer', async () => {
    await home().connect(opencode);
    const theirs = home().read(FILE);
    assert.deepEqual(await removeAll(OTHER_KEY), []);
    assert.equal(home().read(FILE), theirs);
  });

  it('removes an entry with a key of this editor', async () => {
    await home().connect(opencode);
    assert.deepEqual(await removeAll(KEY), []);
    assert.ok(!home().read(FILE).includes(KEY));
  });

  it('removes an entry that this editor has written, whose key was revoked', async () => {
    home().write(FILE, '{}\n');
    await undo.set(opencode, await home().connect(opencode));
    home().write(FILE, `${home().read(FILE)}\n// mine\n`);
    assert.deepEqual(await removeAll(), []);
    assert.ok(!home().read(FILE).includes(KEY));
  });

  it('leaves the entry that another editor has written after this one', async () => {
    await undo.set(opencode, await home().connect(opencode));
    home().write(FILE, home().read(FILE).replace(KEY, OTHER_KEY));
    const theirs = home().read(FILE);
    await removeAll(KEY);
    assert.equal(home().read(FILE), theirs);
  });
});
