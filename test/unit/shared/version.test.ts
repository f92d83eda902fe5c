import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { COMMIT, VERSION, compareVersions, installedPrograms } from '../../../src/shared/version.ts';
import { fromRoot } from '../../support/e2e/process.ts';

const readJson = (path: string) => JSON.parse(readFileSync(fromRoot(path), 'utf8')) as unknown;

describe('VERSION', () => {
  it('is the version in package.json and package-lock.json', () => {
    const { version } = readJson('package.json') as { version: string };
    const lock = readJson('package-lock.json') as { version: string; packages: { '': { version: string } } };
    assert.deepEqual([version, lock.version, lock.packages[''].version], [VERSION, VERSION, VERSION]);
  });
});

describe('COMMIT', () => {
  it('is unknown where the sources run without a build', () => {
    assert.equal(COMMIT, 'unknown');
  });
});

describe('installedPrograms()', () => {
  it('hashes those that exist, as they are now', async () => {
    const contents: Readonly<Record<string, string>> = { 'proxy.js': 'abc', 'extension.cjs': '' };
    const programs = await installedPrograms((name) => {
      const content = contents[name];
      return Promise.resolve(content === undefined ? undefined : Buffer.from(content));
    });
    assert.deepEqual(programs, [
      { name: 'extension.cjs', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
      { name: 'proxy.js', sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }, // FIPS 180-4
    ]);
  });
});

describe('compareVersions()', () => {
  for (const [older, newer] of [
    ['0.4.1', '0.5.0'],
    ['0.4.9', '0.4.10'],
    ['0.9.0', '0.10.0'],
    ['9.9.9', '10.0.0'],
    ['', '0.0.1'],
  ] as const) {
    it(`knows that ${newer} is newer than ${older === '' ? 'an unknown version' : older}`, () => {
      assert.ok(compareVersions(newer, older) > 0);
      assert.ok(compareVersions(older, newer) < 0);
    });
  }

  it('takes equal numbers for the same version', () => {
    for (const [one, other] of [
      ['1.2.3', '1.2.3'],
      ['1.2.3-beta', '1.2.3'],
      ['x', 'y'],
    ] as const) {
      assert.equal(compareVersions(one, other), 0);
      assert.equal(compareVersions(other, one), 0);
    }
  });
});
