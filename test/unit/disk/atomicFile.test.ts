import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { opencode } from '../../../src/assistants/adapters/opencode.ts';
import { perTestHome } from '../../support/assistantHome.ts';

const FILE = '.config/opencode/opencode.jsonc';

describe('persist() and removeFile(), for the file of an assistant', () => {
  const home = perTestHome();

  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  /** Makes the first calls of a function of the file system fail; returns how often it was called. */
  const failing = (name: 'rename' | 'rm', code: string, times: number): (() => number) => {
    const real = fs[name] as (...args: unknown[]) => Promise<void>;
    let calls = 0;
    mock.method(fs, name, (...args: unknown[]) =>
      ++calls > times ? real(...args) : Promise.reject(Object.assign(new Error(code), { code })),
    );
    syncBuiltinESMExports();
    return () => calls;
  };

  for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
    it(`succeed after a virus scanner has released the file (${code})`, async () => {
      home().write(FILE, '{}\n');
      const change = await home().plan(opencode);
      const renames = failing('rename', code, 3);
      const applied = await opencode.apply(change);
      assert.ok(applied.kind === 'applied', JSON.stringify(applied));
      assert.equal(renames(), 4);
      assert.equal(home().read(FILE), change.after);
      failing('rm', code, 2);
      assert.deepEqual(await opencode.undo(applied), { kind: 'undone' });
      assert.equal(home().read(FILE), '{}\n');
    });
  }

  it('give up after a bounded number of attempts, with a sentence, and leave the file', async () => {
    home().write(FILE, '{}\n');
    const change = await home().plan(opencode);
    const renames = failing('rename', 'EPERM', Infinity);
    const result = await opencode.apply(change);
    assert.ok(result.kind === 'refused');
    assert.match(result.message, /cannot be written \(EPERM\)\. It was not changed\./);
    assert.ok(renames() > 2 && renames() < 20);
    assert.equal(home().read(FILE), '{}\n');
  });

  it('do not try again after another error', async () => {
    const change = await home().plan(opencode);
    const renames = failing('rename', 'ENOSPC', 1);
    assert.equal((await opencode.apply(change)).kind, 'refused');
    assert.equal(renames(), 1);
  });

  it('do not overwrite what another program has written between two attempts', async () => {
    home().write(FILE, '{}\n');
    const change = await home().plan(opencode);
    const real = fs.rename;
    let calls = 0;
    mock.method(fs, 'rename', (...args: Parameters<typeof real>) => {
      if (++calls > 1) return real(...args);
      home().write(FILE, '{"theirs": true}\n');
      return Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY' }));
    });
    syncBuiltinESMExports();
    assert.equal((await opencode.apply(change)).kind, 'refused');
    assert.equal(home().read(FILE), '{"theirs": true}\n');
  });
});
