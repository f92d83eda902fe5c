// The diagnosis with a real proxy and the development enclave, and what no enclave at hand can bring about, made up.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { answerApiError, ApiError } from '../../src/devEnclave/model/apiErrors.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { ConfigState } from '../../src/assistants/types.ts';
import { check, ok } from '../../src/diagnostics/check.ts';
import type { DoctorContext } from '../../src/diagnostics/check.ts';
import { diagnose } from '../../src/diagnostics/checks.ts';
import type { NamedResult } from '../../src/diagnostics/checks.ts';
import { diagnosisDocument } from '../../src/diagnostics/report.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { probe } from '../../src/supervisor/localProxy.ts';
import type { Health, ProxyStatus } from '../../src/shared/status.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';
import { perTest } from '../support/e2e/scope.ts';
import { RawServer } from '../support/rawServer.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';
import { EditorWindow } from '../support/editorWindow.ts';

const AT = Date.UTC(2026, 0, 15, 12);
const SURROUNDINGS = {
  version: '1.2.3',
  platform: 'linux x64',
  node: '24.0.0',
  editor: 'Visual Studio Code 1.125.0',
  remote: undefined,
  at: AT,
};

function contextOf({ supervisor, settings, network, vault }: EditorWindow, change: Partial<DoctorContext> = {}) {
  const context: DoctorContext = {
    status: () => supervisor.status,
    crashes: () => supervisor.crashes,
    settings: () => settings,
    network: () => network,
    modelOverrides: () => ({}),
    environment: {},
    probe: (port) => probe(port, Buffer.from(vault.ownership, 'base64')),
    connect: () => supervisor.connect(),
    refresh: () => supervisor.check(),
    keys: () => Promise.resolve({ hasApiKey: vault.apiKey !== null, accessKeys: vault.accessKeys.length }),
    assistants: () => Promise.resolve([]),
    clock: () => performance.now(),
    limit: 10_000,
    ...change,
  };
  return context;
}

const STEP = 'Attestation: ';
const named = (results: readonly NamedResult[], name: string): NamedResult => {
  const found = results.find((result) => result.name === name);
  assert.ok(found, name);
  return found;
};
/** The results as one letter each, by name, the steps of the attestation as one word. */
const outline = (results: readonly NamedResult[]) => ({
  ...Object.fromEntries(
    results.filter(({ name }) => !name.startsWith(STEP)).map(({ name, result }) => [name, result] as const),
  ),
  steps: results
    .filter(({ name }) => name.startsWith(STEP))
    .map(({ result }) => ({ ok: '✓', failed: '✗', skipped: '–' })[result])
    .join(''),
});

describe('The diagnosis', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let editor: EditorWindow;

  beforeEach(async () => {
    enclave = await scope.enclave({ handler: createModel({ paceMs: 0 }) });
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
  });

  /** The results, which say no secret. */
  const examine = async (change: Partial<DoctorContext> = {}) => {
    const results = await withTimeout('the diagnosis', DEADLINE, diagnose(contextOf(editor, change)));
    const { apiKey, ownKey, ownership, cacheNamespaceRoot, accessKeys } = editor.vault;
    const keys = Object.fromEntries(accessKeys.map((key, index) => [`access key ${index}`, key]));
    const secrets = { ownKey, ownership, cacheNamespaceRoot, ...(apiKey !== null && { apiKey }), ...keys };
    const shown = diagnosisDocument(results, SURROUNDINGS, []);
    assertNoSecretLeaks(secrets, shown, 'the document');
    assert.doesNotMatch(shown, /sealed-[A-Za-z0-9_-]{16}|bearer/i);
    for (const { name, result, value, advice } of results) {
      assert.notEqual(value, '', name);
      if (result === 'failed') assert.match(advice, /[.)]$/, name);
    }
    return results;
  };
  const HEALTHY = {
    Process: 'ok',
    'Owner of the port': 'ok',
    '127.0.0.1': 'ok',
    '::1': 'ok',
    'http.proxy and http.noProxy': 'ok',
    'Proxy variables of the environment': 'ok',
    'Access keys': 'ok',
    'API key': 'ok',
    Handshake: 'ok',
    steps: '––––––––––',
    'Clock of this computer': 'skipped',
    Models: 'ok',
    'Streamed answer': 'ok',
    Embedding: 'ok',
    Assistants: 'skipped',
  };
  const NOT_ASKED = { Models: 'skipped', 'Streamed answer': 'skipped', Embedding: 'skipped' };
  const noIpv6 = (results: readonly NamedResult[]) =>
    named(results, '::1').result === 'skipped' ? { '::1': 'skipped' } : {};
  const assertOutline = (results: readonly NamedResult[], change: object = {}) => {
    assert.deepEqual(outline(results), { ...HEALTHY, ...noIpv6(results), ...change });
  };
  const start = async () => {
    await editor.supervisor.start();
    await editor.health('connected');
  };

  it('of a proxy that is well has nothing to do, and says how long an answer took', async () => {
    await start();
    const results = await examine();
    assertOutline(results);
    assert.deepEqual(
      results.filter(({ advice }) => advice !== ''),
      [],
    );
    assert.match(named(results, 'Streamed answer').value, /^gpt-oss-120b: first byte after \d+ ms, whole after \d+ ms/);
    assert.equal(
      named(results, 'Embedding').value.replace(/\b\d+ ms/, 'T'),
      'nomic-embed-text: 768 dimensions after T',
    );
    assert.equal(named(results, 'Models').value, '8, of which 6 chat');
    assert.equal(named(results, 'Access keys').value, '2 in all, that of the extension included');
    assert.match(diagnosisDocument(results, SURROUNDINGS, []), /\*\*No check failed, and 1[23] were not tried\.\*\*/);
  });

  it('says of each connected assistant what it is set to, and nothing of where', async () => {
    await start();
    const standings: readonly (readonly [string, ConfigState])[] = [
      ['Continue', { kind: 'current', model: 'glm-5-2' }],
      ['VS Code Custom Endpoint', { kind: 'current', model: 'glm-5-2', elsewhere: 'anthropic' }],
      ['llama.vscode', { kind: 'current', model: 'glm-5-2', uncompared: true }],
      ['Cline', { kind: 'old', baseUrl: true, key: false, model: 'glm-5-2' }],
      ['Kilo Code', { kind: 'refused', path: '/home/someone', message: '/home/someone/.kilo cannot be read.' }],
      ['opencode', { kind: 'other', what: 'anthropic' }],
      ['Qwen Code', { kind: 'absent' }],
    ];
    const assistants = () => Promise.resolve(standings.map(([name, configState]) => ({ name, configState })));
    const results = await examine({ assistants });
    const said = results.filter(({ name }) => name.startsWith('Assistant'));
    assert.deepEqual(
      said.map(({ name, result, value }) => [name, result, value]),
      [
        ['Assistant: Continue', 'ok', 'set to this proxy, model glm-5-2'],
        [
          'Assistant: VS Code Custom Endpoint',
          'ok',
          'set to this proxy, but another model or provider is chosen there',
        ],
        ['Assistant: llama.vscode', 'skipped', 'connected; its address is compared while the proxy runs'],
        ['Assistant: Cline', 'failed', 'points to an old address'],
        ['Assistant: Kilo Code', 'failed', 'its configuration cannot be read'],
      ],
    );
    assert.ok(!JSON.stringify(said).includes('someone'));
  });

  it('goes to its end where the assistants cannot be looked at', async () => {
    for (const assistants of [
      () => Promise.reject(new Error('/home/someone/secrets cannot be read')),
      () => new Promise<never>(() => undefined),
    ]) {
      const { result, value } = named(await examine({ assistants, limit: 300 }), 'Assistants');
      assert.deepEqual([result, value], ['failed', 'they could not be looked at']);
    }
  });

  it('says how often the process has ended by itself', async () => {
    await start();
    const before = editor.statuses.items.length;
    process.kill(editor.pid, 'SIGKILL');
    await editor.status('restarting', before);
    const restarting = await examine();
    assert.match(named(restarting, 'Process').value, /about to be started again; it ended by itself 1x/);
    await editor.health('connected', before);
    const results = await examine();
    assertOutline(results);
    assert.match(named(results, 'Process').value, /^runs, .*; it ended by itself 1x/);
    assert.match(named(results, 'Process').advice, /log/);
  });

  it('of a wrong key says that it is refused, and asks no model', async () => {
    editor.vault.apiKey = 'wrong-key-of-nobody';
    await editor.supervisor.start();
    await editor.health('keyRejected');
    const results = await examine();
    assertOutline(results, { 'API key': 'failed', ...NOT_ASKED });
    assert.match(named(results, 'API key').value, /refused/);
    assert.match(named(results, 'API key').advice, /Set another/);
  });

  it('without a key says where to set one', async () => {
    editor.vault.apiKey = null;
    await editor.supervisor.start();
    await editor.health('noKey');
    const results = await examine();
    const { result } = named(results, 'Handshake');
    assertOutline(results, { 'API key': 'failed', Handshake: result, ...NOT_ASKED });
    assert.match(named(results, 'API key').advice, /Sealed Proxy: Set API Key/);
    assert.notEqual(result, 'failed');
  });

  it('of a dead backend says that it is not reached, and to look at the network', async () => {
    await enclave.close();
    await editor.supervisor.start();
    await editor.health('unreachable');
    const results = await examine();
    assertOutline(results, { 'API key': 'skipped', Handshake: 'failed', ...NOT_ASKED });
    assert.match(named(results, 'Handshake').value, /\(network, ECONNREFUSED\)/);
    assert.match(named(results, 'Handshake').advice, /network/);
  });

  it('of a refused attestation says which step refused it', async () => {
    enclave.setFaults('wrong-nonce');
    await editor.supervisor.start();
    await editor.health('unreachable');
    const results = await examine();
    const steps = '––––✗–––––';
    assertOutline(results, { 'API key': 'skipped', Handshake: 'failed', steps, ...NOT_ASKED });
    assert.match(named(results, 'Handshake').value, /nonce_mismatch/);
    assert.match(named(results, 'Handshake').advice, /try another network/);
  });

  it('of a stranger on the port says that no key was sent there', async () => {
    const stranger = await RawServer.listen();
    scope.onClose(() => stranger.close());
    await editor.change({ port: stranger.port });
    const answering = async () => {
      for (;;) (await stranger.next()).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    };
    void answering().catch(() => undefined);
    await editor.supervisor.start();
    assert.equal(editor.supervisor.status.kind, 'portTaken');
    const results = await examine();
    const untried = { '127.0.0.1': 'skipped', 'API key': 'skipped', Handshake: 'skipped', ...NOT_ASKED };
    assertOutline(results, { Process: 'failed', 'Owner of the port': 'failed', ...untried });
    assert.match(named(results, 'Owner of the port').value, /not ours; no key was sent to it/);
    assert.match(named(results, 'Owner of the port').advice, /another port/);
    for (const { received } of stranger.connections) assert.doesNotMatch(received, /authorization/i);
  });

  it('of a proxy that is off says how to start it, and that its port is free', async () => {
    const results = await examine();
    const untried = { '127.0.0.1': 'skipped', 'API key': 'skipped', Handshake: 'skipped', ...NOT_ASKED };
    assertOutline(results, { Process: 'failed', ...untried });
    assert.match(named(results, 'Process').advice, /Sealed Proxy: Start/);
    assert.match(named(results, 'Owner of the port').value, /free$/);
    assert.equal(enclave.journal.requests.length, 0);
  });

  it('says so if somebody else answers on ::1', async function () {
    await start();
    const other = createServer().listen(editor.settings.port, '::1');
    try {
      await once(other, 'listening');
    } catch {
      this.skip(); // no such address here
    }
    scope.onClose(async () => {
      other.close();
      await once(other, 'close');
    });
    const results = await examine();
    assertOutline(results, { '::1': 'failed' });
    assert.match(named(results, '::1').advice, /Write 127\.0\.0\.1 into base URLs/);
  });

  it('warns of a company proxy that other programs would ask for 127.0.0.1, and does not tell its password', async () => {
    const url = 'http://person:the-password@proxy.example:8080';
    for (const [environment, result] of [
      [{ http_proxy: url }, 'failed'],
      [{ HTTP_PROXY: url, no_proxy: 'localhost,.example' }, 'failed'],
      [{ HTTP_PROXY: url, NO_PROXY: '127.0.0.1', no_proxy: 'localhost' }, 'failed'],
      [{ ALL_PROXY: url, NO_PROXY: 'localhost, 127.0.0.1' }, 'ok'],
      [{ http_proxy: url, no_proxy: '*' }, 'ok'],
      [{ https_proxy: url }, 'ok'],
      [{ http_proxy: ' ' }, 'ok'],
    ] as const) {
      const results = await examine({ environment, network: () => ({ httpsProxy: url, noProxy: 'a.example' }) });
      assert.equal(named(results, 'Proxy variables of the environment').result, result, JSON.stringify(environment));
      assert.equal(named(results, 'http.proxy and http.noProxy').value, 'proxy.example:8080, exceptions: 1');
      assert.doesNotMatch(JSON.stringify(results), /the-password|person/);
    }
  });

  it('does not repeat a key that the backend writes into its refusal', async () => {
    const key = String(editor.vault.apiKey);
    const model = createModel({ paceMs: 0 });
    const echoing = await scope.enclave({
      handler: async (request, response) => {
        if (request.method === 'GET') await model(request, response);
        else answerApiError(response, new ApiError(400, 'upstream_invalid_request', `Bad key ${key}`));
      },
    });
    await editor.change({ backendUrl: echoing.url });
    await start();
    const results = await examine();
    assertOutline(results, { 'Streamed answer': 'failed', Embedding: 'failed' });
    assert.match(named(results, 'Embedding').value, /status 400 \(upstream_invalid_request\)/);
  });

  it('calls an answer that breaks off what it is, whatever the backend says of it', async () => {
    const model = createModel({ paceMs: 0 });
    const breaking = await scope.enclave({
      handler: (request, response) =>
        model(
          request.target === '/v1/chat/completions'
            ? { ...request, body: Buffer.from(chatBody('/broken 2', { stream: true })) }
            : request,
          response,
        ),
    });
    await editor.change({ backendUrl: breaking.url });
    await start();
    const results = await examine();
    assertOutline(results, { 'Streamed answer': 'failed' });
    assert.match(named(results, 'Streamed answer').value, /^gpt-oss-120b: the answer broke off after 2 pieces/);
  });

  it('ends a check that hangs, and goes on with the next', async () => {
    await start();
    const never = () => new Promise<never>(() => undefined);
    const results = await examine({ connect: never, refresh: never, limit: 200 });
    assertOutline(results, { 'Streamed answer': 'failed', Embedding: 'failed' });
    assert.equal(named(results, 'Embedding').value, 'no result within 0.2 s');
  });

  it('ends the request of a check that takes too long', async () => {
    const hanging = await scope.enclave({
      handler: (request, response) =>
        request.method === 'GET' ? createModel({ paceMs: 0 })(request, response) : new Promise(() => undefined),
    });
    await editor.change({ backendUrl: hanging.url });
    await start();
    const results = await examine({ limit: 300 });
    assertOutline(results, { 'Streamed answer': 'failed', Embedding: 'failed' });
    await editor.log.find('the end of both', (line) => line.includes('/v1/embeddings') && line.includes('client-gone'));
  });

  describe('of a verified enclave', () => {
    const RUNNING: Extract<ProxyStatus, { kind: 'running' }> = {
      kind: 'running',
      url: 'http://127.0.0.1:1',
      port: 1,
      version: '1',
      shared: false,
      backendUrl: 'https://enclave.example',
      verified: null,
      establishedAt: null,
      health: { kind: 'checking' },
    };
    const refused = (detail: string, message: string): Health => {
      const failure = { at: AT, code: 'attestation_refused', detail, message };
      const cause = detail === 'clock' ? 'clock' : 'attestation';
      return { kind: 'unreachable', cause, message, failure, checkedAt: AT, retryAt: null };
    };
    const made = (status: Partial<typeof RUNNING>) =>
      examine({ status: () => ({ ...RUNNING, ...status }), refresh: () => Promise.resolve() });

    it('ticks each step off that had passed before one refused', async () => {
      const results = await made({ health: refused('signature', 'The signature is wrong') });
      assert.equal(outline(results).steps, '✓✓✓✗––––––');
      assert.equal(named(results, 'Clock of this computer').result, 'skipped');
    });

    it('says that the clock of this computer is off by hours, and to set it', async () => {
      const message = 'The clock of this computer is 5 hours ahead';
      const results = await made({ health: refused('clock', message) });
      const clock = named(results, 'Clock of this computer');
      assert.deepEqual([clock.result, clock.value], ['failed', message]);
      assert.match(clock.advice, /Set the clock/);
      assert.equal(outline(results).steps, '✓✓✓✓✓✗––––');
    });

    for (const [seconds, result] of [
      [2, 'ok'],
      [-3600, 'failed'],
      [3600, 'failed'],
    ] as const) {
      it(`compares its time with that of this computer: ${seconds} s`, async () => {
        const verified = {
          kind: 'verified',
          environment: 'production',
          pcr0: 'ab'.repeat(48),
          approvedBy: 'additional',
          moduleId: 'i-1',
          timestamp: AT,
          certificateNotBefore: AT - 1000,
          certificateNotAfter: AT + 3_600_000,
          document: '',
        } as const;
        const results = await made({ verified, establishedAt: AT + seconds * 1000 });
        assert.equal(named(results, 'Clock of this computer').result, result);
        assert.match(named(results, 'Clock of this computer').value, seconds < 0 ? /behind/ : /ahead of/);
        assert.equal(outline(results).steps, '✓'.repeat(10));
      });
    }
  });
});

describe('A check', () => {
  it('does not throw', async () => {
    const thrown = () => {
      throw new Error('It broke');
    };
    assert.deepEqual(await check('x', 1000, thrown).run(), {
      result: 'failed',
      value: 'It broke',
      advice: 'The log may say more.',
    });
    assert.equal((await check('x', 1000, () => Promise.reject(new Error('late'))).run()).value, 'late');
    assert.deepEqual(await check('x', 1000, () => ok('yes')).run(), ok('yes'));
  });

  it('is told when its time is over', async () => {
    let told = false;
    const hanging = check('x', 20, (signal) => {
      signal.addEventListener('abort', () => (told = true));
      return new Promise(() => undefined);
    });
    assert.equal((await hanging.run()).value, 'no result within 0.02 s');
    assert.equal(told, true);
  });
});

describe('The document of a diagnosis', () => {
  const shown = (value: string, secrets: readonly string[] = []) =>
    diagnosisDocument([{ name: 'x', result: 'failed', value, advice: 'Do it.' }], SURROUNDINGS, secrets);

  it('has a row for each check, and says where it ran', () => {
    const text = shown('broken');
    assert.match(text, /\| ✗ \| x \| broken \| Do it\. \|/);
    assert.match(text, /\*\*1 of 1 checks failed\.\*\*/);
    for (const part of [
      'Sealed Proxy 1.2.3',
      'Visual Studio Code 1.125.0',
      'Node 24.0.0',
      'linux x64',
      'remote: none',
    ]) {
      assert.ok(text.includes(part), part);
    }
  });

  it('says that all is well where nothing was left out, and no more than it knows elsewhere', () => {
    const shownOf = (...outcomes: NamedResult['result'][]) => {
      const results = outcomes.map((result) => ({ name: 'x', result, value: 'y', advice: '' }));
      return diagnosisDocument(results, { ...SURROUNDINGS, remote: 'host.example:80' }, []);
    };
    assert.match(shownOf('ok', 'ok'), /All is well/);
    assert.match(shownOf('ok', 'skipped'), /No check failed, and 1 were not tried/);
    assert.match(shownOf('ok'), /remote: another computer/);
  });

  it('masks whatever looks like a key, and every secret that is known', () => {
    const key = `sealed-${'k'.repeat(43)}`;
    const text = shown(`${key} sk-abcdefgh12345678 Authorization: Bearer abc.def https://me:pass@host/ dev-secret`, [
      'dev-sec',
      'dev-secret',
    ]);
    assert.doesNotMatch(text, /kkkk|abcdefgh|abc\.def|pass@|dev-secret/);
    assert.match(text, /sealed-••• sk-••• Authorization: Bearer ••• https:\/\/•••@host\/ •••/);
  });

  it('makes no link, command, picture or cell of a message', () => {
    const text = shown('[a](command:x) ![b](c) <img src=x> | y\n| z `code` &lt;');
    assert.ok(text.includes('\\[a\\](command:x) !\\[b\\](c) \\<img src=x\\> \\| y \\| z \\`code\\` \\&lt;'), text);
    assert.equal(text.match(/^\| ✗/gm)?.length, 1);
  });
});
