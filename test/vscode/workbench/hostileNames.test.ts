// An enclave, its models and clients with hostile names: HTML, links, icons, terminal sequences, marks that reorder text, and
// great length. Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { answerJson } from '../../../src/devEnclave/model/apiHandler.ts';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { hourOf } from '../../../src/shared/activity.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { UsageHistory } from '../../../src/usageHistory/usageHistory.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { sendRequest } from '../../support/e2e/httpClient.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import type { Editor } from '../../support/vscode/editor.ts';
import { startVerifiedEditor } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';

const API_KEY = 'dev-the-key-of-a-careful-user';
/** An enclave ID has visible ASCII characters only. */
const MARKUP = '<img src=x onerror=alert(1)> [x](command:workbench.action.quit) $(shield) | **b** `c`';
const LONG = 'W'.repeat(10_000);
const HOSTILE = `${MARKUP} \u001b[31m\u202eexe.\u2066${LONG}`;
/** An id of a chat model has no control characters and at most 200 characters. */
const MODEL_ID = `${MARKUP}-${'W'.repeat(100)}`;
const UNSEEN = ['\u001b', '\u202e', '\u2066'];

describe('Hostile names', () => {
  const scope = perSuite();
  let isRefusing = false;
  let url: string;
  let editor: Editor;
  let window: Workbench;
  let dashboard: DashboardTab;

  const handler: ApiHandler = (request, response) => {
    if (request.target === '/v1/models') {
      const list = [MODEL_ID, `${HOSTILE}-1`, `${HOSTILE}-2`].map((id) => ({ id, display_name: HOSTILE }));
      answerJson(response, 200, { object: 'list', data: list });
    } else if (isRefusing) {
      answerJson(response, 400, { error: { message: HOSTILE, type: HOSTILE, code: HOSTILE } });
    } else {
      // A longer value would not be read at all.
      const event = { model: HOSTILE.slice(0, 1000), choices: [{ index: 0, delta: { content: HOSTILE } }] };
      const last = {
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      };
      response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
      for (const data of [JSON.stringify(event), JSON.stringify(last), '[DONE]'])
        response.write(Buffer.from(`data: ${data}\n\n`));
      response.end();
    }
    return Promise.resolve();
  };

  before(async function () {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    editor = await startVerifiedEditor(scope, {
      enclave: { signed: { moduleId: MARKUP }, handler },
      settings: { 'sealedProxy.port': port },
    });
    const config = join(editor.profile.root, '.config/opencode/opencode.json');
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, '{}\n');
    window = await editor.open('project');
    dashboard = new DashboardTab(window);
    await window.setApiKey(API_KEY);
    await window.dismiss('API key accepted. The backend offers 1 chat model, 2 others.');
    await window.waitForStatus('Sealed Proxy', 'shield');
  });

  /** The text is shown as it is, in a part of the window, and nothing in it does anything. */
  async function assertHarmless(shown: Locator, share: number): Promise<void> {
    await shown.waitFor();
    const text = await shown.innerText();
    assert.ok(text.includes('<img src=x'), text);
    for (const character of UNSEEN) assert.ok(!text.includes(character));
    assert.equal(await shown.locator('img[src="x"], a[href*="quit"], a[data-href*="quit"]').count(), 0);
    const [box, size] = [await shown.boundingBox(), window.page.viewportSize()];
    assert.ok(box !== null && size !== null);
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width + 1, JSON.stringify(box));
    assert.ok(box.height <= size.height * share, JSON.stringify(box));
  }

  /** Nothing in the dashboard is wider than its page, and nothing is interpreted. */
  async function assertDashboardHolds(): Promise<void> {
    const [page, text] = [dashboard.body, await dashboard.body.innerText()];
    assert.ok(text.includes('<img src=x'), text);
    for (const character of UNSEEN) assert.ok(!text.includes(character));
    assert.equal(await page.locator('img, a[href*="command"]').count(), 0);
    const overflow = await page.evaluate(
      (body: { scrollWidth: number; clientWidth: number }) => body.scrollWidth - body.clientWidth,
    );
    assert.ok(overflow <= 0, `${overflow} pixels`);
  }

  it('are text in the list of models and in the attestation', async () => {
    await dashboard.open();
    await dashboard.showMore();
    await dashboard.frame.getByRole('row').nth(3).waitFor();
    await assertDashboardHolds();
    await dashboard.pictures('hostile-connection');
    await dashboard.show('Attestation');
    await dashboard.reads('The enclave is verified.');
  });

  it('are text in the requests and in the usage, as models and clients', async () => {
    await dashboard.show('Requests');
    const key = await window.bridge.run((api) => api.env.clipboard.readText(), null);
    await sendRequest(url, { key: key.startsWith('sealed-') ? key : API_KEY, body: chatBody('Hello') });
    await dashboard.request('<img src=x');
    await assertDashboardHolds();
    await window.screenshot('dashboard-hostile-requests');

    const storage = storageOf(editor);
    const history = new UsageHistory(storage, (message) => {
      throw new Error(message);
    });
    const counts = { requests: 9, errors: 0, cancelled: 0, tokensIn: 1e6, tokensOut: 1e6, tokensCached: 0 };
    const sums = ['a', 'b'].map((name) => ({
      ...{ hour: hourOf(Date.now()), caller: name.repeat(16), model: `${name}${HOSTILE}` },
      ...{ ...counts, firstByte: { 20: 9 } },
    }));
    await history.add(
      { since: Date.now(), sums },
      Promise.resolve(new Map(sums.map(({ caller }) => [caller, HOSTILE]))),
    );
    await dashboard.show('Usage over Time');
    await dashboard.press('7 days');
    await dashboard.row('<img src=x');
    await assertDashboardHolds();
    await dashboard.press('By model');
    await dashboard.row('a<img src=x');
    await assertDashboardHolds();
    await window.screenshot('dashboard-hostile-usage');
  });

  it('are text in notifications, and an error of the backend does no harm', async () => {
    await window.bridge.command('workbench.action.closeAllEditors'); // a web view that takes the focus closes a list
    await window.runCommand('Sealed Proxy: Connect an Assistant…');
    await window.option('opencode').click();
    await window.option('<img src=x').click();
    await window.decide('Write These Changes');
    await window.dismiss('opencode is connected.');
    await dashboard.open();
    await dashboard.show('Clients');
    isRefusing = true;
    await dashboard.press('Check opencode');
    const toast = window.toast('<img src=x');
    await assertHarmless(toast, 0.6);
    await window.screenshot('hostile-notification');
    await dashboard.reads('failed with status 400');
    await assertDashboardHolds();
    await window.dismiss('<img src=x');
    await dashboard.pictures('hostile-clients');
  });

  it('violate no content security policy, and run no script', () => {
    assert.deepEqual(dashboard.violations, []);
  });
});

/** The folder in which the extension stores its data. */
function storageOf({ profile }: Editor): string {
  const found = profile.files().find((path) => /globalStorage\/sealed-proxy\.sealed-proxy\//.test(path));
  assert.ok(found !== undefined);
  return found.slice(0, found.indexOf('/', found.indexOf('globalStorage/') + 'globalStorage/'.length));
}
