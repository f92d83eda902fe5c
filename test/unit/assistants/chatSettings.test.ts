import assert from 'node:assert/strict';
import { applyEdits, modify, parse } from 'jsonc-parser';
import { ChatSettings } from '../../../src/assistants/chatSettings.ts';
import type { SettingsFiles } from '../../../src/assistants/chatSettings.ts';
import { undoEntries } from '../../../src/assistants/undoStore.ts';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';
import { Vault } from '../../support/secretVault.ts';

const FILE = 'file:///User/settings.json';
/** With a byte order mark, comments, two kinds of line breaks, tabs and a trailing comma. */
const ODD =
  '\ufeff{\r\n\t// mine\n  "editor.tabSize"  : 4,\r\n\t"chat.plan": "before", /* why */\n\n  "z": [1 ,2],\r\n}\n\n';
const CHANGES = [
  { key: 'chat.plan', value: 'Large 1 (sealed-proxy)' },
  { key: 'chat.utility', value: 'sealed-proxy/small-1' },
];

/**
 * A settings.json that an editor changes as VS Code does, with jsonc-parser and formatting. Like some, it does not notice
 * when others change the file.
 */
class EditorSettings {
  readonly files = new Map<string, string>();
  readonly #place: string;
  #values: Readonly<Record<string, unknown>>;
  unsaved = false;
  failsAt: string | undefined;
  onWritten: (key: string) => void = () => undefined;

  constructor(text: string, place = FILE) {
    this.#place = place;
    this.files.set(place, text);
    this.#values = this.#inFile();
  }

  get text(): string {
    return this.files.get(this.#place) ?? '';
  }

  set text(text: string) {
    this.files.set(this.#place, text);
  }

  readonly isOverridden = () => false;

  read(key: string): unknown {
    return this.#values[key];
  }

  write(key: string, value: unknown): Promise<void> {
    if (key === this.failsAt) return Promise.reject(new Error('The editor refused.'));
    const options = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: '\n' } };
    this.text = applyEdits(this.text, modify(this.text, [key], value, options));
    this.#values = this.#inFile();
    this.onWritten(key);
    return Promise.resolve();
  }

  #inFile(): Readonly<Record<string, unknown>> {
    return parse(this.text.replace('\ufeff', ''), [], { allowTrailingComma: true }) as Record<string, unknown>;
  }

  readonly access: SettingsFiles = {
    candidates: ['file:///remote/settings.json', FILE],
    read: (uri) => {
      const text = this.files.get(uri);
      return Promise.resolve(text === undefined ? undefined : Buffer.from(text));
    },
    write: (uri, bytes) => {
      this.files.set(uri, Buffer.from(bytes).toString());
      return Promise.resolve();
    },
    isUnsaved: () => this.unsaved,
  };
}

function setUp(text = ODD, place = FILE) {
  const editor = new EditorSettings(text, place);
  const vault = new Vault();
  const secrets = () => new Secrets(vault.storage(), new MachineStore('/nonexistent'));
  /** Another window, or the same one later. */
  const open = () => new ChatSettings(editor, editor.access, undoEntries(secrets()));
  return { editor, vault, open };
}

describe('ChatSettings', () => {
  it('writes the settings, and restores settings.json byte for byte', async () => {
    const { editor, vault, open } = setUp();
    await open().apply(CHANGES);
    assert.equal(editor.read('chat.plan'), 'Large 1 (sealed-proxy)');
    assert.equal(editor.read('chat.utility'), 'sealed-proxy/small-1');
    assert.deepEqual(await open().undoable(), ['chat.plan', 'chat.utility']);
    assert.deepEqual(await open().previous(), [
      { key: 'chat.plan', value: 'before' },
      { key: 'chat.utility', value: undefined },
    ]);
    assert.deepEqual(await open().undo(), { exact: true, kept: [] });
    assert.equal(editor.text, ODD);
    assert.deepEqual(
      [editor.read('chat.plan'), editor.read('chat.utility')],
      ['before', undefined],
      'in the editor too',
    );
    assert.deepEqual(await open().undoable(), []);
    assert.deepEqual([...vault.values.keys()], []);
    assert.equal(await open().undo(), undefined);
  });

  it('would not restore these bytes through the editor alone', async () => {
    const { editor } = setUp();
    await editor.write('chat.utility', 'x');
    await editor.write('chat.utility', undefined);
    assert.notEqual(editor.text, ODD);
  });

  it('restores the bytes from before the first change, after several changes', async () => {
    const { editor, open } = setUp();
    await open().apply(CHANGES);
    await open().apply([{ key: 'chat.utility', value: 'sealed-proxy/large-1' }]);
    await open().apply([{ key: 'chat.other', value: false }]);
    assert.deepEqual(await open().undo(), { exact: true, kept: [] });
    assert.equal(editor.text, ODD);
  });

  it('restores the values, and leaves everything else, if something else in the file has changed', async () => {
    const { editor, open } = setUp();
    await open().apply(CHANGES);
    await editor.write('z', [3]);
    assert.deepEqual(await open().undo(), { exact: false, kept: [] });
    assert.equal(editor.read('chat.plan'), 'before');
    assert.equal(editor.read('chat.utility'), undefined);
    assert.deepEqual(editor.read('z'), [3]);
    assert.match(editor.text, /\/\/ mine\n.*\/\* why \*\//s);
  });

  it('does not restore the file if something else has changed between two changes', async () => {
    const { editor, open } = setUp();
    await open().apply(CHANGES);
    await editor.write('z', [3]);
    await open().apply([{ key: 'chat.other', value: false }]);
    assert.deepEqual(await open().undo(), { exact: false, kept: [] });
    assert.deepEqual(
      [editor.read('z'), editor.read('chat.other'), editor.read('chat.plan')],
      [[3], undefined, 'before'],
    );
  });

  it('leaves a change that another window makes while it restores the values', async () => {
    const { editor, open } = setUp();
    await open().apply(CHANGES);
    editor.onWritten = (key) => {
      if (key !== 'chat.utility') return;
      editor.text = editor.text.replace(/"editor.tabSize" *: 4/, '"editor.tabSize": 8');
    };
    assert.deepEqual(await open().undo(), { exact: false, kept: [] });
    assert.match(editor.text, /"editor.tabSize": 8/);
    assert.match(editor.text, /"chat\.plan": "before"/);
    assert.doesNotMatch(editor.text, /chat\.utility/);
  });

  it('leaves a setting that the user has changed since, and names it', async () => {
    const { editor, open } = setUp();
    await open().apply(CHANGES);
    await editor.write('chat.plan', 'my choice');
    assert.deepEqual(await open().undo(), { exact: false, kept: ['chat.plan'] });
    assert.equal(editor.read('chat.plan'), 'my choice');
    assert.equal(editor.read('chat.utility'), undefined);
  });

  it('remembers the choice of the user as the previous value when it writes again', async () => {
    const { editor, open } = setUp();
    await open().apply(CHANGES);
    await editor.write('chat.plan', 'my choice');
    await open().apply(CHANGES);
    await open().undo();
    assert.equal(editor.read('chat.plan'), 'my choice');
  });

  it('restores the values if it cannot read settings.json', async () => {
    const { editor, open } = setUp(ODD, 'file:///elsewhere/settings.json');
    await open().apply(CHANGES);
    assert.deepEqual(await open().undo(), { exact: false, kept: [] });
    assert.equal(editor.read('chat.plan'), 'before');
    assert.equal(editor.read('chat.utility'), undefined);
  });

  it('does not touch a file that is not the one which the editor has changed', async () => {
    const { editor, open } = setUp(ODD, 'file:///elsewhere/settings.json');
    editor.files.set(FILE, '{ "a": 1 }');
    await open().apply(CHANGES);
    await open().undo();
    assert.equal(editor.files.get(FILE), '{ "a": 1 }');
  });

  it('writes nothing and remembers nothing if the editor refuses one of the settings', async () => {
    const { editor, vault, open } = setUp();
    editor.failsAt = 'chat.utility';
    await assert.rejects(open().apply(CHANGES), /The editor refused\./);
    assert.equal(editor.read('chat.plan'), 'before');
    assert.equal(vault.values.size, 0);
    editor.failsAt = undefined;
    await open().apply(CHANGES);
    editor.failsAt = 'chat.other';
    await assert.rejects(open().apply([{ key: 'chat.other', value: 1 }]), /refused/);
    assert.deepEqual(await open().undo(), { exact: true, kept: [] });
    assert.equal(editor.text, ODD);
  });

  it('refuses to undo while settings.json has unsaved changes, and keeps what it remembers', async () => {
    const { editor, open } = setUp();
    await open().apply(CHANGES);
    editor.unsaved = true;
    await assert.rejects(open().undo(), /settings\.json has unsaved changes\. Save or revert them, then undo again\./);
    editor.unsaved = false;
    assert.deepEqual(await open().undo(), { exact: true, kept: [] });
  });

  it('keeps what it remembers if the editor refuses to restore a value', async () => {
    const { editor, open } = setUp(ODD, 'file:///elsewhere/settings.json');
    await open().apply(CHANGES);
    editor.failsAt = 'chat.utility';
    await assert.rejects(open().undo(), /refused/);
    editor.failsAt = undefined;
    assert.deepEqual(await open().undo(), { exact: false, kept: [] });
    assert.equal(editor.read('chat.utility'), undefined);
  });

  it('ignores what it cannot read of an earlier or later version', async () => {
    const { vault, open } = setUp();
    for (const text of ['', '{', '{"version":2,"values":{"a":{"after":1}}}', '{"version":1}']) {
      vault.values.set('undo.vscode-chat', text);
      assert.deepEqual(await open().undoable(), [], text);
      assert.equal(await open().undo(), undefined, text);
    }
  });
});
