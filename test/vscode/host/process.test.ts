import assert from 'node:assert/strict';
import { readFileSync, readlinkSync } from 'node:fs';
import * as vscode from 'vscode';
import { isRunning } from '../../support/vscode/processes.ts';
import { eventually } from '../../support/withTimeout.ts';
import { api, child, children, connection, state } from './surroundings.ts';

const { executeCommand } = vscode.commands;

describe('The proxy process', () => {
  it('is a single child of the extension host, in the storage folder, without variables of the editor', async () => {
    await state('connected');
    const { pid, command } = child();
    assert.match(readlinkSync(`/proc/${pid}/cwd`), /globalStorage\/sealed-proxy\.sealed-proxy$/);
    assert.doesNotMatch(command, /sealed-[A-Za-z0-9_-]{43}|dev-/);
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    assert.deepEqual(
      names.filter((name) => name?.startsWith('VSCODE_')),
      [],
    );
    assert.ok(!names.includes('NODE_OPTIONS'));
  });

  it('ends with Stop, and its port is closed', async () => {
    const { baseUrl } = await connection();
    const { pid } = child();
    await executeCommand('sealedProxy.stop');
    assert.equal((await api()).status.state, 'off');
    assert.equal((await api()).baseUrl, undefined);
    await assert.rejects(fetch(`${baseUrl}/models`));
    await eventually('the end of the process', () => !isRunning(pid) && children().length === 0);
  });

  it('starts again with Start on the same port, and accepts the same keys', async () => {
    await executeCommand('sealedProxy.start');
    const { models } = await state('connected');
    assert.ok(models);
    const { baseUrl, apiKey } = await connection();
    const { status } = await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal(status, 200);
  });

  it('is replaced by Restart', async () => {
    const { pid } = child();
    await executeCommand('sealedProxy.restart');
    await state('connected');
    assert.notEqual(child().pid, pid);
  });

  it('is started by getBaseUrl when it is off', async () => {
    await executeCommand('sealedProxy.stop');
    assert.match(await executeCommand<string>('sealedProxy.getBaseUrl'), /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    await state('connected');
  });

  it('is restarted after a crash', async () => {
    const { pid } = child();
    const restarting = state('restarting');
    process.kill(pid, 'SIGKILL');
    await restarting;
    await state('connected');
    assert.notEqual(child().pid, pid);
    const { baseUrl, apiKey } = await connection();
    const { status } = await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal(status, 200);
  });
});
