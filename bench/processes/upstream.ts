// One logical backend with two entrances: plain HTTP and the development enclave.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { ApiHandler, ApiResponseWriter } from '../../src/devEnclave/model/apiHandler.ts';
import { startEnclave } from '../../src/devEnclave/server.ts';

const TOKEN = {
  id: 'chatcmpl-0123456789abcdef',
  object: 'chat.completion.chunk',
  created: 1_767_225_600,
  model: 'glm-5-2',
  choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }],
};
/** One event as a provider sends it: about 200 bytes. */
const EVENT = Buffer.from(`data: ${JSON.stringify(TOKEN)}\n\n`);
const END = Buffer.from(
  `data: ${JSON.stringify({ ...TOKEN, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
);
const ANSWER = { index: 0, message: { role: 'assistant', content: 'word '.repeat(60) }, finish_reason: 'stop' };
const RESPONSE = Buffer.from(JSON.stringify({ ...TOKEN, object: 'chat.completion', choices: [ANSWER] }));
const MODELS = Buffer.from(JSON.stringify({ object: 'list', data: [{ id: TOKEN.model, object: 'model' }] }));
const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const EVENTS_TYPE = [{ name: 'content-type', value: 'text/event-stream' }];

/** In a prompt. `events=N`: N events as fast as the client reads them; ` paced`: one per millisecond, like tokens. */
const STREAM = /\bevents=(\d+)( paced)?/;

const handler: ApiHandler = async ({ target, body }, response) => {
  const [, events = 0, paced] = STREAM.exec(Buffer.from(body?.subarray(0, 1000) ?? []).toString()) ?? [];
  if (events === 0) {
    response.start({ status: 200, headers: JSON_TYPE });
    response.write(target === '/v1/models' ? MODELS : RESPONSE);
    response.end();
    return;
  }
  response.start({ status: 200, headers: EVENTS_TYPE });
  for (let sent = 0; sent < Number(events); sent++) {
    if (!response.write(EVENT)) await response.drained();
    if (paced !== undefined) await setTimeout(1);
  }
  response.write(END);
  response.end();
};

async function answerOverHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const writer: ApiResponseWriter = {
    signal: new AbortController().signal,
    start: ({ status, headers }) => {
      response.writeHead(
        status,
        headers.flatMap(({ name, value }) => [name, value]),
      );
    },
    write: (chunk) => response.write(chunk),
    drained: async () => {
      await once(response, 'drain');
    },
    end: () => {
      response.end();
    },
    fail: () => {
      response.destroy();
    },
  };
  const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value: String(value) }));
  const { method = '', url: target = '' } = request;
  await handler({ credential: null, method, target, headers, body: Buffer.concat(chunks) }, writer);
}

async function main(): Promise<void> {
  const plain = createServer((request, response) => {
    void answerOverHttp(request, response);
  });
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const enclave = await startEnclave({ handler, journal: false });
  console.log(`upstream listening on http://127.0.0.1:${(plain.address() as AddressInfo).port} and ${enclave.url}`);
}

void main();
