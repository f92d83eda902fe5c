import assert from 'node:assert/strict';
import { createModel } from '../../../../src/devEnclave/model/model.ts';
import { SLASH_COMMANDS, patternBytes } from '../../../../src/devEnclave/model/slashCommands.ts';
import type { HandlerAnswer } from '../../../support/devEnclave/apiClient.ts';
import { CHAT_PATH, apiRequest, ask, events } from '../../../support/devEnclave/apiClient.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';

const model = createModel({ paceMs: 0 });
const tried = new Set<string>();

function run(content: string, fields: object = {}, signal?: AbortSignal): Promise<HandlerAnswer> {
  tried.add(content.slice(1).split(' ', 1)[0] ?? '');
  const body = { model: 'llama3-3-70b', messages: [{ role: 'user', content }], ...fields };
  return ask(model, apiRequest(CHAT_PATH, body), signal);
}

interface Chunk {
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[];
  readonly error?: { readonly code: string };
}

function words(answer: HandlerAnswer): string[] {
  const chunks = events(answer.body.toString()).filter((event) => event !== '[DONE]') as Chunk[];
  return chunks.flatMap(({ choices }) => choices?.[0]?.delta.content ?? []).slice(1);
}

function content(answer: HandlerAnswer): string {
  const { choices } = answer.json() as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? '';
}

describe('SLASH_COMMANDS', () => {
  it('/repeat and /burst stream the given number of words', async () => {
    assert.deepEqual(words(await run('/repeat 3', { stream: true })), ['word ', 'word ', 'word ']);
    assert.deepEqual(words(await run('/burst 2 hi', { stream: true })), ['hi ', 'hi ']);
    assert.equal((await run('/burst 5000', { stream: true })).chunks.length, 5002);
    assert.equal(content(await run('/repeat 2 ä')), 'ä ä ');
    assert.deepEqual(words(await run('/repeat 0', { stream: true })), []);
  });

  it('/repeat pauses between words, /burst does not', async () => {
    const time = async (command: string, paceMs: number) => {
      const began = performance.now();
      const body = { model: 'llama3-3-70b', stream: true, messages: [{ role: 'user', content: command }] };
      await withTimeout(command, DEADLINE, ask(createModel({ paceMs }), apiRequest(CHAT_PATH, body)));
      return performance.now() - began;
    };
    assert.ok((await time('/repeat 5', 20)) >= 90);
    await time('/burst 5', 2 * DEADLINE);
  });

  it('/bytes sends a body of the given length', async () => {
    for (const length of [0, 1, 65_536, 200_001]) {
      const answer = await run(`/bytes ${length}`);
      assert.deepEqual(answer.header('content-type'), ['application/octet-stream']);
      assert.ok(answer.body.equals(patternBytes(length)), String(length));
    }
  });

  it('/raw sends exactly the given body', async () => {
    const answer = await run('/raw text/event-stream ZGF0YTogeAo=');
    assert.deepEqual(answer.header('content-type'), ['text/event-stream']);
    assert.equal(answer.body.toString(), 'data: x\n');
  });

  it("/status sends the given status with the backend's error", async () => {
    const busy = await run('/status 429 7');
    assert.equal(busy.status, 429);
    assert.deepEqual(busy.header('retry-after'), ['7']);
    assert.deepEqual(busy.header('x-opensecret-error-code'), ['inference_capacity']);
    assert.equal((await run('/status 503')).status, 503);
    assert.deepEqual((await run('/status 401')).json(), {
      status: 401,
      message: 'The API key is invalid or was deleted',
    });
    const empty = await run('/status 204');
    assert.equal(empty.status, 204);
    assert.equal(empty.body.length, 0);
  });

  it('/headers sends every kind of header that a relay must handle', async () => {
    const answer = await run('/headers');
    for (const name of ['x-repeated', 'set-cookie']) assert.equal(answer.header(name).length, 2);
    assert.deepEqual(answer.header('content-length'), [String(answer.body.length)]);
    assert.match(answer.header('connection')[0] ?? '', /x-named/);
    assert.ok(answer.headers.length <= 32);
  });

  it('/describe returns the request without the API key', async () => {
    const answer = await run('/describe');
    const said = answer.json() as Record<string, unknown>;
    assert.equal(said['target'], CHAT_PATH);
    assert.equal(said['method'], 'POST');
    assert.deepEqual(said['headers'], [{ name: 'content-type', value: 'application/json' }]);
    assert.doesNotMatch(answer.body.toString(), /dev-test/);
  });

  it('/tool calls the given tool', async () => {
    const { choices } = (await run('/tool look {"at": [1, 2]}')).json() as {
      choices: { message: { tool_calls: { function: unknown }[] }; finish_reason: string }[];
    };
    assert.deepEqual(choices[0]?.message.tool_calls[0]?.function, { name: 'look', arguments: '{"at": [1, 2]}' });
    assert.equal(choices[0].finish_reason, 'tool_calls');
  });

  it('/wait delays the start', async () => {
    const began = performance.now();
    assert.equal((await run('/wait 30 a')).status, 200);
    assert.ok(performance.now() - began >= 29);
  });

  it('/ping sends comment lines', async () => {
    const answer = await run('/ping 2', { stream: true });
    assert.equal(answer.body.toString().match(/^: ping\n\n/gm)?.length, 2);
    assert.deepEqual(words(answer), ['before ', 'after']);
    assert.equal(content(await run('/ping 2')), 'before after');
  });

  it('/stall and /hang wait until the client disconnects', async () => {
    for (const command of ['/stall 1', '/hang']) {
      for (const stream of [true, false]) {
        const client = new AbortController();
        const answer = run(command, { stream }, client.signal);
        client.abort();
        await assert.rejects(answer, { name: 'AbortError' });
      }
    }
  });

  it('/broken ends a stream with an error event, else responds with status 502', async () => {
    const answer = await run('/broken 1', { stream: true });
    const last = events(answer.body.toString()).at(-1) as Chunk;
    assert.equal(last.error?.code, 'upstream_provider_error');
    assert.equal((await run('/broken 1')).status, 502);
  });

  it('/fail sends an Error record', async () => {
    const answer = await run('/fail 2 gone', { stream: true });
    assert.equal(answer.failure, 'gone');
    assert.deepEqual(words(answer), ['word ', 'word ']);
    assert.equal((await run('/fail 2')).failure, 'internal_error');
  });

  it('rejects a command without a valid number', async () => {
    for (const command of ['/repeat', '/bytes -1', '/status x', '/burst 1e99']) {
      assert.equal((await run(command)).status, 400, command);
    }
  });

  it('ignores other messages', async () => {
    assert.equal(content(await run('/etc/passwd')), 'You said: /etc/passwd');
    assert.equal(content(await run('/constructor')), 'You said: /constructor');
    assert.equal(content(await run(' /hang')), 'You said:  /hang');
  });

  it('are all tested here', () => {
    for (const name of Object.keys(SLASH_COMMANDS)) assert.ok(tried.has(name), name);
  });
});
