// The local HTTP server: it answers any bytes or closes the connection, and serves the next request.
import assert from 'node:assert/strict';
import { RawConnection, exchangeRaw } from '../../support/e2e/rawHttp.ts';
import { ACCESS_KEY, Scope } from '../../support/e2e/scope.ts';
import { CLAUDE_CODE_REQUEST } from '../../support/messagesRequests.ts';
import type { FuzzTarget } from '../target.ts';

const scope = new Scope();
const enclave = await scope.enclave({ journal: false });
const proxy = await scope.internalProxy(enclave, { PROXY_LOG_LEVEL: 'error' });
const { port } = proxy;

const STATUSES: readonly number[] = [
  100, 102, 200, 204, 400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 417, 421, 429, 431, 500, 501, 502, 503, 504,
  505,
];
const CHAT = JSON.stringify({ model: 'glm-5-2', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 3 });
/** The input has this in place of the port, because that changes. */
const PORT = '$PORT';

function head(line: string, fields: readonly string[] = []): string {
  const all = [`Host: 127.0.0.1:${PORT}`, `Authorization: Bearer ${ACCESS_KEY}`, ...fields];
  return `${line} HTTP/1.1\r\n${all.map((field) => `${field}\r\n`).join('')}\r\n`;
}

function post(path: string, body: string, fields: readonly string[] = []): string {
  return head(`POST ${path}`, ['Content-Type: application/json', `Content-Length: ${body.length}`, ...fields]) + body;
}

export const target: FuzzTarget = {
  seeds: () => [
    head('GET /health'),
    head('GET /ready'),
    head('GET /v1/models') + head('GET /anthropic/v1/models'),
    head('OPTIONS /v1/chat/completions', ['Origin: vscode-webview://a', 'Access-Control-Request-Method: POST']),
    post('/v1/chat/completions', CHAT),
    post('/v1/chat/completions', CHAT, ['Expect: 100-continue', 'Connection: close']),
    head('POST /v1/embeddings', ['Transfer-Encoding: chunked']) + '5\r\n{"inp\r\n8\r\nut":"a"}\r\n0\r\n\r\n',
    post('/anthropic/v1/messages', JSON.stringify({ ...CLAUDE_CODE_REQUEST, max_tokens: 3 })),
    post(
      '/anthropic/v1/messages/count_tokens',
      JSON.stringify({ model: 'x', messages: [{ role: 'user', content: 'a' }] }),
    ),
    post('/responses/v1/responses', JSON.stringify({ model: 'x', input: 'Hello', stream: true })),
    head('CONNECT example.com:443'),
    head('GET http://127.0.0.1:$PORT/health'),
  ],
  run: async (input) => {
    const bytes = Buffer.from(input.toString('latin1').replaceAll(PORT, String(port)), 'latin1');
    const connection = await RawConnection.open(port, { allowHalfOpen: true });
    connection.send(bytes);
    connection.socket.end();
    // Answers all of them, and closes the connection: no request is complete later.
    await connection.end();
    checkResponses(connection.received);
    const health = await exchangeRaw(port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    assert.equal(health.status, 200);
  },
  close: () => scope.close(),
};

/** Each begins with a status line; which responses there may be depends on the requests. */
function checkResponses(bytes: Buffer): void {
  const text = bytes.toString('latin1');
  if (text === '') return;
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  assert.ok(STATUSES.includes(Number(status)), text.slice(0, 100));
  assert.doesNotMatch(text, /^ +at .*\.ts:\d/m);
}
