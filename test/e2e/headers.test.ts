// The header fields that are forwarded in each direction, as they arrive at the other end.
import assert from 'node:assert/strict';
import type { HeaderField } from '../../src/session/wire.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';

describe('The headers of a request', () => {
  const served = serve(perSuite());

  /** The headers that the enclave receives for these header lines. */
  const forwarded = async (...lines: readonly string[]): Promise<readonly HeaderField[]> => {
    const connection = await RawConnection.open(served.proxy.port);
    const index = served.enclave.journal.requests.length;
    const body = chatBody('/describe');
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      `Host: 127.0.0.1:${served.proxy.port}`,
      `Authorization: Bearer ${ACCESS_KEY}`,
      `Content-Length: ${body.length}`,
      ...lines,
    ];
    connection.send(`${head.join('\r\n')}\r\n\r\n${body}`);
    const response = await connection.readResponse();
    connection.destroy();
    assert.equal(response.status, 200, response.body.toString());
    const { headers } = response.json() as { headers: HeaderField[] };
    assert.deepEqual((await served.enclave.journal.request(index)).headers, headers);
    return headers;
  };

  it('keep their values, order and repetition, and get lower-case names', async () => {
    const lines = [
      'Content-Type: application/json; charset=utf-8',
      'X-Repeated: one',
      'Accept: text/event-stream, application/json;q=0.5',
      'x-repeated: two',
      'User-Agent: a client/1.0 (with "quotes" \\ and more)',
      'X-REPEATED: one',
      'X-Empty:',
      'X-Inner:  two  spaces\tand a tab ',
      'X-Latin: caf\xe9 \xff',
      'OpenAI-Organization: org',
      'Idempotency-Key: 1-2-3',
      'Origin: vscode-webview://x',
      'Referer: http://127.0.0.1/',
      'Range: bytes=0-',
      'If-None-Match: "x"',
      'Content-Encoding: identity',
      'Accept-Language: de',
      "!#$%&'*+-.^_`|~9: token",
    ];
    assert.deepEqual(await forwarded(...lines), [
      { name: 'content-type', value: 'application/json; charset=utf-8' },
      { name: 'x-repeated', value: 'one' },
      { name: 'accept', value: 'text/event-stream, application/json;q=0.5' },
      { name: 'x-repeated', value: 'two' },
      { name: 'user-agent', value: 'a client/1.0 (with "quotes" \\ and more)' },
      { name: 'x-repeated', value: 'one' },
      { name: 'x-empty', value: '' },
      { name: 'x-inner', value: 'two  spaces\tand a tab' },
      { name: 'x-latin', value: 'caf\xe9 \xff' },
      { name: 'openai-organization', value: 'org' },
      { name: 'idempotency-key', value: '1-2-3' },
      { name: 'origin', value: 'vscode-webview://x' },
      { name: 'referer', value: 'http://127.0.0.1/' },
      { name: 'range', value: 'bytes=0-' },
      { name: 'if-none-match', value: '"x"' },
      { name: 'content-encoding', value: 'identity' },
      { name: 'accept-language', value: 'de' },
      { name: "!#$%&'*+-.^_`|~9", value: 'token' },
    ]);
  });

  for (const line of [
    'Cookie: session=secret',
    'Cookie2: $Version=1',
    'Set-Cookie: a=1',
    'Proxy-Authorization: Basic eDp5',
    'Proxy-Connection: keep-alive',
    'Keep-Alive: timeout=5',
    'TE: trailers',
    'Trailer: x-checksum',
    'Upgrade: websocket',
    'Forwarded: for=192.0.2.1',
    'Via: 1.1 somewhere',
    'X-Forwarded-For: 192.0.2.1',
    'X-Forwarded-Host: somewhere',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Port: 443',
    'X-Real-IP: 192.0.2.1',
    'Accept-Encoding: gzip, br',
    'X-Session-Id: 00000000000000000000000000000000',
    'X-OpenSecret-Routing-Key: AAAA',
  ]) {
    it(`are not forwarded: ${line.replace(/:.*/, '')}`, async () => {
      const [name = '', value = ''] = line.split(': ');
      const spellings = [line, `${name.toUpperCase()}: ${value}`, `${name.toLowerCase()}: ${value}`];
      assert.deepEqual(await forwarded('X-Before: 1', ...spellings, 'X-After: 2'), [
        { name: 'x-before', value: '1' },
        { name: 'x-after', value: '2' },
      ]);
    });
  }

  it('are not forwarded when a Connection header names them, at any position and repeatedly', async () => {
    assert.deepEqual(
      await forwarded(
        'X-Early: 1',
        'Connection: keep-alive, X-EARLY ,x-late',
        'X-Late: 2',
        'connection:x-third,, ',
        'X-Third: 3',
        'X-Fourth: 4',
      ),
      [{ name: 'x-fourth', value: '4' }],
    );
  });

  it('of the OpenAI client are forwarded, except its key', async () => {
    const index = served.enclave.journal.requests.length;
    await openaiClient(served.proxy).models.list();
    const { headers, outer } = await served.enclave.journal.request(index);
    const names = headers.map(({ name }) => name);
    assert.ok(names.includes('user-agent'));
    assert.ok(names.includes('x-stainless-lang'));
    for (const dropped of ['authorization', 'host', 'connection', 'accept-encoding'])
      assert.ok(!names.includes(dropped), dropped);
    assert.deepEqual(outer.header_names.toSorted(), [
      'connection',
      'content-length',
      'content-type',
      'host',
      'x-opensecret-routing-key',
      'x-session-id',
    ]);
  });
});

describe('The headers of a response', () => {
  const scope = perSuite();

  it('keep their values, order and repetition, without hop-by-hop headers, cookies and the length', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    const connection = await RawConnection.open(proxy.port);
    const body = chatBody('/headers');
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      `Host: 127.0.0.1:${proxy.port}`,
      `Authorization: Bearer ${ACCESS_KEY}`,
      `Content-Length: ${body.length}`,
    ];
    connection.send(`${head.join('\r\n')}\r\n\r\n${body}`);
    const response = await connection.readResponse();
    connection.destroy();
    assert.equal(response.statusLine, 'HTTP/1.1 200 OK');
    assert.deepEqual(response.fields, [
      'content-type: application/json',
      'x-request-id: request-1',
      'x-repeated: one',
      'x-repeated: two',
      'x-latin: caf\xe9',
      'x-empty: ',
      'access-control-allow-origin: *',
      'server: model',
      'date: Thu, 01 Jan 1970 00:00:00 GMT',
      'Connection: keep-alive',
      'Keep-Alive: timeout=75',
      'Transfer-Encoding: chunked',
    ]);
    assert.equal(response.body.toString(), '{"headers":"odd"}');
  });
});
