// The cases that are the same for every assistant with a file: planning, writing and reading.
import assert from 'node:assert/strict';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { cline } from '../../../../src/assistants/adapters/cline.ts';
import { opencode } from '../../../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../../../src/assistants/adapters/qwenCode.ts';
import { EXAMPLES, KEY, MODEL, OTHER_KEY, THEIR_KEY, URL } from '../../../support/assistantFiles.ts';
import { apply, perTestHome } from '../../../support/assistantHome.ts';

const BACKUP = '.sealed-proxy-backup';
const isWindows = process.platform === 'win32';

describe('fileAssistant()', () => {
  const home = perTestHome();

  for (const { assistant, file, url = URL, before, after, broken, others } of EXAMPLES) {
    describe(`for ${assistant.name}`, () => {
      const path = () => home().pathOf(file);
      const text = () => home().read(file);
      const expected = (baseUrl = URL, key: string | undefined = KEY) => ({ ...home().expected, baseUrl, key });

      it('creates a missing file, readable by its owner only', async () => {
        const change = await home().plan(assistant);
        assert.deepEqual([change.path, change.before, change.preview.exists], [path(), undefined, false]);
        assert.deepEqual(readdirSync(home().path), []);
        await apply(assistant, change);
        if (!isWindows) assert.equal(statSync(path()).mode & 0o777, 0o600);
        for (const value of [url, KEY, MODEL]) assert.ok(text().includes(value), value);
        assert.deepEqual(readdirSync(dirname(path())).length, 1);
        assert.deepEqual(await assistant.inspect(expected()), { kind: 'current', model: MODEL });
      });

      it('keeps every byte but those of the change', async () => {
        for (const eol of ['\n', '\r\n']) {
          const [old = '', wanted] = [before, after].map((each) => each.replaceAll('\n', eol));
          home().write(file, old);
          const change = await home().plan(assistant);
          assert.equal(change.after, wanted);
          const applied = await apply(assistant, change);
          assert.equal(text(), wanted);
          assert.deepEqual(await assistant.undo(applied), { kind: 'undone' });
          assert.equal(text(), old);
        }
      });

      it('keeps a byte order mark', async () => {
        home().write(file, `\ufeff${before}`);
        const applied = await home().connect(assistant);
        assert.equal(text(), `\ufeff${after}`);
        await assistant.undo(applied);
        assert.equal(text(), `\ufeff${before}`);
      });

      it('makes the file private, says so in the preview, and restores its mode', async function () {
        if (isWindows) this.skip();
        const mode = () => (statSync(path()).mode & 0o777).toString(8);
        for (const [shared, kept] of [
          [0o644, '600'],
          [0o640, '600'],
          [0o755, '700'],
        ] as const) {
          home().write(file, before, shared);
          const { preview } = await home().plan(assistant);
          assert.match(preview.changes.at(-1) ?? '', new RegExp(`mode ${shared.toString(8)} becomes ${kept}`));
          const applied = await home().connect(assistant);
          assert.equal(mode(), kept);
          assert.equal((await assistant.undo(applied)).kind, 'undone');
          assert.equal(mode(), shared.toString(8));
          assert.equal(text(), before);
        }
        home().write(file, before, 0o600);
        assert.doesNotMatch((await home().plan(assistant)).preview.changes.join(), /private/);
      });

      it('refuses a file with another name, a hard link', async function () {
        if (isWindows) this.skip();
        home().write(file, before);
        linkSync(path(), home().pathOf('other-name'));
        const result = await assistant.apply(await home().plan(assistant));
        assert.ok(result.kind === 'refused' && /hard links/.test(result.message));
        assert.equal(text(), before);
      });

      it('changes nothing the second time, also on another day', async () => {
        for (const start of [undefined, before]) {
          if (start !== undefined) home().write(file, start);
          await home().connect(assistant);
          const once = text();
          const later = { ...home().endpoint, now: home().endpoint.now + 86_400_000 };
          assert.deepEqual(await assistant.plan(later), { kind: 'unchanged' });
          assert.equal(text(), once);
        }
      });

      it('recognises an outdated address or key, and repairs it', async () => {
        home().write(file, before);
        await home().connect(assistant);
        const model = { id: 'gpt "odd"' };
        const moved = { ...home().endpoint, baseUrl: 'http://127.0.0.1:9/v1', key: OTHER_KEY, model };
        const old = { kind: 'outdated', model: MODEL };
        assert.deepEqual(await assistant.inspect(expected(moved.baseUrl)), { ...old, baseUrl: true, key: false });
        assert.deepEqual(await assistant.inspect(expected(URL, OTHER_KEY)), { ...old, baseUrl: false, key: true });
        const withoutKey = { ...home().expected, key: undefined };
        assert.deepEqual(await assistant.inspect(withoutKey), { ...old, baseUrl: false, key: true });
        const applied = await home().connect(assistant, moved);
        const state = await assistant.inspect(expected(moved.baseUrl, OTHER_KEY));
        assert.deepEqual(state, { kind: 'current', model: model.id });
        assert.ok(!text().includes(KEY));
        assert.ok(!text().includes(url));
        await assistant.undo(applied);
        assert.equal(text(), after);
      });

      it('previews the change without any key', async () => {
        for (const start of [undefined, before, after.replaceAll(KEY, OTHER_KEY)]) {
          if (start !== undefined) home().write(file, start);
          const { preview } = await home().plan(assistant);
          assert.equal(preview.path, path());
          assert.equal(preview.exists, start !== undefined);
          assert.ok(preview.changes.length > 0);
          const shown = JSON.stringify(preview);
          for (const key of [KEY, OTHER_KEY, THEIR_KEY]) assert.ok(!shown.includes(key), shown);
          assert.ok(preview.after.includes(MODEL));
          if (start !== undefined) assert.equal(preview.before.split('\n').length, start.split('\n').length);
        }
      });

      it('does not change a file that does not parse, and says so', async () => {
        for (const junk of broken) {
          home().write(file, junk);
          const plan = await assistant.plan(home().endpoint);
          assert.ok(plan.kind === 'refused', JSON.stringify(junk));
          assert.ok(plan.message.includes(path()));
          assert.match(
            plan.message,
            /^(The file is .*, so Sealed Proxy does not change it: .*\.|Sealed Proxy cannot add its entry to .*\.) .*, then try again\.$/,
          );
          assert.ok((await assistant.inspect(expected())).kind !== 'current');
          assert.equal(text(), junk);
          assert.equal(existsSync(path() + BACKUP), false);
        }
      });

      it('does not change a file that is not text', async () => {
        mkdirSync(dirname(path()), { recursive: true });
        writeFileSync(path(), new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]));
        const plan = await assistant.plan(home().endpoint);
        assert.ok(plan.kind === 'refused');
        assert.match(plan.message, /is not a text file/);
      });

      it('does not write if the file has changed since the preview', async () => {
        home().write(file, before);
        const change = await home().plan(assistant);
        for (const meanwhile of [`${before}\n`, '', undefined]) {
          if (meanwhile === undefined) rmSync(path());
          else home().write(file, meanwhile);
          const result = await assistant.apply(change);
          assert.ok(result.kind === 'refused');
          assert.match(result.message, /has changed since the preview was shown/);
          assert.equal(existsSync(path()) ? text() : undefined, meanwhile);
          assert.equal(existsSync(path() + BACKUP), false);
        }
        const fresh = await home().plan(assistant);
        home().write(file, '{}');
        assert.equal((await assistant.apply(fresh)).kind, 'refused');
        assert.equal(text(), '{}');
      });

      it('does not change a write-protected file', async () => {
        home().write(file, before, 0o444);
        const result = await assistant.apply(await home().plan(assistant));
        assert.ok(result.kind === 'refused');
        assert.match(result.message, /is write-protected/);
        assert.equal(text(), before);
        assert.deepEqual(readdirSync(dirname(path())).length, 1);
      });

      it('writes through a symbolic link, and refuses a broken one', async function () {
        if (isWindows) this.skip();
        const target = home().pathOf('dotfiles/config');
        mkdirSync(dirname(target));
        mkdirSync(dirname(path()), { recursive: true });
        symlinkSync(target, path());
        assert.equal((await assistant.plan(home().endpoint)).kind, 'refused');
        writeFileSync(target, before);
        const applied = await home().connect(assistant);
        assert.ok(lstatSync(path()).isSymbolicLink());
        assert.equal(readFileSync(target, 'utf8'), after);
        assert.equal((await assistant.undo(applied)).kind, 'undone');
        assert.equal(readFileSync(target, 'utf8'), before);
        assert.deepEqual(readdirSync(dirname(path())).length, 1);
      });

      it('recognises a missing entry and a foreign one', async () => {
        assert.deepEqual(await assistant.inspect(expected()), { kind: 'absent' });
        for (const [other, what] of others) {
          home().write(file, other);
          assert.deepEqual(await assistant.inspect(expected()), { kind: 'other', what });
        }
      });

      it('detects the assistant by its folders', async () => {
        assert.equal(await assistant.detect({ home: home().path }), false);
        mkdirSync(dirname(path()), { recursive: true });
        assert.equal(await assistant.detect({ home: home().path }), true);
      });

      it('writes every model name so that it is read back', async () => {
        const punctuated = ['a: b', '# x', "it's", '- x', '"q"', '@cf/meta', '*x', 'a\\b', '%x'];
        for (const id of ['yes', '123', 'null', 'ü🦙', ...punctuated]) {
          const applied = await home().connect(assistant, { ...home().endpoint, model: { id } });
          assert.deepEqual(await assistant.inspect(expected()), { kind: 'current', model: id });
          assert.equal((await assistant.undo(applied)).kind, 'undone');
        }
      });
    });
  }

  it('uses XDG_CONFIG_HOME for assistants that follow it', async () => {
    const endpoint = { ...home().endpoint, configHome: home().pathOf('elsewhere') };
    const pathFor = async (to: typeof endpoint) => (await home().plan(opencode, to)).path;
    assert.equal(await pathFor(endpoint), home().pathOf('elsewhere/opencode/opencode.jsonc'));
    assert.equal((await home().plan(qwenCode, endpoint)).path, home().pathOf('.qwen/settings.json'));
    assert.equal(await pathFor({ ...endpoint, configHome: '' }), home().pathOf('.config/opencode/opencode.jsonc'));
    assert.equal(await opencode.detect(endpoint), false);
    await home().connect(opencode, endpoint);
    assert.equal(await opencode.detect(endpoint), true);
    const expected = { ...endpoint, baseUrl: URL, key: KEY };
    assert.deepEqual(await opencode.inspect(expected), { kind: 'current', model: MODEL });
    assert.deepEqual(await opencode.inspect(home().expected), { kind: 'absent' });
  });

  for (const [assistant, own, theirs] of [
    [opencode, `"model": "sealed-proxy/${MODEL}"`, '"model": "anthropic/claude"'],
    [cline, '"lastUsedProvider": "openai-compatible"', '"lastUsedProvider": "anthropic"'],
    [qwenCode, '"selectedType": "openai"', '"selectedType": "qwen-oauth"'],
  ] as const) {
    it(`does not compare the address of ${assistant.name} while it is unknown, whatever is selected`, async () => {
      const { path } = await home().connect(assistant);
      const written = readFileSync(path, 'utf8');
      assert.ok(written.includes(own), written);
      writeFileSync(path, written.replace(own, theirs));
      assert.deepEqual(await assistant.inspect(home().expected), { kind: 'current', model: MODEL });
      const state = await assistant.inspect({ ...home().expected, baseUrl: undefined });
      assert.ok(state.kind === 'current' && state.uncompared === true);
    });
  }
});
