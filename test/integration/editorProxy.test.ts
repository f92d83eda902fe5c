// The proxy that the editor finds: from the window to the process that connects.
import assert from 'node:assert/strict';
import { openCompanyProxy } from '../support/e2e/companyProxy.ts';
import { perTest } from '../support/e2e/scope.ts';
import { EditorWindow } from '../support/editorWindow.ts';

const BACKEND = 'https://enclave.remote.example';

describe('Launcher and a proxy that the editor finds', () => {
  const scope = perTest();

  it('answers the question of its process, and shows why the backend is unreachable', async () => {
    const company = await openCompanyProxy({}, { challenges: ['Negotiate'] });
    scope.onClose(() => company.close());
    const questions: string[] = [];
    const editor = EditorWindow.open(scope, { backendUrl: BACKEND, port: 0 });
    editor.network = { asksEditor: true };
    editor.findProxy = (url) => {
      questions.push(url);
      return Promise.resolve({ url: company.url, source: 'system' });
    };
    await editor.supervisor.start();
    const { health } = await editor.health('unreachable');
    assert.equal(health.kind === 'unreachable' && health.failure?.detail, 'proxy_authentication_unsupported');
    assert.deepEqual([...new Set(questions)], [`${BACKEND}/`]);
    assert.deepEqual([...new Set(company.tunnels)], ['enclave.remote.example:443']);
  });
});
