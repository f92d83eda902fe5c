// Large requests of the dialects are translated in another thread.
import assert from 'node:assert/strict';
import { translate } from '../../src/proxy/dialects/translation.ts';
import type { TranslationJob } from '../../src/proxy/dialects/translation.ts';
import { BODY_LIMITS } from '../support/bodyLimits.ts';
import { PLAIN_MODEL } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST, assertDialectError } from '../support/e2e/dialects.ts';
import { openRequest, sendRequest } from '../support/e2e/httpClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const MIB = 1024 * 1024;

for (const dialect of DIALECTS_UNDER_TEST) {
  for (const { runtime, nodeArgs } of RUNTIMES) {
    describe(`A large request of the ${dialect.name} dialect to a proxy with ${runtime}`, () => {
      const scope = perSuite();
      let proxy: ServerProcess;

      before(async () => {
        const enclave = await scope.enclaveProcess();
        const delays = new URL('../support/loopDelay.mjs', import.meta.url).href;
        proxy = await scope.proxy(enclave, {}, { nodeArgs: [...nodeArgs, '--import', delays] });
        await proxy.logged('session');
        assert.equal((await send(dialect.body('/repeat 1'))).status, 200);
      });

      const send = (body: string, path = dialect.replyPath) => sendRequest(proxy.url, { path, body });
      const longestPause = async () => {
        const start = proxy.stderr.items.length;
        proxy.child.kill('SIGUSR2');
        return Number((await proxy.logged('longest_pause', {}, start))['milliseconds']);
      };
      const assertShortPause = async (limit: number, work: () => Promise<void>) => {
        await longestPause();
        await work();
        const pause = await longestPause();
        assert.ok(pause < limit, `a pause of ${pause} ms`);
      };
      /** How much of the processor's time the same work takes in one piece, in milliseconds. */
      const measure = (purpose: TranslationJob['purpose'], body: string) => {
        const modelList = { data: [{ id: PLAIN_MODEL }] };
        const context = { modelList, replacementModel: undefined };
        const begin = process.threadCpuUsage();
        const { kind } = translate({
          dialect: dialect.name,
          purpose,
          context,
          limit: BODY_LIMITS.relayed,
          maxValues: 1_000_000,
          body: Buffer.from(body),
        });
        assert.notEqual(kind, 'error');
        const { user, system } = process.threadCpuUsage(begin);
        return (user + system) / 1000;
      };
      /** Many short messages: more work than one long message. */
      const longBody = () => {
        const text = 'some words of a "long" conversation\n'.repeat(20);
        const content = dialect.name === 'messages' ? 'messages' : 'input';
        const messages = Array.from({ length: Math.ceil((8 * MIB) / text.length) }, () => ({
          role: 'user',
          content: text,
        }));
        return dialect.body('', { [content]: [...messages, { role: 'user', content: '/repeat 3' }] });
      };

      it('has an answer, and does not pause the proxy for as long as its translation takes', async () => {
        const body = longBody();
        assert.ok(body.length > 8 * MIB);
        await assertShortPause(measure('reply', body), async () => {
          const response = await send(body);
          assert.equal(response.status, 200, response.body.toString());
          assert.equal(dialect.textOf(response.json()), 'word word word ');
        });
      });

      it('does not pause the proxy for as long as its tokens are counted', async () => {
        const body = longBody();
        await assertShortPause(measure('count', body), async () => {
          const response = await send(body, dialect.countPath);
          assert.ok(dialect.countOf(response.json()) > MIB);
        });
      });

      it('gets its error in the form of the dialect', async () => {
        const response = await send(dialect.body('x'.repeat(2 * MIB), { model: 'gpt-9' }));
        assert.match(dialect.errorOf(response.json()).message, /does not offer the model "gpt-9"/);
        assert.equal(response.status, 404);
      });

      it('can be cancelled while it is translated, and the proxy goes on', async () => {
        const start = proxy.stderr.items.length;
        const request = openRequest(proxy.url, { path: dialect.countPath });
        request.on('error', () => undefined);
        request.end(longBody(), () => {
          request.destroy();
        });
        await proxy.logged('request', { path: dialect.countPath, end: 'client-gone' }, start);
        assert.equal((await send(dialect.body('/repeat 1'))).status, 200);
      });
    });
  }
}

describe('A proxy that translates a large request', () => {
  const scope = perSuite();

  it('does not run out of memory for a body of very many values', async () => {
    const proxy = await scope.proxy(await scope.enclave(), {}, { nodeArgs: ['--max-old-space-size=256'] });
    await proxy.logged('session');
    for (const dialect of DIALECTS_UNDER_TEST) {
      for (const value of ['[],', '[', '{"a":']) {
        const body = `{"model":"${PLAIN_MODEL}","input":[${value.repeat((20 * MIB) / value.length)}`;
        const response = await sendRequest(proxy.url, { path: dialect.replyPath, body });
        assert.match(assertDialectError(dialect, response, 413), /too many values/);
      }
    }
  });

  it('ends at once when it is told to stop for the second time', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave);
    await proxy.logged('session');
    const [dialect] = DIALECTS_UNDER_TEST;
    const request = openRequest(proxy.url, { path: dialect.countPath });
    request.on('error', () => undefined);
    request.end(dialect.body('a b c '.repeat(5 * MIB)));
    await enclave.journal.request(0); // the list of models: the translation is next
    proxy.child.kill('SIGTERM');
    await proxy.logged('stopping');
    proxy.child.kill('SIGTERM');
    assert.equal((await proxy.exit()).code, 0);
  });
});
