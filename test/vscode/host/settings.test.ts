import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { eventually } from '../../support/withTimeout.ts';
import { api, child, connection, facts, kill, restartedBy, set, startEnclave, state } from './surroundings.ts';

describe('Settings', () => {
  const inspect = () => vscode.workspace.getConfiguration('sealedProxy').get<string>('baseUrl');

  it('contain the base URL, for extensions that read settings', async () => {
    await state('connected');
    const { baseUrl } = await api();
    await eventually('the setting sealedProxy.baseUrl', () => inspect() === baseUrl);
    const file = JSON.parse(readFileSync(facts().settingsFile, 'utf8')) as Record<string, unknown>;
    assert.equal(file['sealedProxy.baseUrl'], baseUrl);
  });

  it('keep the editor from forwarding the default port, and any port of the proxy, and add to its own defaults', () => {
    interface Attributes {
      readonly onAutoForward?: string;
      readonly protocol?: string;
    }
    const all = vscode.workspace.getConfiguration('remote').get<Record<string, Attributes>>('portsAttributes') ?? {};
    assert.equal(all['14114']?.onAutoForward, 'ignore');
    assert.equal(all['443']?.protocol, 'https');
    const matching = Object.entries(all).filter(([key]) => !/^\d+$/.test(key) && new RegExp(key).test(child().command));
    assert.deepEqual(
      matching.map(([, { onAutoForward }]) => onAutoForward),
      ['ignore'],
    );
  });

  it('that can be applied live do not restart the process', async () => {
    const { pid } = child();
    await set('requestTimeoutSeconds', 20);
    await set('allowedOrigins', ['https://example.com']);
    const { baseUrl } = await api();
    await eventually('the new origin to be allowed', async () => {
      const headers = { origin: 'https://example.com' };
      const { status } = await fetch(`${baseUrl ?? ''}/models`, { method: 'OPTIONS', headers });
      return status === 204 || status === 200;
    });
    assert.equal(child().pid, pid);
    await set('allowedOrigins', undefined);
    await set('requestTimeoutSeconds', undefined);
  });

  it('that need a restart cause one: a new port, a new base URL', async () => {
    const before = vscode.workspace.getConfiguration('sealedProxy').get<number>('port');
    const port = await freePort();
    const { baseUrl } = await restartedBy(() => set('port', port));
    assert.equal(baseUrl, `http://127.0.0.1:${port}/v1`);
    await eventually('the setting sealedProxy.baseUrl', () => inspect() === baseUrl);
    const back = await restartedBy(() => set('port', before));
    assert.equal(back.baseUrl, `http://127.0.0.1:${before ?? 0}/v1`);
  });

  it('with an invalid value are ignored: the last valid value stays, even for the process after a crash', async () => {
    const { pid } = child();
    await set('backendUrl', 'http://example.com');
    await set('requestTimeoutSeconds', -1);
    const { baseUrl, apiKey } = await connection();
    const { status } = await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal(status, 200);
    assert.equal(child().pid, pid);
    const restarting = state('restarting');
    process.kill(pid, 'SIGKILL');
    await restarting;
    await state('connected');
    const next = child().pid;
    await set('backendUrl', facts().backendUrl);
    await set('requestTimeoutSeconds', undefined);
    assert.equal((await state('connected')).baseUrl, baseUrl);
    assert.equal(child().pid, next);
  });

  it('accept a valid value after an invalid one', async () => {
    const { child: enclave, url } = await startEnclave();
    await set('backendUrl', 'ftp://example.com');
    await restartedBy(() => set('backendUrl', url));
    await restartedBy(() => set('backendUrl', facts().backendUrl));
    await kill(enclave);
  });
});
