import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { codex } from '../../../src/assistants/adapters/codex.ts';
import { FILE_ASSISTANTS } from '../../../src/assistants/registry.ts';
import { UndoStore, undoEntries } from '../../../src/assistants/undoStore.ts';
import { uninstall } from '../../../src/assistants/uninstall.ts';
import { makeRecord, parseRecord, writeRecord } from '../../../src/assistants/uninstallRecord.ts';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';
import { accessKeyId } from '../../../src/shared/accessKeys.ts';
import { EXAMPLES, KEY, THEIR_KEY } from '../../support/assistantFiles.ts';
import { perTestHome } from '../../support/assistantHome.ts';
import { Vault } from '../../support/secretVault.ts';

const KEYS = /sealed-[\w-]{43}/;

describe('uninstall()', () => {
  const home = perTestHome();
  const settings = () => home().pathOf('settings.json');
  const record = () => home().pathOf('extension-uninstall.json');
  let secrets: Secrets;

  beforeEach(async () => {
    secrets = new Secrets(new Vault().storage(), new MachineStore(home().pathOf('data')));
    const undo = new UndoStore(undoEntries(secrets));
    for (const { assistant, file, before } of EXAMPLES) {
      home().write(file, before);
      const { key } = await secrets.accessKeyNamed(assistant.name, 'assistant');
      await undo.set(assistant, await home().connect(assistant, { ...home().endpoint, key }));
    }
    const keys = await secrets.accessKeys();
    await writeRecord(record(), await makeRecord(FILE_ASSISTANTS, keys, undo, { home: home().path }, [settings()]));
  });

  afterEach(() => {
    secrets.dispose();
  });

  it('restores what assistants had selected before, and deletes the backups', async () => {
    assert.deepEqual(await uninstall(record()), []);
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

  it('finds no secret in the record', () => {
    const text = readFileSync(record(), 'utf8');
    assert.ok(parseRecord(text) !== undefined);
    assert.doesNotMatch(text, KEYS);
    assert.ok(!text.includes(THEIR_KEY));
  });

  it('knows the folders that the user has moved', async () => {
    const places = { home: home().path, codexHome: home().pathOf('moved') };
    const change = await home().plan(codex, { ...home().endpoint, codexHome: places.codexHome });
    await codex.apply(change);
    const key = { ...(await secrets.accessKeyNamed(codex.name, 'assistant')), key: KEY, id: accessKeyId(KEY) };
    await writeRecord(
      record(),
      await makeRecord(FILE_ASSISTANTS, [key], new UndoStore(undoEntries(secrets)), places, []),
    );
    assert.deepEqual(parseRecord(readFileSync(record(), 'utf8'))?.places, places);
    assert.deepEqual(await uninstall(record()), []);
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
      assert.deepEqual(await uninstall(record()), []);
      assert.equal(readFileSync(settings(), 'utf8'), wanted);
    }
  });

  it('removes the port that the extension wrote, unless the user has changed it since', async () => {
    const without = parseRecord(readFileSync(record(), 'utf8'));
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
      assert.deepEqual(await uninstall(record()), []);
      assert.deepEqual(JSON.parse(readFileSync(settings(), 'utf8')), wanted);
    }
  });

  it('names what it cannot change, and continues with the rest', async () => {
    const [first, ...others] = EXAMPLES;
    assert.ok(first !== undefined);
    const broken = `{ "x": "${(await secrets.accessKeys()).map(({ key }) => key).join()}"`;
    home().write(first.file, broken);
    const [message = '', ...rest] = await uninstall(record());
    assert.ok(message.includes(home().pathOf(first.file)));
    assert.doesNotMatch(message, KEYS);
    assert.deepEqual(rest, []);
    for (const { file } of others) assert.doesNotMatch(home().read(file), KEYS);
  });

  it('does nothing without a record, or with a damaged one', async () => {
    const texts = EXAMPLES.map(({ file }) => home().read(file));
    for (const text of [undefined, '', '{}', '{"version":2}', '{"version":1,"places":{"home":7}}']) {
      if (text === undefined) await writeRecord(record(), undefined);
      else writeFileSync(record(), text);
      assert.deepEqual(await uninstall(record()), []);
    }
    assert.deepEqual(
      EXAMPLES.map(({ file }) => home().read(file)),
      texts,
    );
  });
});
