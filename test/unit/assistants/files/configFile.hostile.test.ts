// Whatever stands where an assistant keeps its configuration: it is left alone, and nothing hangs or throws.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { continueDev } from '../../../../src/assistants/adapters/continue.ts';
import { opencode } from '../../../../src/assistants/adapters/opencode.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';
import { EXAMPLES, KEY, URL, connectionTo } from '../../../support/assistantFiles.ts';

const isWindows = process.platform === 'win32';

describe('What stands in the place of a configuration', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'sealed-proxy-home-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const place = (file: string) => {
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  const expected = () => ({ home, baseUrl: URL, key: KEY });

  for (const { assistant, file } of EXAMPLES) {
    it(`is no file that never ends, for ${assistant.name}`, async function () {
      if (isWindows) this.skip();
      const path = place(file);
      for (const make of [
        () => execFileSync('mkfifo', [path]),
        () => {
          symlinkSync('/dev/zero', path);
        },
      ]) {
        make();
        const found = await withTimeout('the look', DEADLINE, assistant.inspect(expected()));
        assert.equal(found.kind, 'refused');
        assert.match('message' in found ? found.message : '', /no ordinary file/);
        const plan = await withTimeout('the plan', DEADLINE, assistant.plan(connectionTo(home)));
        assert.equal(plan.kind, 'refused');
        rmSync(path);
      }
    });

    it(`is not larger than any configuration, for ${assistant.name}`, async () => {
      const path = place(file);
      writeFileSync(path, '');
      truncateSync(path, 64 * 1024 * 1024);
      const found = await assistant.inspect(expected());
      assert.match('message' in found ? found.message : '', /too large/);
    });
  }

  for (const [what, assistant, file, text] of [
    ['a deep nesting', opencode, '.config/opencode/opencode.jsonc', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['an alias of nothing', continueDev, '.continue/config.yaml', 'models: *nothing\n'],
    [
      'aliases upon aliases',
      continueDev,
      '.continue/config.yaml',
      `a: &a [${'x,'.repeat(9)}x]\nb: &b [${'*a,'.repeat(9)}*a]\nmodels: [${'*b,'.repeat(9)}*b]\n`,
    ],
  ] as const) {
    it(`is refused in a sentence where it has ${what}`, async () => {
      const path = place(file);
      writeFileSync(path, text);
      const asked = [await assistant.inspect(expected()), await assistant.plan(connectionTo(home))];
      for (const answer of asked) assert.match('message' in answer ? answer.message : '', /cannot be read as/);
      assert.equal(readFileSync(path, 'utf8'), text);
    });
  }

  it('is not lost where somebody writes it in the midst of ours', async () => {
    const path = place('.config/opencode/opencode.jsonc');
    for (const before of [undefined, '{}\n']) {
      if (before !== undefined) writeFileSync(path, before);
      const plan = await opencode.plan(connectionTo(home));
      assert.ok(plan.kind === 'change');
      const applying = opencode.apply(plan);
      const isDraft = (name: string) => name.startsWith('.opencode.jsonc.');
      while (!readdirSync(dirname(path)).some(isDraft)) await new Promise((resolve) => setImmediate(resolve));
      writeFileSync(path, '{"theirs": true}\n');
      assert.equal((await applying).kind, 'refused');
      assert.equal(readFileSync(path, 'utf8'), '{"theirs": true}\n');
      assert.ok(!readdirSync(dirname(path)).some(isDraft));
      rmSync(path);
    }
  });

  it('has a backup that others can read at no time', async function () {
    if (isWindows) this.skip();
    const path = place('.config/opencode/opencode.jsonc');
    writeFileSync(path, '{}\n');
    chmodSync(path, 0o644);
    const plan = await opencode.plan(connectionTo(home));
    assert.ok(plan.kind === 'change');
    const modes = new Set<number>();
    const applying = opencode.apply(plan);
    while (!readFileSync(path, 'utf8').includes(KEY)) {
      const mode = statSync(`${path}.sealed-proxy-backup`, { throwIfNoEntry: false })?.mode;
      if (mode !== undefined) modes.add(mode & 0o777);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await applying;
    assert.deepEqual([...modes], [0o600]);
  });
});
