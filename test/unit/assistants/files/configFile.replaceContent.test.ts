import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceContent } from '../../../../src/assistants/files/configFile.ts';

describe('replaceContent', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-test-'));
    path = join(folder, 'settings.json');
    writeFileSync(path, '{ "old": 1 }');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('leaves the old content to a program that is reading it', async () => {
    const reader = await open(path);
    await replaceContent(path, Buffer.from('{}'));
    assert.equal(await reader.readFile('utf8'), '{ "old": 1 }');
    await reader.close();
    assert.equal(readFileSync(path, 'utf8'), '{}');
    assert.deepEqual(readdirSync(folder), ['settings.json']);
  });

  it('keeps the permissions, and a symbolic link to the file', async () => {
    chmodSync(path, 0o640);
    const link = join(folder, 'link.json');
    symlinkSync(path, link);
    await replaceContent(link, Buffer.from('{}'));
    assert.equal((await stat(path)).mode & 0o777, 0o640);
    assert.equal(readFileSync(path, 'utf8'), '{}');
    assert.equal(
      readdirSync(folder, { withFileTypes: true })
        .find(({ name }) => name === 'link.json')
        ?.isSymbolicLink(),
      true,
    );
  });

  it('refuses a file with hard links', async () => {
    linkSync(path, join(folder, 'other.json'));
    await assert.rejects(replaceContent(path, Buffer.from('{}')), /hard links/);
    assert.equal(readFileSync(path, 'utf8'), '{ "old": 1 }');
  });
});
