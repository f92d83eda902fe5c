// Bodies arrive unchanged in both directions, with any content.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { patternBytes } from '../../src/devEnclave/model/slashCommands.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody, chatBodyOf } from '../support/e2e/chat.ts';
import { openRequest, readResponse, responseTo, sendRequest } from '../support/e2e/httpClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { ACCESS_KEY, perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Around the limits of a record, of one sealing step, and of what is sealed in one iteration of the event loop. */
const LENGTHS = [200, 64 * KIB, 256 * KIB, MIB].flatMap((border) => [border - 1, border, border + 1]);

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`Bodies through a proxy with ${runtime}`, () => {
    const scope = perSuite();
    const chunks: Uint8Array[] = [];
    /** Responds to embedding requests with the chunks in `chunks`, and chats as usual. */
    const model = recordedModel(async (request, response) => {
      if (request.target !== '/v1/embeddings') {
        await createModel({ paceMs: 0 })(request, response);
        return;
      }
      response.start({ status: 200, headers: [{ name: 'content-type', value: 'application/x-binary' }] });
      for (const chunk of chunks) if (!response.write(chunk)) await response.drained();
      response.end();
    });
    let enclave: RunningEnclave;
    let proxy: ServerProcess;

    before(async () => {
      enclave = await scope.enclave({ handler: model.handler });
      proxy = await scope.proxy(enclave, {}, { nodeArgs });
    });

    const received = () => Buffer.from(model.responses.at(-1)?.request.body ?? []);

    it('arrive unchanged in every length around a limit', async () => {
      for (const length of [...LENGTHS, 5 * MIB + 7]) {
        const body = chatBodyOf(length, '/describe');
        const response = await sendRequest(proxy.url, { body });
        const sha256 = createHash('sha256').update(body).digest('hex');
        assert.deepEqual((response.json() as { body: object }).body, { length, sha256 });
      }
    });

    it('arrive unchanged when they are sent in chunks of odd sizes', async () => {
      const body = randomBytes(300_001);
      for (const sizes of [[1, 65_536, 3], [7777], [65_535, 1], [100_000, 200_000, 1]]) {
        const sent = openRequest(proxy.url, { path: '/v1/embeddings', headers: { 'transfer-encoding': 'chunked' } });
        const response = responseTo(sent);
        for (let [offset, turn] = [0, 0]; offset < body.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          sent.write(body.subarray(offset, offset + size));
          offset += size;
        }
        sent.end();
        await readResponse(await response);
        assert.ok(received().equals(body), String(sizes));
      }
    });

    it('arrive unchanged when they are not JSON, not text, or empty', async () => {
      for (const body of [
        randomBytes(70_000),
        Buffer.from('{"a":1,"a":2, "b" : 1e400}'),
        Buffer.from('\ufeff{}\r\n'),
      ]) {
        await sendRequest(proxy.url, { path: '/v1/embeddings', body });
        assert.ok(received().equals(body));
      }
    });

    it('that are empty are distinguished from missing ones', async () => {
      const index = enclave.journal.requests.length;
      for (const line of ['Content-Length: 0', 'Transfer-Encoding: chunked', 'X-Nothing: 1']) {
        const connection = await RawConnection.open(proxy.port);
        const head = ['POST /v1/embeddings HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${ACCESS_KEY}`, line];
        connection.send(`${head.join('\r\n')}\r\n\r\n${line.startsWith('Transfer') ? '0\r\n\r\n' : ''}`);
        assert.equal((await connection.readResponse()).status, 200);
        connection.destroy();
      }
      const present = enclave.journal.requests.slice(index).map((entry) => [entry.body_present, entry.body_length]);
      assert.deepEqual(present, [
        [true, 0],
        [true, 0],
        [false, 0],
      ]);
    });

    it('keep unknown fields, exactly as the client wrote them', async () => {
      const body =
        '{ "model" : "llama3-3-70b",\n "messages":[{"role":"user","content":"Hi \\u00e9\\/ \u{1f30a}"}],' +
        '"chat_template_kwargs":{"enable_thinking":false},"top_k":40,"seed":12345678901234567890,"x":[1.0,1e3,-0]}';
      await sendRequest(proxy.url, { body });
      assert.equal(received().toString(), body);
    });

    it('come back unchanged: binary, many MiB', async () => {
      for (const length of [0, 1, 65_535, 65_536, 65_537, 20 * MIB]) {
        const response = await sendRequest(proxy.url, { body: chatBody(`/bytes ${length}`) });
        assert.equal(response.status, 200);
        assert.ok(response.body.equals(patternBytes(length)), String(length));
      }
    });

    it('come back unchanged in chunks of every size', async () => {
      const cuts: readonly (readonly number[])[] = [
        [],
        [0],
        [1],
        [0, 0, 5, 0],
        Array<number>(300).fill(1),
        [65_536, 1],
        [65_537],
        [200_000, 3, 70_000],
      ];
      for (const sizes of cuts) {
        chunks.splice(0, chunks.length, ...sizes.map((size) => randomBytes(size)));
        const response = await sendRequest(proxy.url, { path: '/v1/embeddings', body: '{}' });
        assert.equal(response.broken, false);
        assert.deepEqual(response.headers['content-type'], ['application/x-binary']);
        assert.ok(response.body.equals(Buffer.concat(chunks)), String(sizes));
      }
    });

    it('come back with the status and the bytes that the enclave chose', async () => {
      const types = ['text/plain;charset=utf-8', 'application/json', 'image/png', 'TEXT/EVENT-STREAM'];
      for (const type of types) {
        const bytes = randomBytes(100);
        const response = await sendRequest(proxy.url, { body: chatBody(`/raw ${type} ${bytes.toString('base64')}`) });
        assert.deepEqual(response.headers['content-type'], [type]);
        assert.ok(response.body.equals(bytes));
      }
    });
  });
}
