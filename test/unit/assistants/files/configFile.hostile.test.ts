import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { continueDev } from '../../../../src/assistants/adapters/continue.ts';
import { opencode } from '../../../../src/assistants/adapters/opencode.ts';
import { EXAMPLES, KEY } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';

const isWindows = process.platform === 'win32';
const YAML = '.continue/config.yaml';
const JSONC = '.config/opencode/opencode.jsonc';

function messageOf(answer: object): string {
  return 'message' in answer ? String(answer.message) : '';
}

describe('readConfig() of a hostile file', () => {
  const home = perTestHome();

  for (const { assistant, file } of EXAMPLES) {
    it(`refuses a pipe and an endless device, for ${assistant.name}`, async function () {
      if (isWindows) this.skip();
      home().write(file, '');
      const path = home().pathOf(file);
      for (const replace of [
        () => execFileSync('mkfifo', [path]),
        () => {
          symlinkSync('/dev/zero', path);
        },
      ]) {
        rmSync(path);
        replace();
        const state = await withTimeout('inspect()', DEADLINE, assistant.inspect(home().expected));
        assert.equal(state.kind, 'refused');
        assert.match(messageOf(state), /^The file is not a regular file, so Sealed Proxy does not change it: /);
        const plan = await withTimeout('plan()', DEADLINE, assistant.plan(home().endpoint));
        assert.equal(plan.kind, 'refused');
      }
    });

    it(`refuses a huge file, for ${assistant.name}`, async () => {
      home().write(file, '');
      truncateSync(home().pathOf(file), 64 * 1024 * 1024);
      const state = await assistant.inspect(home().expected);
      assert.match(
        messageOf(state),
        /^The file is too large for a configuration file, so Sealed Proxy does not change it: /,
      );
    });
  }

  for (const [what, assistant, file, text] of [
    ['deep nesting', opencode, JSONC, `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['an unknown alias', continueDev, YAML, 'models: *nothing\n'],
    [
      'aliases of aliases',
      continueDev,
      YAML,
      `a: &a [${'x,'.repeat(9)}x]\nb: &b [${'*a,'.repeat(9)}*a]\nmodels: [${'*b,'.repeat(9)}*b]\n`,
    ],
  ] as const) {
    it(`refuses ${what} with a sentence`, async () => {
      home().write(file, text);
      const answers = [await assistant.inspect(home().expected), await assistant.plan(home().endpoint)];
      for (const answer of answers) assert.match(messageOf(answer), /is not a valid configuration of /);
      assert.equal(home().read(file), text);
    });
  }
});

describe('applyChange() while others use the file', () => {
  const home = perTestHome();
  const path = () => home().pathOf(JSONC);

  it('does not overwrite what another program writes in the meantime', async () => {
    for (const before of [undefined, '{}\n']) {
      home().write(JSONC, before ?? '');
      if (before === undefined) rmSync(path());
      const applying = opencode.apply(await home().plan(opencode));
      const isDraft = (name: string) => name.startsWith('.opencode.jsonc.');
      while (!readdirSync(dirname(path())).some(isDraft)) await new Promise((resolve) => setImmediate(resolve));
      writeFileSync(path(), '{"theirs": true}\n');
      assert.equal((await applying).kind, 'refused');
      assert.equal(home().read(JSONC), '{"theirs": true}\n');
      assert.ok(!readdirSync(dirname(path())).some(isDraft));
      rmSync(path());
    }
  });

  it('creates a backup that only the owner can read at any time', async function () {
    if (isWindows) this.skip();
    home().write(JSONC, '{}\n', 0o644);
    const change = await home().plan(opencode);
    const modes = new Set<number>();
    const applying = opencode.apply(change);
    while (!readFileSync(path(), 'utf8').includes(KEY)) {
      const mode = statSync(`${path()}.sealed-proxy-backup`, { throwIfNoEntry: false })?.mode;
      if (mode !== undefined) modes.add(mode & 0o777);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await applying;
    assert.deepEqual([...modes], [0o600]);
  });
});
