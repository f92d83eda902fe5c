// The extension is updated while a window is open: that window goes on with what it has, and a new one has the new version.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { eventually, proxiesOf } from '../../support/vscode/processes.ts';
import { NEXT_MANIFEST, NEXT_VSIX } from '../../support/vscode/profile.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';

const API_KEY = 'dev-the-key-of-a-person-who-updates';

describe('An update of the extension', () => {
  const scope = perSuite();
  let port: number;
  let editor: Editor;
  let old: Workbench;
  let updated: Workbench;
  const owners = () => proxiesOf(editor.profile.extensions).map(({ parent }) => parent);

  before(async function () {
    this.timeout(120_000);
    const enclave = await scope.enclaveProcess();
    port = await freePort();
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    old = await editor.open('old');
    await old.setApiKey(API_KEY);
    await old.waitForStatus('development 8');
    await old.dismiss('API key accepted, 8 models.');
    editor.install(NEXT_VSIX);
  });

  it('does not mix two versions: a window of the new one says which runs, and leaves it alone', async () => {
    updated = await editor.open('updated');
    await updated.waitForStatus('Sealed Proxy: other version', 'warning');
    const tooltip = await updated.picture('other-version');
    assert.ok(tooltip.includes(`Another window runs version ${VERSION} on port ${port}`), tooltip);
    await old.waitForStatus('development 8', 'beaker');
    assert.deepEqual(owners(), [old.bridge.pid]);
  });

  it('serves by the new version when a person restarts it there; the old window says so, and runs none', async () => {
    await updated.runCommand('Sealed Proxy: Restart');
    await updated.waitForStatus('development 8', 'beaker');
    await old.waitForStatus('Sealed Proxy: other version', 'warning');
    await eventually('one proxy, of the new window', () => owners().join() === String(updated.bridge.pid), 10_000);
  });

  it('is complete when the other window is reloaded', async () => {
    const { version } = JSON.parse(readFileSync(NEXT_MANIFEST, 'utf8')) as { version: string };
    await old.page.reload();
    for (const [name, window] of Object.entries({ updated, reloaded: old })) {
      await window.waitForStatus(/^\s*development 8( \(shared\))?\s*$/, 'beaker'); // whoever is first has it
      assert.match(await window.picture(name), new RegExp(`Version\\s+${version.replaceAll('.', '\\.')}`));
    }
    const onlyNew = () => owners().length === 1 && !owners().includes(old.bridge.pid);
    await eventually('the end of the old proxy', onlyNew, 10_000);
  });
});
