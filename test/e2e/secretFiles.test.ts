// Secrets in files, as Docker, Kubernetes and systemd provide them, and loading them again without losing a request.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { accessKeyId, createAccessKey } from '../../src/shared/accessKeys.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { itWithSignals } from '../support/e2e/platforms.ts';
import { PROXY, RunningProcess, runToEnd, spawnNode } from '../support/e2e/process.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';

const [ALICE, BOB, CAROL] = [createAccessKey(), createAccessKey(), createAccessKey()];
const ROOTS = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const NO_VARIABLES = { PROXY_API_KEY: '', PROXY_ACCESS_KEYS: '' };

describe('Secrets in files', () => {
  const scope = perTest();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-secrets-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const write = (name: string, text: string | Uint8Array) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  const variables = (keys: string) => ({
    ...NO_VARIABLES,
    PROXY_API_KEY_FILE: write('api-key', `${API_KEY}\n`),
    PROXY_ACCESS_KEYS_FILE: write('access-keys', keys),
    PROXY_CACHE_NAMESPACE_ROOT_FILE: write('root', `${ROOTS[0]}\n`),
  });

  const start = async (keys = `# clients\nalice=${ALICE}\n\n${BOB}\n`) => {
    const enclave = await scope.enclave({ handler: createModel({ paceMs: 50 }) });
    const proxy = await scope.proxy(enclave, variables(keys));
    await proxy.logged('session');
    return { enclave, proxy };
  };

  const statusWith = async (url: string, key: string) =>
    (await sendRequest(url, { method: 'GET', path: '/v1/models', key })).status;

  it('are used like those in variables', async () => {
    const { proxy, enclave } = await start();
    assert.deepEqual([await statusWith(proxy.url, ALICE), await statusWith(proxy.url, BOB)], [200, 200]);
    assert.equal(await statusWith(proxy.url, CAROL), 401);
    const index = enclave.journal.requests.length;
    await sendRequest(proxy.url, { body: chatBody('Hello'), key: ALICE });
    assert.notEqual((await enclave.journal.request(index)).cache_root_sha256, null);
    const text = proxy.stderr.items.join('\n');
    for (const secret of [API_KEY, ALICE, BOB, CAROL]) assert.ok(!text.includes(secret));
  });

  it('that cannot be used end the proxy with the file and the line, and without the key', async () => {
    for (const [name, text, message] of [
      ['access-keys', `alice=${ALICE}\nbob=${BOB}x\n`, /access-keys, line 2: an access key is "sealed-"/],
      ['access-keys', '# nobody\n', /access-keys: the file has no access key/],
      ['api-key', `${API_KEY} x`, /api-key: a key has 1 to 16,384 visible/],
      ['api-key', `PROXY_API_KEY=${API_KEY}`, /api-key: the value begins with PROXY_API_KEY=; remove that part$/],
      ['api-key', `bob=${BOB}\n`, /api-key: this contains an access key of the proxy; set the API key of the backend$/],
      [
        'access-keys',
        Buffer.from(`\ufeffalice=${ALICE}\n`, 'utf16le'),
        /access-keys: the file is in UTF-16: save it as UTF-8/,
      ],
      ['root', 'hidden-word', /root: it must be the Base64 of exactly 32 bytes/],
    ] as const) {
      const env = variables(`alice=${ALICE}`);
      write(name, text);
      const { code, stderr } = await runToEnd([], { PROXY_PORT: '0', ...env });
      assert.equal(code, 2);
      assert.match(stderr, message);
      for (const secret of [API_KEY, ALICE, BOB, 'hidden-word']) assert.ok(!stderr.includes(secret), stderr);
    }
  });

  itWithSignals('can be pipes, and a pipe that nobody writes to does not stop the process for ever', async () => {
    const [keys, silent] = [join(folder, 'pipe'), join(folder, 'silent')];
    execFileSync('mkfifo', [keys, silent]);
    const enclave = await scope.enclave();
    const starting = scope.proxy(enclave, { ...NO_VARIABLES, PROXY_API_KEY: API_KEY, PROXY_ACCESS_KEYS_FILE: keys });
    execFileSync('sh', ['-c', `printf '%s\\n' "$KEY" > "$PIPE"`], { env: { KEY: `alice=${ALICE}`, PIPE: keys } });
    assert.equal(await statusWith((await starting).url, ALICE), 200);
    const { code, stderr } = await runToEnd([], { PROXY_PORT: '0', PROXY_API_KEY_FILE: silent });
    assert.equal(code, 2);
    assert.match(stderr, /nothing was written to the pipe in time/);
  });

  itWithSignals('are loaded again on SIGHUP, and a running stream goes on', async () => {
    const { proxy, enclave } = await start();
    const stream = await openResponse(proxy.url, { body: chatBody('/repeat 20', { stream: true }), key: ALICE });
    variables(`carol=${CAROL}`);
    write('root', ROOTS[1] ?? '');
    write('api-key', 'dev-rotated');
    proxy.child.kill('SIGHUP');
    await proxy.logged('keys_reloaded', { cause: 'SIGHUP', accessKeys: 1 });
    assert.deepEqual([await statusWith(proxy.url, CAROL), await statusWith(proxy.url, ALICE)], [200, 401]);
    await sendRequest(proxy.url, { body: chatBody('Hello'), key: CAROL });
    const [first, , last] = await Promise.all([0, 1, 2].map((index) => enclave.journal.request(index)));
    assert.notEqual(first?.cache_root_sha256, last?.cache_root_sha256);
    assert.notDeepEqual(first?.credential, last?.credential);
    const response = await readResponse(stream);
    assert.equal(response.broken, false);
    assert.match(response.body.toString(), /data: \[DONE\]\n\n$/);
  });

  itWithSignals('lose no request while they are loaded again and again', async () => {
    const { proxy } = await start();
    const statuses: Promise<number>[] = [];
    for (let round = 0; round < 20; round++) {
      statuses.push(statusWith(proxy.url, ALICE));
      proxy.child.kill('SIGHUP');
      statuses.push(statusWith(proxy.url, ALICE));
      await statuses.at(-1);
    }
    assert.deepEqual(new Set(await Promise.all(statuses)), new Set([200]));
  });

  it('are loaded again when a file changes', async () => {
    const { proxy } = await start();
    write('access-keys', `carol=${CAROL}\n`);
    await proxy.logged('keys_reloaded', { cause: 'file', accessKeys: 1 });
    assert.deepEqual([await statusWith(proxy.url, CAROL), await statusWith(proxy.url, ALICE)], [200, 401]);
  });

  it('are loaded again although they have all expired, and the log says so', async () => {
    const { proxy } = await start();
    write('access-keys', `alice=${ALICE} expires=2020-01-01\nbob=${BOB}\n`);
    await proxy.logged('keys_reloaded', { cause: 'file', accessKeys: 2, expired: 1 });
    write('access-keys', `alice=${ALICE} expires=2020-01-01\n`);
    await proxy.logged('keys_reloaded', { cause: 'file', accessKeys: 1, expired: 1 });
    const { level } = await proxy.logged('access_keys_expired');
    assert.equal(level, 'warn');
    assert.equal(proxy.log.filter(({ event }) => event === 'access_keys_expired').length, 1);
  });

  itWithSignals('are loaded again when Kubernetes replaces the link to their folder', async () => {
    for (const [name, key] of [
      ['..v1', `alice=${ALICE}`],
      ['..v2', `carol=${CAROL}`],
    ] as const) {
      mkdirSync(join(folder, name));
      write(`${name}/access-keys`, key);
    }
    symlinkSync('..v1', join(folder, '..data'));
    symlinkSync('..data/access-keys', join(folder, 'access-keys'));
    const proxy = await scope.proxy(await scope.enclave(), {
      PROXY_ACCESS_KEYS: '',
      PROXY_ACCESS_KEYS_FILE: join(folder, 'access-keys'),
    });
    assert.deepEqual([await statusWith(proxy.url, ALICE), await statusWith(proxy.url, CAROL)], [200, 401]);
    symlinkSync('..v2', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    await proxy.logged('keys_reloaded', { cause: 'file' });
    assert.deepEqual([await statusWith(proxy.url, ALICE), await statusWith(proxy.url, CAROL)], [401, 200]);
  });

  it('stay as they are when a file is damaged or missing, and the log says so', async () => {
    const { proxy } = await start();
    write('access-keys', `alice=${ALICE}\nbob=${BOB.slice(0, -1)}\n`);
    const { reason, level } = await proxy.logged('keys_not_reloaded', { cause: 'file' });
    assert.equal(level, 'warn');
    assert.match(String(reason), /^PROXY_ACCESS_KEYS_FILE cannot be used: .*access-keys, line 2: an access key is/);
    assert.ok(!String(reason).includes(BOB.slice(0, -1)));
    assert.equal(await statusWith(proxy.url, ALICE), 200);
    const logged = proxy.stderr.items.length;
    unlinkSync(join(folder, 'access-keys'));
    const missing = await proxy.logged('keys_not_reloaded', { cause: 'file' }, logged);
    assert.match(String(missing['reason']), /access-keys: the file does not exist/);
    assert.deepEqual([await statusWith(proxy.url, ALICE), await statusWith(proxy.url, BOB)], [200, 200]);
  });

  it('are not loaded again if the API key contains an access key, which the backend must not see', async () => {
    const { proxy, enclave } = await start();
    assert.equal(await statusWith(proxy.url, ALICE), 200);
    const sent = enclave.journal.requests.length;
    write('api-key', `alice=${ALICE}\n`);
    const { reason } = await proxy.logged('keys_not_reloaded', { cause: 'file' });
    assert.match(String(reason), /api-key: this contains an access key of the proxy; set the API key of the backend$/);
    assert.equal(await statusWith(proxy.url, ALICE), 200);
    const [before, after] = await Promise.all([sent - 1, sent].map((index) => enclave.journal.request(index)));
    assert.deepEqual(after?.credential, before?.credential);
  });

  itWithSignals('are not needed: without files, SIGHUP only has a line in the log', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    proxy.child.kill('SIGHUP');
    const { level } = await proxy.logged('keys_not_reloaded', { cause: 'SIGHUP' });
    assert.equal(level, 'info');
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models' })).status, 200);
  });
});

describe('sealed-proxy keys new', () => {
  const scope = perTest();

  it('prints a line for the file of the access keys', async () => {
    const { code, stdout, stderr } = await runToEnd(['keys', 'new', 'team-1.web']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^team-1\.web=sealed-[\w-]{43}$/);
    const proxy = await scope.proxy(await scope.enclave(), { PROXY_ACCESS_KEYS: stdout });
    const key = stdout.replace(/^.*=/, '');
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models', key })).status, 200);
    assert.equal(accessKeyId(key).length, 16);
  });

  it('adds the limits of the client to the line', async () => {
    const { stdout } = await runToEnd(['keys', 'new', 'a', 'expires=2999-12-31', 'models=x,y']);
    assert.match(stdout, /^a=sealed-[\w-]{43} expires=2999-12-31 models=x,y$/);
  });

  it('refuses a bad name, and other arguments', async () => {
    for (const args of [['a b'], [''], ['none'], ['a', 'b'], ['a', 'requests=60'], ['a', 'expires=2020-01-01'], []]) {
      const child = new RunningProcess(spawnNode(PROXY, { args: ['keys', 'new', ...args] }));
      assert.equal((await child.exit()).code, 2);
      assert.deepEqual([child.stdout.items, child.stderr.items.length], [[], 1]);
      assert.doesNotMatch(child.stderr.items.join(), /PROXY_/); // no variable is wrong
    }
  });
});

describe('PROXY_ACCESS_KEYS_ONLY', () => {
  const scope = perTest();

  it('refuses every other key, and says which keys are accepted', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, { PROXY_ACCESS_KEYS_ONLY: 'true' });
    const path = '/v1/models';
    const response = await sendRequest(proxy.url, { method: 'GET', path, key: 'dev-own' });
    assert.equal(response.status, 401);
    assert.match(response.body.toString(), /accepts only its own access keys, which begin with \\"sealed-\\"/);
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path })).status, 200);
    assert.equal(enclave.journal.requests.length, 1);
  });
});
