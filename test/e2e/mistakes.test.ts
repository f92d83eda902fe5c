// What operators get wrong, and the messages that say what to do.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODEL } from '../support/e2e/chat.ts';
import { openCompanyProxy } from '../support/e2e/companyProxy.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { runToEnd } from '../support/e2e/process.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';

describe('A mistake in the settings', () => {
  const scope = perTest();

  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-mistakes-'));
    scope.onClose(() => {
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    });
    return folder;
  };

  /** The settings of a proxy with this file of access keys. */
  const withKeys = (text: string) => {
    const file = join(newFolder(), 'access-keys');
    writeFileSync(file, text);
    return { PROXY_ACCESS_KEYS: '', PROXY_ACCESS_KEYS_FILE: file };
  };

  it('such as a setting that is given as an argument is answered with the variable', async () => {
    for (const args of [['--port', '8080'], ['--port=8080'], ['-port'], ['--proxy-port']]) {
      const { code, stderr } = await runToEnd(args);
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^sealed-proxy: settings are environment variables: set PROXY_PORT in place of --.*; see --help$/,
      );
    }
  });

  it('such as an argument that is almost right is answered with the right one', async () => {
    for (const [args, remedy] of [
      [['health'], /unknown argument: did you mean --health\? See --help$/],
      [['-V'], /did you mean --version\?/],
      [['--HELP'], /did you mean --help\?/],
      [['-help'], /did you mean --help\?/],
      [['--ready=true'], /did you mean --ready\?/],
      [['keys', 'new', '-n'], /^sealed-proxy: the name of a client does not begin with "-"$/],
      [['PROXY_PORT=8080'], /settings are environment variables: write NAME=VALUE before the command/],
      [['key', 'new', 'alice'], /unknown argument; see --help$/],
      [['keys', 'new', 'alice', 'requests=60'], /^sealed-proxy: requests: it must be a whole number/],
      [['keys', 'new', 'alice', 'expires=2020-01-01'], /^sealed-proxy: expires: this day is over/],
    ] as const) {
      const { code, stderr } = await runToEnd(args);
      assert.equal(code, 2);
      assert.match(stderr, remedy);
    }
  });

  it('such as a misspelled variable is named when the proxy cannot start without it', async () => {
    const { code, stderr } = await runToEnd([], { PROXY_APIKEY: 'hidden-word', PROXY_ACCESS_KEYS: ACCESS_KEY });
    assert.equal(code, 2);
    assert.match(stderr, /^sealed-proxy: PROXY_API_KEY .* missing or empty: .*Did you mean PROXY_API_KEY\?\)$/);
    assert.doesNotMatch(stderr, /hidden-word/);
  });

  it('such as a probe of port 0 is answered with the port to set, and no other program is asked', async () => {
    const { code, stderr } = await runToEnd(['--health'], { PROXY_PORT: '0' });
    assert.equal(code, 1);
    assert.match(stderr, /PROXY_PORT is 0, .*: set PROXY_PORT to the port in the first line of its output$/);
  });

  it('such as a backend that is not there, or is not an enclave, is named in the log', async () => {
    const proxy = await scope.proxy({ url: `${(await scope.enclave()).url}/api` });
    assert.match(
      String((await proxy.logged('handshake_failed'))['message']),
      /404: the server is not a working enclave/,
    );
    const refused = await scope.proxy({ url: 'http://127.0.0.1:1' });
    assert.match(String((await refused.logged('handshake_failed'))['message']), /ECONNREFUSED: check the URL of the/);
  });

  it('such as a host that is not allowed has a reason in the log and names the variable', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    const headers = { host: 'proxy.example' };
    const response = await sendRequest(proxy.url, { method: 'GET', path: '/v1/models', headers });
    assert.match(response.body.toString(), /PROXY_ALLOWED_HOSTS/);
    await proxy.logged('request', { status: 403, reason: 'forbidden_host' });
  });

  it('such as SOCKS4 is answered with what is supported', async () => {
    const { code, stderr } = await runToEnd([], { HTTPS_PROXY: 'socks4://box:1080', PROXY_PORT: '0' });
    assert.equal(code, 2);
    assert.match(stderr, /HTTPS_PROXY=socks4:\/\/box:1080 cannot be used: SOCKS4 is not supported; use a SOCKS5/);
  });

  it('such as /v1 at the end of the URL of the backend is named', async () => {
    const { url } = await scope.enclave();
    const proxy = await scope.proxy({ url: `${url}/v1` });
    const { message } = await proxy.logged('handshake_failed');
    assert.match(String(message), /with 404: the URL of the backend ends with \/v1; .* remove it$/);
  });

  it('such as TLS against a plain port is named', async () => {
    const { url } = await scope.enclave();
    const proxy = await scope.proxy({ url: url.replace('http:', 'https:') });
    const { message } = await proxy.logged('handshake_failed');
    assert.match(String(message), /^The server does not speak TLS \(ERR_SSL_\w+\): check the port/);
  });

  it('such as a file of NODE_EXTRA_CA_CERTS that is not PEM is named', async () => {
    const file = join(newFolder(), 'ca.der');
    writeFileSync(file, Buffer.from('3082', 'hex'));
    for (const path of [file, `${file}.missing`]) {
      const proxy = await scope.proxy(await scope.enclave(), { NODE_EXTRA_CA_CERTS: path });
      const { note } = await proxy.logged('certificates', { extra: 0 });
      assert.match(String(note), /NODE_EXTRA_CA_CERTS .* PEM/);
    }
  });

  it('such as a wrong password of an HTTP proxy is named, whether it answers 407 or 401', async () => {
    for (const status of [407, 401]) {
      const wants = { credentials: 'user:right', challenges: ['Basic realm="company"'], status };
      const company = await openCompanyProxy({}, wants);
      scope.onClose(() => company.close());
      const settings = { HTTPS_PROXY: company.url.replace('//', '//user:wrong@') };
      const proxy = await scope.proxy({ url: 'https://enclave.remote.example' }, settings);
      const { message, detail } = await proxy.logged('handshake_failed');
      assert.equal(detail, 'proxy_authentication');
      assert.match(String(message), /^The HTTP proxy 127\.0\.0\.1:\d+ refused the user name and the password/);
      assert.doesNotMatch(proxy.stderr.items.join(), /wrong/);
    }
  });

  it('such as a suffix of allowed hosts with one label is refused, and one with two is used', async () => {
    const proxy = await scope.proxy(await scope.enclave(), { PROXY_ALLOWED_HOSTS: '*.apps.example' });
    const health = (host: string) => sendRequest(proxy.url, { method: 'GET', path: '/health', headers: { host } });
    assert.equal((await health('proxy.apps.example')).status, 200);
    assert.equal((await health('apps.example')).status, 403);
    const { code, stderr } = await runToEnd([], { PROXY_ALLOWED_HOSTS: '*.local' });
    assert.equal(code, 2);
    assert.match(stderr, /or \*\. and a name with a dot/);
  });

  it('such as no key or a misspelled variable can be seen in the log', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, { PROXY_API_KEY: '', PROXY_ACCESS_KEYS: '', PROXY_HOSTS: 'box' });
    assert.match(String((await proxy.logged('access', { accessKeys: 0 }))['note']), /^Every client must bring its own/);
    const { note } = await proxy.logged('unknown_variable', { variable: 'PROXY_HOSTS', level: 'warn' });
    assert.match(String(note), /ignored\. Did you mean PROXY_HOST\?$/);
  });

  it('such as access keys that have all expired is named in the log', async () => {
    const settings = withKeys(`alice=${ACCESS_KEY} expires=2020-01-01`);
    const proxy = await scope.proxy(await scope.enclave(), settings);
    await proxy.logged('access', { accessKeys: 1, expired: 1 });
    const { note, level } = await proxy.logged('access_keys_expired');
    assert.equal(level, 'warn');
    assert.match(String(note), /^Every access key has expired, .* Set new access keys\.$/);
  });

  it('such as a model that the backend does not offer is named in the log, with the setting or the client', async () => {
    const settings = withKeys(`alice=${ACCESS_KEY} models=${MODEL},gone`);
    const others = { PROXY_CHECK_API_KEY: 'true', PROXY_MESSAGES_MODEL: 'glm', PROXY_RESPONSES_MODEL: MODEL };
    const proxy = await scope.proxy(await scope.enclave(), { ...settings, ...others });
    await proxy.logged('unknown_model', { client: 'alice', model: 'gone', level: 'warn' });
    await proxy.logged('unknown_model', { setting: 'PROXY_MESSAGES_MODEL', model: 'glm' });
    assert.equal(proxy.stderr.items.join('\n').match(/unknown_model/g)?.length, 2);
  });

  it('such as a parent with a channel that sends nothing is named on standard error', async () => {
    const silent = scope.hosted();
    const line = await silent.stderr.find('the sentence', (text) =>
      text.startsWith('sealed-proxy: the parent process'),
    );
    assert.match(line, /sends no settings.*env -u NODE_CHANNEL_FD/);
  });
});
