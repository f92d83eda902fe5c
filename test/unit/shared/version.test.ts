import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { VERSION } from '../../../src/shared/version.ts';
import { fromRoot } from '../../support/e2e/process.ts';

describe('VERSION', () => {
  it('is the version in package.json', () => {
    const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { version: string };
    assert.equal(VERSION, version);
  });
});
