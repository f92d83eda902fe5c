import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { EXTENSION_ID } from '../../../../src/extension/core/extensionId.ts';
import { fromRoot } from '../../../support/e2e/process.ts';

describe('EXTENSION_ID', () => {
  it('is the publisher and the name in package.json', () => {
    const manifest = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { publisher: string; name: string };
    assert.equal(EXTENSION_ID, `${manifest.publisher}.${manifest.name}`);
  });
});
