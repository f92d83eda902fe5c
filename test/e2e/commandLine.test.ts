import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VARIABLES } from '../../src/settings/environment.ts';
import { VERSION } from '../../src/shared/version.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { itOnLinux, itWithSignals } from '../support/e2e/platforms.ts';
import { PROXY, fromRoot, runToEnd } from '../support/e2e/process.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import { RawServer } from '../support/rawServer.ts';
import type { RawConnection } from '../support/rawServer.ts';

describe('runCommandLine()', () => {
  const scope = perTest();

  it('--help names the usage, every variable with its default, and the exit codes', async () => {
    for (const args of [['--help'], ['-h'], ['verify', '--help'], ['evidence', '-h']]) {
      const { code, stdout, stderr } = await runToEnd(args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.ok(stdout.startsWith(`sealed-proxy ${VERSION}: `));
      assert.match(stdout, /--health/);
      for (const { variable, byDefault, description } of VARIABLES) {
        assert.ok(stdout.includes(`  ${variable.padEnd(31)} ${description.replaceAll('`', '')}\n`), variable);
        if (byDefault !== '') assert.ok(stdout.includes(`default: ${byDefault}`), variable);
      }
      assert.match(stdout, /Exit codes: 0 .* 2 .* 3 /);
    }
  });

  itOnLinux('keys new fails if the key cannot be written', () => {
    const out = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [PROXY, 'keys', 'new', 'alice'], {
      stdio: ['ignore', out, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(out);
    assert.equal(stderr, 'sealed-proxy: the key could not be written (ENOSPC): run the command again\n');
    assert.equal(status, 1);
  });

  it('--version is the version of the package and of /health', async () => {
    const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { version: string };
    assert.deepEqual(await runToEnd(['--version']), { code: 0, stdout: `sealed-proxy ${version}`, stderr: '' });
    const proxy = await scope.proxy(await scope.enclave());
    const health = await sendRequest(proxy.url, { method: 'GET', path: '/health' });
    assert.equal((health.json() as { version: string }).version, version);
  });

  it('--version --verbose is the version, the commit, and the hashes of the programs beside it', async () => {
    const { code, stdout, stderr } = await runToEnd(['--version', '--verbose']);
    assert.deepEqual([code, stderr], [0, '']);
    const [version, commit = '', ...lines] = stdout.split('\n');
    assert.equal(version, `sealed-proxy ${VERSION}`);
    assert.match(commit, /^commit ([0-9a-f]{40}(\+changes)?|unknown)$/);
    const names = ['dashboard.css', 'dashboard.js', 'extension.cjs', 'proxy.js', 'uninstall.js'];
    const hashOf = (name: string) =>
      createHash('sha256')
        .update(readFileSync(fromRoot(`dist/${name}`)))
        .digest('hex');
    assert.deepEqual(
      lines,
      names.map((name) => `${hashOf(name)}  ${name}`),
    );
  });

  it('refuses other arguments, and more than one', async () => {
    for (const args of [['--port'], ['start'], ['--help', '--version'], ['--version', '--all'], ['--verbose'], ['']]) {
      const { code, stdout, stderr } = await runToEnd(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^sealed-proxy: .*--help.*$/);
    }
  });

  it('writes where it listens as the only line on stdout', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    await sendRequest(proxy.url, { body: chatBody('Hello') });
    assert.deepEqual(proxy.stdout.items, [`sealed-proxy ${VERSION} listening on http://127.0.0.1:${proxy.port}`]);
  });

  it('uses port 14114 by default', async () => {
    const { stdout } = await runToEnd(['--help']);
    assert.match(stdout, /PROXY_PORT .*\n +default: 14114/);
    const { code, stderr } = await runToEnd(['--health'], { PROXY_HOST: '127.83.76.1' });
    assert.equal(code, 1);
    assert.match(stderr, /no healthy proxy on 127\.83\.76\.1 port 14114/);
  });

  it('--health exits with 0 while the proxy runs, even without its backend', async () => {
    const gone = await scope.enclave();
    const proxy = await scope.proxy(gone);
    await gone.close();
    const health = await runToEnd(['--health'], { PROXY_PORT: String(proxy.port) });
    assert.deepEqual(health, { code: 0, stdout: '', stderr: '' });
  });

  it('--health finds a proxy that listens on every address', async () => {
    const proxy = await scope.proxy(await scope.enclave(), { PROXY_HOST: '0.0.0.0' });
    const { code } = await runToEnd(['--health'], { PROXY_PORT: String(proxy.port), PROXY_HOST: '0.0.0.0' });
    assert.equal(code, 0);
  });

  it('--health exits with 1 and a reason when nothing or another program uses the port', async () => {
    const responses = [
      '{"status":"ok"}',
      '{"status":"ok","service":"another"}',
      'ok',
      '{"status":"bad","service":"sealed-proxy"}',
      'null',
    ];
    const other = createServer((_request, response) => response.end(responses.shift()));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    for (let left = responses.length; left > 0; left--) {
      const { code, stdout, stderr } = await runToEnd(['--health'], { PROXY_PORT: String(port) });
      assert.deepEqual([code, stdout], [1, '']);
      assert.equal(stderr, `sealed-proxy: no healthy proxy on 127.0.0.1 port ${port}: another program uses this port`);
    }
    other.close();
    await once(other, 'close');
    const { code, stderr } = await runToEnd(['--health'], { PROXY_PORT: String(port) });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^sealed-proxy: no healthy proxy on 127\.0\.0\.1 port \d+: .*ECONNREFUSED.*: nothing listens there: start the proxy, or set PROXY_PORT to its port$/,
    );
  });

  it('--health exits with 1 and a reason within five seconds when a server breaks or delays its response', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n';
    const body = '{"status":"ok","service":"sealed-proxy"';
    const sendSlowly = (connection: RawConnection) => {
      const timer = setInterval(() => {
        connection.write('x');
      }, 200);
      void connection.closed.then(() => {
        clearInterval(timer);
      });
    };
    const servers: [string, RegExp, (connection: RawConnection) => void][] = [
      [
        'ends in the middle of its response',
        /the connection broke during the response$/,
        (connection) => {
          connection.end(head + body);
        },
      ],
      [
        'resets the connection during its response',
        /(the connection broke during the response|ECONNRESET)$/,
        (connection) => {
          connection.write(head + body);
          setTimeout(() => {
            connection.reset();
          }, 100);
        },
      ],
      [
        'sends its response byte by byte',
        /no response within 5 seconds$/,
        (connection) => {
          connection.write(head);
          sendSlowly(connection);
        },
      ],
      [
        'sends its headers byte by byte',
        /no response within 5 seconds$/,
        (connection) => {
          connection.write('HTTP/1.1 200 OK\r\nx: ');
          sendSlowly(connection);
        },
      ],
      ['never responds', /no response within 5 seconds$/, () => undefined],
      [
        'does not speak HTTP',
        /Parse Error/,
        (connection) => {
          connection.end('220 smtp.example\r\n\r\n');
        },
      ],
    ];
    const check = async ([what, reason, play]: (typeof servers)[number]) => {
      const server = await RawServer.listen();
      scope.onClose(() => server.close());
      const finished = runToEnd(['--health'], { PROXY_PORT: String(server.port) });
      const connection = await server.next();
      await connection.takeHead();
      play(connection);
      const { code, stdout, stderr } = await finished;
      assert.deepEqual([code, stdout], [1, ''], what);
      const [before = '', why = '', ...more] = stderr.split(`port ${server.port}: `);
      assert.deepEqual([before, more], ['sealed-proxy: no healthy proxy on 127.0.0.1 ', []], stderr);
      assert.match(why, reason, what);
    };
    await Promise.all(servers.map(check));
  });

  it('--health exits with 1, not with 2, when the settings are wrong', async () => {
    const { code, stderr } = await runToEnd(['--health'], { PROXY_PORT: 'x' });
    assert.equal(code, 1);
    assert.match(stderr, /^sealed-proxy: PROXY_PORT=x cannot be used/);
  });

  it('exits with 3 and one line with the port when the port is taken', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    const { code, stdout, stderr } = await runToEnd([], { PROXY_PORT: String(proxy.port) });
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, new RegExp(`^sealed-proxy: port ${proxy.port} on 127\\.0\\.0\\.1 is taken: .*PROXY_PORT.*$`));
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/health' })).status, 200);
  });

  it('exits with 1 and one line when this computer does not have the address', async () => {
    const { code, stderr } = await runToEnd([], { PROXY_PORT: '0', PROXY_HOST: '192.0.2.1' });
    assert.equal(code, 1);
    assert.match(stderr, /^sealed-proxy: this computer has no address 192\.0\.2\.1: .*$/);
  });

  it('reads no .env file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-e2e-'));
    const lines = ['PROXY_PORT=x', 'PROXY_API_KEY=dev-from-a-file', 'PROXY_HOST=0.0.0.0', 'NODE_OPTIONS=--bad'];
    for (const name of ['.env', '.env.local', '.env.production']) writeFileSync(join(folder, name), lines.join('\n'));
    const proxy = await scope.proxy(await scope.enclave(), {}, { cwd: folder });
    assert.match(proxy.url, /^http:\/\/127\.0\.0\.1:/);
    await proxy.kill();
    rmSync(folder, { recursive: true });
  });

  it('treats an empty or blank variable as not set', async () => {
    const empty = Object.fromEntries(
      VARIABLES.map(({ variable }) => [variable, variable.endsWith('KEYS') ? '' : '  ']),
    );
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, { ...empty, PROXY_PORT: '0', PROXY_BACKEND_URL: enclave.url });
    const path = '/v1/models';
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path, key: 'dev-own' })).status, 200);
  });

  it('generates a new cache namespace root at each start, unless one is set', async () => {
    const enclave = await scope.enclave();
    const roots: (string | null)[] = [];
    const named = Buffer.alloc(32, 7).toString('base64');
    for (const settings of [{}, {}, { PROXY_CACHE_NAMESPACE_ROOT: named }, { PROXY_CACHE_NAMESPACE_ROOT: named }]) {
      const proxy = await scope.proxy(enclave, settings);
      for (let count = 0; count < 2; count++) {
        const index = enclave.journal.requests.length;
        await sendRequest(proxy.url, { body: chatBody('Hello') });
        roots.push((await enclave.journal.request(index)).cache_root_sha256);
      }
    }
    const [a, again, b, , c, , d] = roots;
    assert.equal(a, again);
    assert.notEqual(a, b);
    assert.notEqual(b, c);
    assert.equal(c, d);
    assert.ok(roots.every((root) => root !== null));
  });

  it('logs at the level that is set', async () => {
    const enclave = await scope.enclave();
    for (const [level, expected] of [
      ['error', []],
      ['warn', ['warn']],
      ['info', ['info', 'warn']],
      ['trace', ['info', 'warn']],
    ] as const) {
      const proxy = await scope.proxy(enclave, { PROXY_LOG_LEVEL: level });
      enclave.setFaults('reset-before-response');
      await sendRequest(proxy.url, { body: chatBody('Hello') });
      enclave.setFaults('');
      await sendRequest(proxy.url, { body: chatBody('Hello') });
      proxy.child.kill('SIGTERM');
      await proxy.exit();
      const levels = new Set(proxy.log.map((line) => line['level']));
      for (const name of expected) assert.ok(levels.has(name), `${name} at ${level}`);
      if (level === 'error' || level === 'warn') assert.ok(!levels.has('info'));
      if (level === 'error') assert.ok(!levels.has('warn'));
    }
  });

  itWithSignals('goes on serving when nothing reads its log', async () => {
    const proxy = await scope.proxy(await scope.enclave(), { PROXY_LOG_LEVEL: 'trace' });
    await proxy.logged('session');
    proxy.child.stdout?.destroy();
    proxy.child.stderr?.destroy();
    for (let count = 0; count < 5; count++) {
      assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    }
    proxy.child.kill('SIGTERM');
    assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  });

  itWithSignals('opens no debugger on SIGUSR1, through which other users could read its secrets', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    proxy.child.kill('SIGUSR1');
    await sendRequest(proxy.url, { method: 'GET', path: '/health' });
    proxy.child.kill('SIGTERM');
    await proxy.exit();
    assert.deepEqual(
      proxy.stderr.items.filter((line) => !line.startsWith('{')),
      [],
    );
  });

  it('takes the keys from the environment', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, { PROXY_API_KEY: API_KEY, PROXY_ACCESS_KEYS: ` ${ACCESS_KEY} ,` });
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models' })).status, 200);
  });
});
