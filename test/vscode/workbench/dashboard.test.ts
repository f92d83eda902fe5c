// A user with the dashboard. Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { accessKeyId } from '../../../src/shared/accessKeys.ts';
import { HOUR, hourOf } from '../../../src/shared/activity.ts';
import type { UsageSum } from '../../../src/shared/activity.ts';
import { bucketOf } from '../../../src/shared/usage.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { UsageHistory } from '../../../src/usageHistory/usageHistory.ts';
import { MODEL, chatBody } from '../../support/e2e/chat.ts';
import { listModels, openResponse, readResponse, sendRequest } from '../../support/e2e/httpClient.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { ScriptedModel } from '../../support/vscode/scriptedModel.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-watching-user';
const QUESTION = 'Tell me of the mountains';
const CLIENTS = ['Notebook', 'Batch job', 'Editor plugin', 'Shell', 'Old laptop'];
const PAST_REQUESTS = 10_000;

describe('The dashboard', () => {
  const scope = perSuite();
  const script = new ScriptedModel();
  const keys = new Map<string, string>();
  let enclave: RunningEnclave;
  let url: string;
  let editor: Editor;
  let window: Workbench;
  let dashboard: DashboardTab;
  let config: string;

  before(async function () {
    enclave = await scope.enclave({ handler: script.handler });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    config = join(editor.profile.root, '.config/opencode/opencode.json');
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, '{}\n');
    window = await editor.open('project');
    dashboard = new DashboardTab(window);
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    for (const name of CLIENTS) await newKey(name);
  });

  const newKey = async (name: string) => {
    await window.runCommand('Sealed Proxy: Create Access Key');
    await window.enterText('Sealed Proxy: Create Access Key', name);
    await window.dismiss(`Copied the access key for "${name}" to the clipboard.`);
    const key = await window.bridge.run((api) => api.env.clipboard.readText(), null);
    keys.set(name, key);
  };
  /** The folder in which the extension stores its data. */
  const storage = () => {
    const found = editor.profile.files().find((path) => /globalStorage\/sealed-proxy\.sealed-proxy\//.test(path));
    assert.ok(found !== undefined);
    return found.slice(0, found.indexOf('/', found.indexOf('globalStorage/') + 'globalStorage/'.length));
  };

  it('opens from the tooltip, says that there is no API key, and offers to set one', async () => {
    await window.inTooltip((tooltip) => tooltip.getByText('Open Dashboard', { exact: true }).click());
    await dashboard.shows('Overview');
    await dashboard.reads('Sealed Proxy needs an API key.');
    await dashboard.pictures('no-key');
    await dashboard.press('Set API Key');
    await window.enterText('Sealed Proxy: Set API Key', API_KEY);
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
  });

  it('shows the new state and the models at once', async () => {
    await dashboard.reads('Sealed Proxy is connected to a development backend, which is not verified.');
    await dashboard.reads('Development backend');
    await dashboard.showMore();
    const [name, context, output, capabilities] = await dashboard.row('GLM 5.2');
    assert.deepEqual(
      [name?.includes(MODEL), /^\d+,\d+$/.test(context ?? ''), /^\d+,\d+$/.test(output ?? '')],
      [true, true, true],
    );
    assert.match(capabilities ?? '', /Tools/);
    await dashboard.pictures('development');
  });

  it('shows at the section of a command, in the same tab', async () => {
    await window.runCommand('Sealed Proxy: Show Attestation');
    await dashboard.shows('Attestation');
    await dashboard.reads('You are using a development backend. It is not verified.');
    assert.equal(await dashboard.frame.getByText('Passed', { exact: true }).count(), 0);
    await dashboard.pictures('development-attestation');
    assert.equal(await dashboard.tab.count(), 1);
  });

  it('shows a request while it runs, and how it ended', async () => {
    await dashboard.show('Requests');
    const prompt = `<userRequest>${QUESTION}</userRequest>`;
    const key = keys.get('Notebook') ?? '';
    const request = openResponse(url, { key, body: chatBody(prompt, { model: MODEL, stream: true }) });
    const chat = await script.nextChat(QUESTION);
    chat.say('High');
    const response = await request;
    await eventually('the running request', async () => (await dashboard.request('Notebook')).startsWith('Running'));
    await window.screenshot('dashboard-requests-running');
    chat.finish(12, 34);
    await readResponse(response);
    await eventually('its end', async () => (await dashboard.request('Notebook')).startsWith('Completed'));
    assert.match(await dashboard.request('Notebook'), / Chat 12 tokens in .*34 tokens out /);
  });

  it('shows who sent a request, also without a valid key, and filters by client', async () => {
    const body = chatBody(QUESTION);
    for (const name of CLIENTS) await sendRequest(url, { key: keys.get(name) ?? '', body });
    await sendRequest(url, { key: keys.get('Shell') ?? '', body: chatBody('/status 503') });
    await sendRequest(url, { key: `sealed-${'x'.repeat(43)}`, body });
    await dashboard.reads('No valid key');
    await dashboard.reads('Failed: no capacity');
    await dashboard.pictures('requests');
    const filter = dashboard.frame.getByLabel('Client', { exact: true });
    await filter.selectOption({ label: 'Shell' });
    await eventually('only its requests', async () => (await dashboard.frame.locator('.requests > li').count()) === 2);
    await filter.selectOption({ label: 'All clients' });
    const secrets = { 'the API key': API_KEY, 'the question': QUESTION, ...Object.fromEntries(keys) };
    assertNoSecretLeaks(secrets, await dashboard.body.innerText(), 'the requests');
  });

  it('shows the usage of the last weeks, by client and by model', async () => {
    await pastRequests(new UsageHistory(storage(), refuse), [...keys]);
    await window.runCommand('Sealed Proxy: Show Usage');
    await dashboard.shows('Usage over Time');
    await dashboard.press('90 days');
    await eventually('all clients', async () => (await dashboard.row('Total'))[1]?.startsWith('10,0') ?? false);
    for (const name of CLIENTS) await dashboard.row(name);
    await dashboard.pictures('usage');
    await dashboard.press('By model');
    await dashboard.row('kimi-k2');
    await dashboard.press('7 days');
    await dashboard.row('kimi-k2');
    await window.screenshot('dashboard-usage-week');
  });

  it('erases the usage if the user confirms', async () => {
    await dashboard.press('Erase…');
    await window.press('Erase the recorded usage?', 'Cancel');
    assert.ok(existsSync(join(storage(), 'usage')));
    await dashboard.press('Erase…');
    await window.press('Erase the recorded usage?', 'Erase');
    await dashboard.reads('No requests were recorded in the last');
    assert.ok(!existsSync(join(storage(), 'usage')));
  });

  it('revokes an access key if the user confirms: requests with it are refused', async () => {
    await dashboard.show('Clients');
    await dashboard.press('Revoke Old laptop');
    await window.press('Revoke the access key of "Old laptop"?', 'Revoke');
    await dashboard.frame.getByRole('listitem').filter({ hasText: 'Old laptop' }).waitFor({ state: 'detached' });
    const ask = async () => (await listModels(url, keys.get('Old laptop') ?? '')).status;
    await eventually('the revoked key to be refused', async () => (await ask()) === 401);
  });

  it('checks a connected assistant, repairs it after its key was revoked, and undoes the connection', async function () {
    await window.runCommand('Sealed Proxy: Connect an Assistant…');
    for (const label of ['opencode', 'GLM 5.2']) await window.option(label).click();
    await window.decide('Write These Changes');
    await window.dismiss('opencode is connected.');
    await dashboard.open();
    await dashboard.press('Check opencode');
    await dashboard.reads(/opencode is ready: \S+ responded in \d+ ms\./);
    await window.dismiss('opencode is ready');
    await dashboard.pictures('clients');

    await dashboard.press('Revoke opencode');
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.getByText('opencode stops working until you connect it again.').waitFor();
    await window.press('Revoke the access key of "opencode"?', 'Revoke');
    await dashboard.press('Repair opencode');
    await window.press('Repair opencode?', 'Repair');
    await dashboard.reads('Repaired: opencode.');
    await window.dismiss('Repaired: opencode.');

    await dashboard.press('Undo opencode');
    await window.press('Disconnect opencode from Sealed Proxy?', 'Undo');
    await window.dismiss('The access key of opencode was revoked.');
    await dashboard.frame.getByRole('listitem').filter({ hasText: 'opencode' }).waitFor({ state: 'detached' });
    assert.equal(readFileSync(config, 'utf8'), '{}\n');
  });

  it('shows the same in a second window, which uses the proxy of the first', async () => {
    const second = await editor.open('second');
    await second.waitForStatus('Sealed Proxy: development', 'beaker');
    const other = new DashboardTab(second);
    await other.open();
    await other.show('Requests');
    await other.request('Notebook');
    assert.deepEqual(other.violations, []);
    await second.page.close({ runBeforeUnload: true });
  });

  it('is restored after a reload, where it was', async () => {
    await dashboard.show('Requests');
    assert.deepEqual(dashboard.violations, []);
    window = await editor.reload(window, 'project');
    dashboard = new DashboardTab(window);
    await dashboard.shows('Requests');
    await dashboard.press('Show own checks');
    await dashboard.request('Sealed Proxy in VS Code'); // of the new proxy
    assert.equal(await dashboard.tab.count(), 1);
  });

  it('follows the proxy: off, and started again', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    await window.dismiss('Sealed Proxy is off in this window.');
    await dashboard.reads('No requests yet.');
    await dashboard.show('Overview');
    await dashboard.reads('Sealed Proxy is off in this window.');
    await window.screenshot('dashboard-off');
    await dashboard.press('Start');
    await dashboard.reads('Sealed Proxy is connected to a development backend, which is not verified.');
  });

  it('shows that the backend cannot be reached', async () => {
    await enclave.close();
    await window.runCommand('Sealed Proxy: Check Connection');
    await window.dismiss('cannot reach the backend');
    await dashboard.reads('Sealed Proxy cannot reach the backend.');
    await dashboard.pictures('unreachable');
  });

  it('has violated no content security policy', () => {
    assert.deepEqual(dashboard.violations, []);
  });
});

function refuse(message: string): never {
  throw new Error(message);
}

/** Past requests of these clients with several models, in the last 60 days. */
async function pastRequests(
  history: UsageHistory,
  clients: readonly (readonly [name: string, key: string])[],
): Promise<void> {
  const models = ['glm-5-2', 'kimi-k2', 'llama3-3-70b'];
  const perHour = 10;
  const sums = Array.from({ length: PAST_REQUESTS / perHour }, (_, index): UsageSum => {
    const [, key] = clients[index % clients.length] ?? ['', ''];
    return {
      hour: hourOf(Date.now()) - ((index * 7) % (60 * 24)) * HOUR,
      caller: accessKeyId(key),
      model: models[index % models.length] ?? '',
      requests: perHour,
      errors: index % 9 === 0 ? 1 : 0,
      cancelled: 0,
      tokensIn: 4000 + 300 * (index % 13),
      tokensOut: 900 + 50 * (index % 17),
      tokensCached: 100,
      firstByte: { [bucketOf(200 + 40 * (index % 11))]: 9, [bucketOf(3000)]: 1 },
    };
  });
  const names = new Map(clients.map(([name, key]) => [accessKeyId(key), name]));
  await history.add({ since: Date.now(), sums }, Promise.resolve(names));
  await history.settled();
}
