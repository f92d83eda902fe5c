// What operators get wrong, and the messages that say what to do.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCompanyProxy } from '../support/e2e/companyProxy.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { runToEnd } from '../support/e2e/process.ts';
import { perTest } from '../support/e2e/scope.ts';

describe('A mistake in the settings', () => {
  const scope = perTest();

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
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-mistakes-'));
    scope.onClose(() => {
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    });
    const file = join(folder, 'ca.der');
    writeFileSync(file, Buffer.from('3082', 'hex'));
    for (const path of [file, join(folder, 'missing.pem')]) {
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

  it('such as a parent with a channel that sends nothing is named on standard error', async () => {
    const silent = scope.hosted();
    const line = await silent.stderr.find('the sentence', (text) =>
      text.startsWith('sealed-proxy: the parent process'),
    );
    assert.match(line, /sends no settings.*env -u NODE_CHANNEL_FD/);
  });
});
