import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { hasCommand } from '../../../../src/assistants/files/commandSearch.ts';

describe('hasCommand()', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'sealed-proxy-commands-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });
  const install = (...path: readonly string[]) => {
    const file = join(home, ...path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  };
  const isFound = (path?: string, isWindows = false) => hasCommand('codex', { home, path, isWindows });

  it('looks in each folder of PATH', async () => {
    install('tools', 'codex');
    assert.ok(await isFound(['', join(home, 'missing'), join(home, 'tools')].join(delimiter)));
    assert.ok(!(await isFound(join(home, 'missing'))));
  });

  for (const folder of ['.local/bin', '.bun/bin', '.nvm/versions/node/v24.1.0/bin'])
    it(`looks in ${folder}, which may be in the PATH of a terminal only`, async () => {
      assert.ok(!(await isFound()));
      install(folder, 'codex');
      assert.ok(await isFound());
    });

  it('knows the endings of commands on Windows', async () => {
    install('AppData', 'Roaming', 'npm', 'codex.cmd');
    assert.deepEqual([await isFound(undefined, true), await isFound()], [true, false]);
  });
});
