// What the dashboard of a window receives, with real proxies.
import assert from 'node:assert/strict';
import type { ConfigState } from '../../src/assistants/adapters/assistant.ts';
import { cline } from '../../src/assistants/adapters/cline.ts';
import type { Judgement } from '../../src/assistants/judging/judgement.ts';
import { testApiKey } from '../../src/chat/apiKeyTest.ts';
import { OWN } from '../../src/dashboard/clients.ts';
import { DashboardFeed } from '../../src/dashboard/feed.ts';
import type { FeedContext } from '../../src/dashboard/feed.ts';
import type { ToDashboard } from '../../src/dashboard/messages.ts';
import type { DashboardState, NamedRequest } from '../../src/dashboard/model.ts';
import { makeAccessKey } from '../../src/keys/accessKeys.ts';
import { accessKeyId } from '../../src/shared/accessKeys.ts';
import type { ProxyStatus } from '../../src/shared/status.ts';
import { DIRECT } from '../../src/shared/usage.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import type { VerifiedConnection } from '../../src/supervisor/localProxy.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import { EditorWindow, makeVault } from '../support/editorWindow.ts';
import { ScriptedModel, typed } from '../support/vscode/scriptedModel.ts';
import { eventually, flushEventLoop } from '../support/withTimeout.ts';

type Requests = Extract<ToDashboard, { type: 'requests' }>;

const CLIENT = { ...makeAccessKey('A client', 'user', 0), id: accessKeyId(ACCESS_KEY), key: ACCESS_KEY };

const NO_SENDERS: FeedContext['promptSources'] = {
  isRemote: false,
  findPrograms: () => Promise.resolve(),
  map: () => ({ reach: { kind: 'enclave' }, remedy: null, senders: [] }),
};

const isChat = ({ path }: NamedRequest) => path === '/v1/chat/completions';

/** A dashboard of this window. */
class View {
  readonly messages = new EventQueue<ToDashboard>();
  readonly failures: string[] = [];
  readonly feed: DashboardFeed;

  constructor({ supervisor }: EditorWindow, change: Partial<FeedContext> = {}) {
    const context: FeedContext = {
      supervisor,
      secrets: { accessKeys: () => Promise.resolve([CLIENT]) },
      assistants: { list: () => Promise.resolve([]) },
      promptSources: NO_SENDERS,
      sealing: { section: () => Promise.resolve(null) },
      usageHistory: { read: () => Promise.resolve([]) },
      settings: () => ({ modelOverrides: {}, usageHistory: true }),
      log: { channel: { error: (message) => this.failures.push(message) } },
      ...change,
    };
    this.feed = new DashboardFeed(context, (message) => {
      this.messages.add(message);
    });
  }

  async state(label: string, accepts: (state: DashboardState) => boolean, start = 0): Promise<DashboardState> {
    const isIt = (message: ToDashboard) => message.type === 'state' && accepts(message.state);
    const found = await this.messages.find(label, isIt, start);
    return (found as Extract<ToDashboard, { type: 'state' }>).state;
  }

  async row(label: string, accepts: (row: NamedRequest) => boolean, start = 0): Promise<Requests> {
    const isIt = (message: ToDashboard) => message.type === 'requests' && message.requests.some(accepts);
    return (await this.messages.find(label, isIt, start)) as Requests;
  }
}

describe('DashboardFeed', () => {
  const scope = perTest();

  const view = (window: EditorWindow, change: Partial<FeedContext> = {}) => {
    const opened = new View(window, change);
    scope.onClose(() => {
      opened.feed.stop();
      return Promise.resolve();
    });
    return opened;
  };

  it('sends the requests of all windows with the names of their clients: running ones, and how they ended', async () => {
    const script = new ScriptedModel();
    const settings = { backendUrl: (await scope.enclave({ handler: script.handler })).url, port: await freePort() };
    const vault = makeVault();
    const owner = EditorWindow.open(scope, settings, { vault });
    const { url } = await owner.start();
    const client = EditorWindow.open(scope, settings, { vault });
    assert.equal((await client.start()).shared, true);
    const dashboard = view(client);
    dashboard.feed.start();
    await dashboard.state('the state', ({ connection }) => connection.tone === 'warning');

    const prompt = 'What is new?';
    const request = openResponse(url, { body: typed(prompt) });
    const chat = await script.nextChat(prompt);
    chat.say('Not much');
    const response = await request;
    const isIts = ({ client: name }: NamedRequest) => name === 'A client';
    const { requests } = await dashboard.row('the running request', (row) => isIts(row) && row.outcome === null);
    chat.finish(3, 4);
    await readResponse(response);
    const ended = await dashboard.row('its end', (row) => isIts(row) && row.outcome !== null);
    const row = ended.requests.find(isIts);
    assert.equal(row?.id, requests.find(isIts)?.id);
    assert.deepEqual([row?.outcome, row?.tokensIn, row?.tokensOut], ['answered', 3, 4]);
    assert.equal(ended.reset, false);
    assert.deepEqual(dashboard.failures, []);
  });

  it('reads the usage again when requests have ended', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    const window = EditorWindow.open(scope, settings);
    const { url } = await window.start();
    const dashboard = view(window);
    dashboard.feed.start();
    await dashboard.feed.showUsage('day', 'client');
    await sendRequest(url, { body: chatBody('Hello') });
    await dashboard.row('the request', (row) => isChat(row) && row.outcome !== null);
    await dashboard.messages.find('the usage', ({ type }) => type === 'usage', dashboard.messages.items.length);
    assert.deepEqual(dashboard.failures, []);
  });

  it('tells the own checks of the extension apart from its chat', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    const window = EditorWindow.open(scope, settings);
    const { url } = await window.start();
    const key = window.vault.accessKeys[0] ?? assert.fail();
    const own = { ...makeAccessKey('', 'own', 0), id: accessKeyId(key), key };
    const dashboard = view(window, { secrets: { accessKeys: () => Promise.resolve([own]) } });
    dashboard.feed.start();
    const { signal } = new AbortController();
    await window.supervisor.check();
    await window.supervisor.withConnection((connection) => testApiKey(connection, 'dev-a-new-key', signal));
    await sendRequest(url, { key, body: chatBody('Hello') });
    const isOver = ({ client, outcome }: NamedRequest) => client === OWN && outcome !== null;
    const isCheck = (row: NamedRequest) => isOver(row) && row.isCheck && row.path === '/v1/models';
    await dashboard.row('the check', (row) => isCheck(row) && row.caller === own.id);
    await dashboard.row('the test of a new API key', (row) => isCheck(row) && row.caller === DIRECT);
    await dashboard.row('the chat', (row) => isOver(row) && !row.isCheck && isChat(row));
    assert.deepEqual(dashboard.failures, []);
  });

  it('shows the result of an action until the configuration of the assistant is another one', async () => {
    let configState: ConfigState = { kind: 'current', model: 'glm-5-2' };
    const judgement: Judgement = { kind: 'sealed', sentence: '', routes: [] };
    const list = () =>
      Promise.resolve([{ assistant: cline, configState, judgement, watched: [], detected: true, undoable: true }]);
    const settings = { backendUrl: 'http://127.0.0.1:9', port: await freePort() };
    const { feed, messages, ...dashboard } = view(EditorWindow.open(scope, settings), { assistants: { list } });
    const notes = () =>
      messages.items
        .flatMap((sent) => (sent.type === 'state' ? [sent.state.clients] : []))
        .at(-1)
        ?.find(({ name }) => name === cline.name)?.config?.note;
    feed.start();
    await feed.note(cline.id, { message: 'Cline is ready.', checkFailed: false });
    assert.equal(notes(), 'Cline is ready.');
    configState = { kind: 'outdated', baseUrl: false, key: true, model: undefined };
    await feed.clientsChanged();
    assert.equal(notes(), '');
    configState = { kind: 'current', model: 'glm-5-2' };
    await feed.clientsChanged();
    assert.equal(notes(), '');
    assert.deepEqual(dashboard.failures, []);
  });

  it('keeps the result of an action when an earlier reading ends after it with what was there before', async () => {
    const judgement: Judgement = { kind: 'sealed', sentence: '', routes: [] };
    const stateIn = (configState: ConfigState) => [
      { assistant: cline, configState, judgement, watched: [], detected: true, undoable: true },
    ];
    const earlier = Promise.withResolvers<ReturnType<typeof stateIn>>();
    const readings = [earlier.promise];
    const list = () => readings.shift() ?? Promise.resolve(stateIn({ kind: 'current', model: 'glm-5-2' }));
    const settings = { backendUrl: 'http://127.0.0.1:9', port: await freePort() };
    const { feed, messages } = view(EditorWindow.open(scope, settings), { assistants: { list } });
    feed.start();
    await feed.note(cline.id, { message: 'Repaired: Cline.' });
    earlier.resolve(stateIn({ kind: 'outdated', baseUrl: false, key: true, model: undefined }));
    await flushEventLoop();
    await feed.clientsChanged();
    const states = messages.items.flatMap((sent) => (sent.type === 'state' ? [sent.state.clients] : []));
    assert.equal(states.at(-1)?.find(({ name }) => name === cline.name)?.config?.note, 'Repaired: Cline.');
  });

  it('forgets the requests when another process follows, and sends those of the new one', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    const window = EditorWindow.open(scope, settings);
    const { url } = await window.start();
    const dashboard = view(window);
    dashboard.feed.start();
    await sendRequest(url, { body: chatBody('Hello') });
    await dashboard.row('the first request', isChat);

    const before = dashboard.messages.items.length;
    await window.supervisor.restart();
    await window.health('connected');
    await sendRequest(url, { body: chatBody('Hello again') });
    const { requests } = await dashboard.row('the second request', isChat, before);
    const later = dashboard.messages.items.slice(before).filter((message) => message.type === 'requests');
    assert.equal(later[0]?.reset, true);
    const chats = later.flatMap((message) => message.requests).filter(isChat);
    assert.equal(new Set(chats.map(({ id }) => id)).size, 1);
    assert.ok(requests.length > 0);
  });

  it('reads the evidence again when the enclave has a new image that waits for consent', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    const window = EditorWindow.open(scope, settings);
    const running = await window.start();
    let status: ProxyStatus = { ...running, verified: null, establishedAt: null };
    const asked = new EventQueue<ProxyStatus>();
    const supervisor = {
      get status() {
        return status;
      },
      withConnection: <Result>(act: (proxy: VerifiedConnection, key: string) => Promise<Result>) =>
        window.supervisor.withConnection((proxy, key) => {
          const evidence = proxy.evidence.bind(proxy);
          proxy.evidence = () => {
            asked.add(status);
            return evidence();
          };
          return act(proxy, key);
        }),
    };
    const dashboard = view(window, { supervisor });
    dashboard.feed.start();
    await asked.find('without an image', () => true);
    const newImage = { pcr0: 'cd'.repeat(48), approvedBy: 'history', listedSince: null, refused: false } as const;
    status = { ...running, verified: null, establishedAt: null, newImage };
    dashboard.feed.statusChanged();
    await asked.find('with the new image', (about) => about === status);
  });

  it('reads nothing once it is stopped', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    const window = EditorWindow.open(scope, settings);
    await window.start();
    await window.health('connected');
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const dashboard = view(window);
    const before = timers();
    dashboard.feed.start();
    await dashboard.feed.showUsage('day', 'client');
    await dashboard.row('a request', () => true);
    assert.equal(dashboard.messages.items.filter(({ type }) => type === 'usage').length, 1, 'the usage is read once');
    assert.ok(timers() > before);
    dashboard.feed.stop();
    await eventually('the end of its timers, also of a request on its way', () => timers() <= before);
    const sent = dashboard.messages.items.length;
    dashboard.feed.statusChanged();
    await dashboard.feed.clientsChanged();
    await dashboard.feed.usageChanged();
    assert.equal(dashboard.messages.items.length, sent);
  });
});
