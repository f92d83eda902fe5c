import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { VERSION, compareVersions } from '../../../src/shared/version.ts';
import { fromRoot } from '../../support/e2e/process.ts';

describe('VERSION', () => {
  it('is the version in package.json', () => {
    const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { version: string };
    assert.equal(VERSION, version);
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
