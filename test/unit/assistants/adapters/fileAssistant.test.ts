import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Applied, Assistant, Change, AssistantEndpoint } from '../../../../src/assistants/types.ts';
import { EXAMPLES, KEY, MODEL, OTHER_KEY, THEIR_KEY, URL, connectionTo } from '../../../support/assistantFiles.ts';

const BACKUP = '.sealed-proxy-backup';
const isWindows = process.platform === 'win32';

async function planned(assistant: Assistant, connection: AssistantEndpoint): Promise<Change> {
  const plan = await assistant.plan(connection);
  assert.ok(plan.kind === 'change', JSON.stringify(plan));
  return plan;
}

async function applied(assistant: Assistant, change: Change): Promise<Applied> {
  const result = await assistant.apply(change);
  assert.ok(result.kind === 'applied', JSON.stringify(result));
  return result;
}

/** Where an entry stood, a comma or a line may be left as it was moved. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/[\s,]+/g, '');
}

for (const { assistant, file, before, after, broken, others } of EXAMPLES) {
  describe(`The configuration of ${assistant.name}`, () => {
    let home: string;
    let path: string;
    let connection: AssistantEndpoint;

    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'sealed-proxy-home-'));
      path = join(home, file);
      connection = connectionTo(home);
    });

    afterEach(() => {
      rmSync(home, { recursive: true });
    });

    const put = (text: string, mode = 0o644) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode });
    };
    const text = () => readFileSync(path, 'utf8');
    const connect = async (to = connection) => applied(assistant, await planned(assistant, to));
    const expected = (baseUrl = URL, key: string | undefined = KEY) => ({ home, baseUrl, key });

    it('is made where there is none, for its owner alone, and undone without a trace', async () => {
      const change = await planned(assistant, connection);
      assert.deepEqual([change.path, change.before, change.preview.exists], [path, undefined, false]);
      assert.deepEqual(readdirSync(home), []);
      const done = await connect();
      if (!isWindows) assert.equal(statSync(path).mode & 0o777, 0o600);
      for (const value of [URL, KEY, MODEL]) assert.ok(text().includes(value), value);
      assert.deepEqual(readdirSync(dirname(path)).length, 1);
      assert.deepEqual(await assistant.inspect(expected()), { kind: 'current', model: MODEL });
      assert.deepEqual(await assistant.undo(done), { kind: 'undone', path });
      assert.deepEqual(readdirSync(home), []);
    });

    it('is filled where it is empty', async () => {
      for (const nothing of ['', '\n', '  \n\n']) {
        put(nothing);
        const done = await connect();
        assert.deepEqual(await assistant.inspect(expected()), { kind: 'current', model: MODEL });
        await assistant.undo(done);
        assert.equal(text(), nothing);
      }
    });

    it('keeps every byte but those of the change', async () => {
      for (const eol of ['\n', '\r\n']) {
        const [old, wanted] = [before, after].map((each) => each.replaceAll('\n', eol));
        put(old ?? '');
        const change = await planned(assistant, connection);
        assert.equal(change.after, wanted);
        const done = await applied(assistant, change);
        assert.equal(text(), wanted);
        assert.deepEqual(await assistant.undo(done), { kind: 'undone', path });
        assert.equal(text(), old);
      }
    });

    it('keeps a mark of its byte order', async () => {
      put(`\ufeff${before}`);
      const done = await connect();
      assert.equal(text(), `\ufeff${after}`);
      await assistant.undo(done);
      assert.equal(text(), `\ufeff${before}`);
    });

    it('keeps its mode', async function () {
      if (isWindows) this.skip();
      put(before, 0o640);
      const done = await connect();
      assert.equal(statSync(path).mode & 0o777, 0o640);
      await assistant.undo(done);
      assert.equal(statSync(path).mode & 0o777, 0o640);
    });

    it('does not change a second time, at whatever time', async () => {
      for (const start of [undefined, before]) {
        if (start !== undefined) put(start);
        await connect();
        const once = text();
        const later = { ...connection, now: connection.now + 86_400_000 };
        assert.deepEqual(await assistant.plan(later), { kind: 'unchanged', path });
        assert.equal(text(), once);
      }
    });

    it('is mended for another port, key and model, and says so', async () => {
      put(before);
      await connect();
      const moved = { ...connection, baseUrl: 'http://127.0.0.1:9/v1', key: OTHER_KEY, model: { id: 'gpt "odd"' } };
      const old = { kind: 'old', model: MODEL };
      assert.deepEqual(await assistant.inspect(expected(moved.baseUrl)), { ...old, baseUrl: true, key: false });
      assert.deepEqual(await assistant.inspect(expected(URL, OTHER_KEY)), { ...old, baseUrl: false, key: true });
      assert.deepEqual(await assistant.inspect({ home, baseUrl: URL, key: undefined }), {
        ...old,
        baseUrl: false,
        key: true,
      });
      const done = await connect(moved);
      const configState = await assistant.inspect(expected(moved.baseUrl, OTHER_KEY));
      assert.deepEqual(configState, { kind: 'current', model: moved.model.id });
      assert.ok(!text().includes(KEY));
      assert.ok(!text().includes(URL));
      await assistant.undo(done);
      assert.equal(text(), after);
    });

    it('shows what will be, without any key', async () => {
      for (const start of [undefined, before, after.replaceAll(KEY, OTHER_KEY)]) {
        if (start !== undefined) put(start);
        const { preview } = await planned(assistant, connection);
        assert.equal(preview.path, path);
        assert.equal(preview.exists, start !== undefined);
        assert.ok(preview.changes.length > 0);
        const shown = JSON.stringify(preview);
        for (const key of [KEY, OTHER_KEY, THEIR_KEY]) assert.ok(!shown.includes(key), shown);
        assert.ok(preview.after.includes(MODEL));
        if (start !== undefined) assert.equal(preview.before.split('\n').length, start.split('\n').length);
      }
    });

    it('is left alone where it cannot be read, with a sentence', async () => {
      for (const junk of broken) {
        put(junk);
        const plan = await assistant.plan(connection);
        assert.ok(plan.kind === 'refused', JSON.stringify(junk));
        assert.ok(plan.message.includes(path));
        assert.match(plan.message, / left alone\b.*\.$/);
        assert.ok((await assistant.inspect(expected())).kind !== 'current');
        assert.equal(text(), junk);
        assert.equal(existsSync(path + BACKUP), false);
      }
    });

    it('is left alone where it is no text', async () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]));
      const plan = await assistant.plan(connection);
      assert.ok(plan.kind === 'refused');
      assert.match(plan.message, /is not a text file/);
    });

    it('is not written if it is no longer what was shown', async () => {
      put(before);
      const change = await planned(assistant, connection);
      for (const meanwhile of [`${before}\n`, '', undefined]) {
        if (meanwhile === undefined) rmSync(path);
        else put(meanwhile);
        const result = await assistant.apply(change);
        assert.ok(result.kind === 'refused');
        assert.match(result.message, /changed meanwhile/);
        assert.equal(existsSync(path) ? text() : undefined, meanwhile);
        assert.equal(existsSync(path + BACKUP), false);
      }
      const fresh = await planned(assistant, connection);
      put('{}');
      assert.equal((await assistant.apply(fresh)).kind, 'refused');
      assert.equal(text(), '{}');
    });

    it('loses our entry alone where others have written to it since', async () => {
      for (const start of [before, '', undefined]) {
        if (start === undefined) rmSync(path);
        else put(start);
        const done = await connect();
        const isYaml = path.endsWith('.yaml');
        const theirs = isYaml ? 'theirs: 1\n' : '{ "theirs": 1,';
        put(isYaml ? text() + theirs : text().replace('{', theirs));
        const result = await assistant.undo(done);
        assert.ok(result.kind === 'undone', JSON.stringify(result));
        assert.match(result.left ?? '', /^Others have written to .* since, so only our entry was taken out of it\.$/);
        assert.ok(!text().includes(KEY));
        assert.match((await assistant.inspect(expected())).kind, /^(absent|other)$/);
        if (start !== before) continue;
        const wanted = isYaml ? before + theirs : before.replace('{', theirs);
        assert.equal(withoutBlanks(text()), withoutBlanks(wanted));
      }
    });

    it('is left alone where it does not parse any more, or is gone', async () => {
      put(before);
      const done = await connect();
      for (const bad of broken) {
        put(bad);
        const result = await assistant.undo(done);
        if (result.kind === 'refused') assert.match(result.message, /has been changed since, so it is left as it is/);
        assert.equal(text(), bad);
      }
      rmSync(path);
      const gone = await assistant.undo(done);
      assert.ok(gone.kind === 'undone');
      assert.match(gone.left ?? '', /is not there any more/);
    });

    it('has one backup, of before the first change', async () => {
      put(before);
      await connect();
      assert.equal(readFileSync(path + BACKUP, 'utf8'), before);
      if (!isWindows) assert.equal(statSync(path + BACKUP).mode & 0o777, 0o600);
      await connect({ ...connection, key: OTHER_KEY });
      assert.equal(readFileSync(path + BACKUP, 'utf8'), before);
      assert.deepEqual(readdirSync(dirname(path)).length, 2);
    });

    it('has the backup of its time again after it was restored', async () => {
      put(before);
      await assistant.undo(await connect());
      assert.equal(existsSync(path + BACKUP), false);
      const later = before.replace('\n', '\n\n');
      put(later);
      await connect();
      assert.equal(readFileSync(path + BACKUP, 'utf8'), later);
    });

    it('is left alone where it is write-protected', async () => {
      put(before, 0o444);
      const result = await assistant.apply(await planned(assistant, connection));
      assert.ok(result.kind === 'refused');
      assert.match(result.message, /is write-protected/);
      assert.equal(text(), before);
      assert.deepEqual(readdirSync(dirname(path)).length, 1);
    });

    it('stays a link where it is one, and is made for no link to nothing', async function () {
      if (isWindows) this.skip();
      const target = join(home, 'dotfiles', 'config');
      mkdirSync(dirname(target));
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path);
      assert.equal((await assistant.plan(connection)).kind, 'refused');
      writeFileSync(target, before);
      const done = await connect();
      assert.ok(lstatSync(path).isSymbolicLink());
      assert.equal(readFileSync(target, 'utf8'), after);
      assert.equal((await assistant.undo(done)).kind, 'undone');
      assert.equal(readFileSync(target, 'utf8'), before);
      assert.deepEqual(readdirSync(dirname(path)).length, 1);
    });

    it('is found to be absent, or to point elsewhere', async () => {
      assert.deepEqual(await assistant.inspect(expected()), { kind: 'absent' });
      for (const [other, what] of others) {
        put(other);
        assert.deepEqual(await assistant.inspect(expected()), { kind: 'other', what });
      }
    });

    it('tells that the assistant is used here', async () => {
      assert.equal(await assistant.detect({ home }), false);
      mkdirSync(dirname(path), { recursive: true });
      assert.equal(await assistant.detect({ home }), true);
    });
  });
}
