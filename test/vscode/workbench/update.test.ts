// The extension is updated while a window is open. That window keeps the old version, and a new window has the new one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { VERSION } from '../../../src/shared/version.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { proxiesOf } from '../../support/vscode/processes.ts';
import { NEXT_MANIFEST, NEXT_VSIX } from '../../support/vscode/profile.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const { version: NEXT_VERSION } = JSON.parse(readFileSync(NEXT_MANIFEST, 'utf8')) as { version: string };
const API_KEY = 'dev-the-key-of-an-updating-user';

describe('An update of the extension', () => {
  const scope = perSuite();
  let port: number;
  let editor: Editor;
  let old: Workbench;
  let updated: Workbench;
  const owners = () => proxiesOf(editor.profile.extensions).map(({ parent }) => parent);

  before(async function () {
    const enclave = await scope.enclaveProcess();
    port = await freePort();
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    old = await editor.open('old');
    await old.setApiKey(API_KEY);
    await old.waitForStatus('Sealed Proxy: development');
    await old.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
    editor.install(NEXT_VSIX);
  });

  it('needs no help: the window with the new version takes over, and the old window uses its proxy', async () => {
    updated = await editor.open('updated');
    await updated.waitForStatus('Sealed Proxy: development', 'beaker');
    await eventually('one proxy, of the new window', () => owners().join() === String(updated.bridge.pid));
    await old.waitForStatus('Sealed Proxy: development', 'beaker');
    // Until the old window has noticed, it shows its own proxy.
    const dashboard = new DashboardTab(old);
    await dashboard.open();
    await dashboard.showMore();
    await dashboard.reads(`${NEXT_VERSION} (this window has ${VERSION})`);
    await old.screenshot('newer-version');
  });

  it('stays with the new version, even after Restart in the old window, until the new window is closed', async () => {
    await old.runCommand('Sealed Proxy: Restart');
    await old.dismiss(`Another window runs Sealed Proxy ${NEXT_VERSION}`);
    assert.deepEqual(owners(), [updated.bridge.pid]);
    await updated.page.close({ runBeforeUnload: true });
    await eventually('one proxy, of the old window', () => owners().join() === String(old.bridge.pid));
    await old.waitForStatus('Sealed Proxy: development', 'beaker');
    updated = await editor.open('updated-again');
    await updated.waitForStatus('Sealed Proxy: development', 'beaker');
    await eventually('one proxy, of the new window', () => owners().join() === String(updated.bridge.pid));
  });

  it('is complete when the old window is reloaded', async () => {
    const reloaded = await editor.reload(old, 'old');
    for (const [name, window] of Object.entries({ updated, reloaded })) {
      await window.waitForStatus('Sealed Proxy: development', 'beaker');
      assert.match(await window.diagnosis(name), new RegExp(`version ${NEXT_VERSION.replaceAll('.', '\\.')}\\.`));
    }
    const onlyNew = () => owners().length === 1 && !owners().includes(old.bridge.pid);
    await eventually('the end of the old proxy', onlyNew);
  });
});
