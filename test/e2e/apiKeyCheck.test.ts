// The proxy tells its operator that the backend refuses its API key, before a client meets that.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listModels } from '../support/e2e/httpClient.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';

const REFUSED = 'a-key-that-the-backend-refuses';
const ON = { PROXY_CHECK_API_KEY: 'true' };

describe('The check of the API key at the start', () => {
  const scope = perTest();

  it('warns if the backend refuses the key', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, { ...ON, PROXY_API_KEY: REFUSED });
    const { level, status, note } = await proxy.logged('api_key_refused');
    assert.deepEqual([level, status], ['warn', 401]);
    assert.match(
      String(note),
      /^The backend refuses the API key of the proxy, so clients with an access key get errors\./,
    );
    assert.ok(!proxy.stderr.items.join('\n').includes(REFUSED));
    assert.equal(enclave.journal.requests.length, 1);
  });

  it('is silent about a key that works, and asks only once', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, ON);
    await enclave.journal.request(0);
    assert.equal((await listModels(proxy.url)).status, 200);
    assert.ok(!proxy.stderr.items.join('\n').includes('api_key_refused'));
    assert.equal(enclave.journal.requests.length, 2);
  });

  it('waits for a backend that cannot be reached yet', async () => {
    const enclave = await scope.enclave();
    const { port } = enclave;
    await enclave.close();
    const proxy = await scope.proxy(enclave, { ...ON, PROXY_API_KEY: REFUSED });
    await proxy.logged('handshake_failed');
    await scope.enclave({ port });
    await listModels(proxy.url); // makes the proxy try again at once
    await proxy.logged('api_key_refused');
  });

  it('is made again for a new key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-key-'));
    const file = join(folder, 'api-key');
    try {
      writeFileSync(file, API_KEY);
      const enclave = await scope.enclave();
      await scope.proxy(enclave, { ...ON, PROXY_API_KEY: '', PROXY_API_KEY_FILE: file }).then(async (proxy) => {
        await enclave.journal.request(0);
        writeFileSync(file, REFUSED);
        await proxy.logged('api_key_refused');
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('can be turned off', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, { PROXY_API_KEY: REFUSED });
    assert.equal((await listModels(proxy.url)).status, 401);
    assert.ok(!proxy.stderr.items.join('\n').includes('api_key_refused'));
    assert.equal(enclave.journal.requests.length, 1);
  });
});
