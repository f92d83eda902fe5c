// The dialects with their official clients: complete responses, cancelled ones and broken ones.
import assert from 'node:assert/strict';
import { MODEL } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST, chatRequest } from '../support/e2e/dialects.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { perSuite, serve } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

for (const { runtime, nodeArgs } of RUNTIMES) {
  for (const dialect of DIALECTS_UNDER_TEST) {
    describe(`The ${dialect.name} dialect of a proxy with ${runtime}`, () => {
      const served = serve(perSuite(), { process: { nodeArgs } });

      const text = (count: number) => 'word '.repeat(count);

      it('streams an answer to the official client', async () => {
        const { text: streamed, isComplete } = await dialect.stream(served.proxy, '/repeat 300');
        assert.deepEqual([streamed, isComplete], [text(300), true]);
      });

      it('answers the official client without a stream', async () => {
        assert.equal(await dialect.ask(served.proxy, '/repeat 30'), text(30));
      });

      it('sends each chunk at once, and cancels the request at the enclave when the client stops', async () => {
        // The model says nothing after the second word: both must arrive, although the stream never ends.
        const index = served.enclave.journal.requests.length;
        const controller = new AbortController();
        const stalled = dialect.stream(served.proxy, '/stall 2', { signal: controller.signal }, (streamed) => {
          if (streamed.text === text(2)) controller.abort();
        });
        const { end } = await chatRequest(served.enclave, index);
        await stalled.catch(() => undefined);
        assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
      });

      it('cancels a request that has no response yet', async () => {
        const index = served.enclave.journal.requests.length;
        const logged = served.proxy.stderr.items.length;
        const controller = new AbortController();
        const hanging = dialect.stream(served.proxy, '/hang', { signal: controller.signal });
        const { end } = await chatRequest(served.enclave, index);
        controller.abort();
        await assert.rejects(hanging);
        assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
        await served.proxy.logged('request', { end: 'client-gone', path: dialect.replyPath }, logged);
      });

      for (const command of ['/fail 3', '/broken 3']) {
        it(`raises in the client when the answer breaks (${command})`, async () => {
          const streamed = { text: '', isComplete: false };
          const broken = dialect.stream(served.proxy, command, {}, (sofar) => {
            Object.assign(streamed, sofar);
          });
          if (dialect.name === 'messages') await assert.rejects(broken);
          else await broken.catch(() => undefined);
          assert.equal(streamed.isComplete, false);
        });

        it(`ends a broken stream with an error event, and completely (${command})`, async () => {
          const logged = served.proxy.stderr.items.length;
          const body = dialect.body(command, { stream: true });
          const response = await readResponse(await openResponse(served.proxy.url, { path: dialect.replyPath, body }));
          assert.deepEqual([response.status, response.broken], [200, false]);
          const names = [...response.body.toString().matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
          assert.equal(names.at(-1), dialect.errorEvent);
          assert.equal(names.filter((name) => name === dialect.errorEvent).length, 1);
          const { end } = await served.proxy.logged('request', { path: dialect.replyPath }, logged);
          assert.notEqual(end, 'complete');
        });
      }

      it('keeps ids apart and derives them from the reply', async () => {
        const ids = await Promise.all(
          [1, 2].map(async () => {
            const response = await sendRequest(served.proxy.url, {
              path: dialect.replyPath,
              body: dialect.body('Hello'),
            });
            return (response.json() as { readonly id: string }).id;
          }),
        );
        for (const id of ids) assert.match(id, /^(msg|resp)_[0-9a-z]{20,}$/i);
        assert.notEqual(ids[0], ids[1]);
      });

      it('passes no header of the client on', async () => {
        const index = served.enclave.journal.requests.length;
        const headers = { 'x-secret-header': 'secret', 'user-agent': 'agent', accept: 'text/event-stream' };
        await sendRequest(served.proxy.url, {
          path: `${dialect.replyPath}?beta=true`,
          body: dialect.body('Hello'),
          headers,
        });
        const { headers: received, target, method } = await chatRequest(served.enclave, index);
        assert.deepEqual(received, [{ name: 'content-type', value: 'application/json' }]);
        assert.deepEqual([method, target], ['POST', '/v1/chat/completions']);
      });

      it('answers for a reasoning model as for one without reasoning', async () => {
        assert.equal(await dialect.ask(served.proxy, '/repeat 3', { model: MODEL }), text(3));
      });
    });
  }
}

for (const dialect of DIALECTS_UNDER_TEST) {
  describe(`A silent stream of the ${dialect.name} dialect`, () => {
    const scope = perSuite();

    it('contains a ping at regular intervals', async () => {
      const quick = ['--import', new URL('../support/quickTimers.mjs', import.meta.url).href];
      const proxy = await scope.proxy(await scope.enclave(), {}, { nodeArgs: quick });
      const body = dialect.body('/stall 1', { stream: true });
      const response = await openResponse(proxy.url, { path: dialect.replyPath, body });
      let text = '';
      const pings = new Promise<void>((resolve) => {
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if ((text.match(/^(?:event|): ping$/gm)?.length ?? 0) >= 2) resolve();
        });
      });
      await withTimeout('two pings', DEADLINE, pings);
      assert.ok(text.indexOf('word') < text.indexOf(': ping'));
      response.destroy();
    });
  });
}
