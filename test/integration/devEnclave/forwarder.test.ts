import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createForwarder, parseForwardUrl } from '../../../src/devEnclave/model/forwarder.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import { CHAT_PATH, apiRequest, ask } from '../../support/devEnclave/apiClient.ts';
import { call, connect, seal, sendRecord } from '../../support/devEnclave/client.ts';
import { useEnclaves } from '../../support/devEnclave/fixture.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe('The forwarder of --forward', () => {
  const start = useEnclaves();
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let base: URL;

  beforeEach(async () => {
    server = createServer((request, response) => {
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`);
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('forwards the request unchanged, with the API key as a bearer token', async () => {
    let seen: { method: string; url: string; headers: NodeJS.Dict<string[]>; body: string } | undefined;
    answer = (request, response) => {
      void (request.toArray() as Promise<Buffer[]>).then((chunks) => {
        const { method = '', url = '', headersDistinct: headers } = request;
        seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
        response.writeHead(201, ['x-repeated', 'one', 'x-repeated', 'two', 'connection', 'x-named', 'x-named', '1']);
        response.end('answered');
      });
    };
    const headers = [
      { name: 'content-type', value: 'application/json' },
      { name: 'x-a', value: '1' },
      { name: 'x-a', value: '2' },
    ];
    const request = apiRequest(`${CHAT_PATH}?a=1`, { b: 2 }, { headers });
    const result = await ask(createForwarder(base), request);
    assert.equal(seen?.method, 'POST');
    assert.equal(seen.url, `/base${CHAT_PATH}?a=1`);
    assert.deepEqual(seen.headers['authorization'], ['Bearer dev-test']);
    assert.deepEqual(seen.headers['x-a'], ['1', '2']);
    assert.deepEqual(seen.headers['host'], [base.host]);
    assert.equal(seen.body, '{"b":2}');
    assert.equal(result.status, 201);
    assert.deepEqual(result.header('x-repeated'), ['one', 'two']);
    assert.deepEqual(result.header('x-named'), []);
    assert.deepEqual(result.header('transfer-encoding'), []);
    assert.equal(result.body.toString(), 'answered');
  });

  it('returns the response through the envelope, byte for byte', async () => {
    const body = { model: 'glm-5-2', stream: true, messages: [{ role: 'user', content: 'hello there' }] };
    const direct = await ask(createModel({ paceMs: 0 }), apiRequest(CHAT_PATH, body));
    answer = (_request, response) => {
      for (const chunk of direct.chunks) response.write(chunk);
      response.end();
    };
    const enclave = await start({ handler: createForwarder(base) });
    const forwarded = await call(enclave.url, await connect(enclave.url), body);
    assert.ok(forwarded.body.equals(direct.body));
  });

  it('waits for the client while it returns a long response', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(2_000_000));
    const { body, chunks } = await ask(createForwarder(base), apiRequest('/v1/models', undefined));
    assert.equal(body.length, 2_000_000);
    assert.ok(chunks.length > 1);
  });

  it('responds with status 502 if the server is unreachable', async () => {
    const unused = createServer();
    unused.listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port } = unused.address() as AddressInfo;
    unused.close();
    const result = await ask(createForwarder(new URL(`http://127.0.0.1:${port}`)), apiRequest('/v1/models', undefined));
    assert.equal(result.status, 502);
    assert.deepEqual(result.header('x-opensecret-error-code'), ['upstream_provider_error']);
  });

  it('fails the response if the server fails', async () => {
    answer = (_request, response) => {
      response.write('half', () => response.destroy());
    };
    const result = await ask(createForwarder(base), apiRequest('/v1/models', undefined));
    assert.equal(result.failure, 'upstream_provider_error');
    assert.equal(result.body.toString(), 'half');
  });

  it('disconnects from the server when the client disconnects', async () => {
    const gone = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        response.write('half');
        response.once('close', () => {
          resolve();
        });
      };
    });
    const enclave = await start({ handler: createForwarder(base) });
    const session = await connect(enclave.url);
    const message = await sendRecord(enclave.url, session, seal(session, {}, Buffer.from('{}')).record);
    await withTimeout('the first record', DEADLINE, once(message, 'data'));
    message.destroy();
    await withTimeout('the end of the forwarded request', DEADLINE, gone);
  });

  it('accepts only http and https URLs without credentials, query or fragment', () => {
    assert.equal(parseForwardUrl('https://host/base')?.href, 'https://host/base');
    for (const text of ['host', 'ftp://host', 'http://a:b@host', 'http://host/?a', 'http://host/#a', '']) {
      assert.equal(parseForwardUrl(text), undefined, text);
    }
  });
});
