import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findPrograms, programSenders } from '../../../src/promptMap/programs.ts';

describe('findPrograms()', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'sealed-proxy-programs-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  it('finds commands in the folders of PATH, and folders in the home folder', async () => {
    const folders = [join(home, 'missing'), join(home, 'bin')];
    mkdirSync(join(home, 'bin'));
    mkdirSync(join(home, '.config', 'goose'), { recursive: true });
    writeFileSync(join(home, 'bin', 'gemini'), '');
    const path = ['', ...folders].join(delimiter);
    assert.deepEqual(await findPrograms({ home, path, isWindows: false }), ['goose', 'gemini-cli']);
    assert.deepEqual(await findPrograms({ home, path, isWindows: true }), ['goose']);
    writeFileSync(join(home, 'bin', 'aider.exe'), '');
    assert.deepEqual(await findPrograms({ home, path, isWindows: true }), ['aider', 'goose']);
  });

  it('finds Copilot CLI by its command and its folder: VS Code makes the folder, and AWS has a command of this name', async () => {
    const places = { home, path: join(home, 'bin'), isWindows: false };
    mkdirSync(join(home, '.copilot'));
    assert.deepEqual(await findPrograms(places), []);
    mkdirSync(join(home, 'bin'));
    writeFileSync(join(home, 'bin', 'copilot'), '');
    assert.deepEqual(await findPrograms(places), ['copilot-cli']);
    rmSync(join(home, '.copilot'), { recursive: true });
    assert.deepEqual(await findPrograms(places), []);
  });

  it('finds none without PATH in an empty home folder', async () => {
    assert.deepEqual(await findPrograms({ home, path: undefined, isWindows: false }), []);
  });
});

describe('programSenders()', () => {
  const senders = (found: readonly string[], keys: readonly string[] = []) =>
    programSenders(found, keys).map(({ name, verdict, remedy }) => [name, verdict, remedy !== undefined]);

  it('knows where prompts go by default, and which programs can use Sealed Proxy', () => {
    assert.deepEqual(senders(['copilot-cli', 'aider', 'gemini-cli']), [
      ['Copilot CLI', 'elsewhere', true],
      ['Aider', 'unknown', true],
      ['Gemini CLI', 'elsewhere', false],
    ]);
  });

  it('never calls a program sealed because a line was copied for it', () => {
    assert.deepEqual(senders([], ['Copilot CLI', 'Goose', 'My key']), [
      ['Copilot CLI', 'unknown', true],
      ['Goose', 'unknown', true],
    ]);
  });
});
