import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { SealedProxyApi } from '../../../src/extension/features/api/apiTypes.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { PUBLISHED, api, state } from './surroundings.ts';

describe('The extension', () => {
  const extension = () => {
    const found = vscode.extensions.getExtension<SealedProxyApi>(PUBLISHED);
    assert.ok(found);
    return found;
  };

  it('is the packaged one, of this version, without the development enclave', () => {
    const { extensionPath } = extension();
    assert.equal((extension().packageJSON as { version: string }).version, VERSION);
    assert.ok(existsSync(join(extensionPath, 'dist', 'proxy.js')));
    assert.ok(!existsSync(join(extensionPath, 'dist', 'dev-enclave.js')));
    assert.ok(!existsSync(join(extensionPath, 'src')));
  });

  it('is activated when the editor starts, and offers a versioned API', async () => {
    const { version, baseUrl, status } = await api();
    assert.ok(extension().isActive);
    assert.equal(version, 1);
    assert.equal(typeof status.state, 'string');
    assert.ok(baseUrl === undefined || baseUrl.endsWith('/v1'));
  });

  it('runs on the host of the workspace', () => {
    assert.equal(extension().extensionKind, vscode.ExtensionKind.Workspace);
  });

  it('keeps the API key when VS Code restarts, and connects by itself', async () => {
    const { models, verified, shared } = await state('connected');
    assert.equal(verified, 'development');
    assert.equal(shared, false);
    assert.ok(models !== null && models.length > 0);
  });
});
