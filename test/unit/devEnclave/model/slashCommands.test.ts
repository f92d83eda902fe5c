import assert from 'node:assert/strict';
import { createModel } from '../../../../src/devEnclave/model/model.ts';
import { SLASH_COMMANDS, patternBytes } from '../../../../src/devEnclave/model/slashCommands.ts';
import type { HandlerAnswer } from '../../../support/devEnclave/apiClient.ts';
import { CHAT_PATH, ask, events, logicalRequest } from '../../../support/devEnclave/apiClient.ts';

const model = createModel({ paceMs: 0 });
const tried = new Set<string>();

function steer(content: string, fields: object = {}, signal?: AbortSignal): Promise<HandlerAnswer> {
  tried.add(content.slice(1).split(' ', 1)[0] ?? '');
  const body = { model: 'llama3-3-70b', messages: [{ role: 'user', content }], ...fields };
  return ask(model, logicalRequest(CHAT_PATH, body), signal);
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

describe("the model's hooks", () => {
  it('/repeat and /burst stream that many words', async () => {
    assert.deepEqual(words(await steer('/repeat 3', { stream: true })), ['word ', 'word ', 'word ']);
    assert.deepEqual(words(await steer('/burst 2 hi', { stream: true })), ['hi ', 'hi ']);
    assert.equal((await steer('/burst 5000', { stream: true })).pieces.length, 5002);
    assert.equal(content(await steer('/repeat 2 ä')), 'ä ä ');
    assert.deepEqual(words(await steer('/repeat 0', { stream: true })), []);
  });

  it('/repeat keeps to the pace, /burst does not', async () => {
    const slow = createModel({ paceMs: 20 });
    const time = async (hook: string) => {
      const began = performance.now();
      const body = { model: 'llama3-3-70b', stream: true, messages: [{ role: 'user', content: hook }] };
      await ask(slow, logicalRequest(CHAT_PATH, body));
      return performance.now() - began;
    };
    assert.ok((await time('/repeat 5')) >= 90);
    assert.ok((await time('/burst 5')) < 90);
  });

  it('/large is one text of that many bytes', async () => {
    assert.deepEqual(
      words(await steer('/large 100000', { stream: true })).map(({ length }) => length),
      [100_000],
    );
  });

  it('/bytes is a body of exactly that many bytes', async () => {
    for (const length of [0, 1, 65_536, 200_001]) {
      const answer = await steer(`/bytes ${length}`);
      assert.deepEqual(answer.header('content-type'), ['application/octet-stream']);
      assert.ok(answer.body.equals(patternBytes(length)), String(length));
    }
  });

  it('/raw is exactly this body', async () => {
    const answer = await steer('/raw text/event-stream ZGF0YTogeAo=');
    assert.deepEqual(answer.header('content-type'), ['text/event-stream']);
    assert.equal(answer.body.toString(), 'data: x\n');
  });

  it('/status is that status, in the words of the backend', async () => {
    const busy = await steer('/status 429 7');
    assert.equal(busy.status, 429);
    assert.deepEqual(busy.header('retry-after'), ['7']);
    assert.deepEqual(busy.header('x-opensecret-error-code'), ['inference_capacity']);
    assert.equal((await steer('/status 503')).status, 503);
    assert.deepEqual((await steer('/status 401')).json(), {
      status: 401,
      message: 'The API key is invalid or was deleted',
    });
    const empty = await steer('/status 204');
    assert.equal(empty.status, 204);
    assert.equal(empty.body.length, 0);
  });

  it('/headers has every kind that a relay must think about', async () => {
    const answer = await steer('/headers');
    for (const name of ['x-repeated', 'set-cookie']) assert.equal(answer.header(name).length, 2);
    assert.deepEqual(answer.header('content-length'), [String(answer.body.length)]);
    assert.match(answer.header('connection')[0] ?? '', /x-named/);
    assert.ok(answer.headers.length <= 32);
  });

  it('/describe says what was asked, without the key', async () => {
    const answer = await steer('/describe');
    const said = answer.json() as Record<string, unknown>;
    assert.equal(said['target'], CHAT_PATH);
    assert.equal(said['method'], 'POST');
    assert.deepEqual(said['headers'], [{ name: 'content-type', value: 'application/json' }]);
    assert.doesNotMatch(answer.body.toString(), /dev-test/);
  });

  it('/tool calls a tool', async () => {
    const { choices } = (await steer('/tool look {"at": [1, 2]}')).json() as {
      choices: { message: { tool_calls: { function: unknown }[] }; finish_reason: string }[];
    };
    assert.deepEqual(choices[0]?.message.tool_calls[0]?.function, { name: 'look', arguments: '{"at": [1, 2]}' });
    assert.equal(choices[0].finish_reason, 'tool_calls');
  });

  it('/wait waits before the start', async () => {
    const began = performance.now();
    assert.equal((await steer('/wait 30 a')).status, 200);
    assert.ok(performance.now() - began >= 29);
  });

  it('/ping sends comment lines', async () => {
    const answer = await steer('/ping 2', { stream: true });
    assert.equal(answer.body.toString().match(/^: ping\n\n/gm)?.length, 2);
    assert.deepEqual(words(answer), ['before ', 'after']);
    assert.equal(content(await steer('/ping 2')), 'before after');
  });

  it('/stall and /hang wait until the client goes away', async () => {
    for (const hook of ['/stall 1', '/hang']) {
      for (const stream of [true, false]) {
        const client = new AbortController();
        const answer = steer(hook, { stream }, client.signal);
        client.abort();
        await assert.rejects(answer, { name: 'AbortError' });
      }
    }
  });

  it('/broken ends a stream with an error event, and is status 502 otherwise', async () => {
    const answer = await steer('/broken 1', { stream: true });
    const last = events(answer.body.toString()).at(-1) as Chunk;
    assert.equal(last.error?.code, 'upstream_provider_error');
    assert.equal((await steer('/broken 1')).status, 502);
  });

  it('/fail breaks the answer off', async () => {
    const answer = await steer('/fail 2 gone', { stream: true });
    assert.equal(answer.failure, 'gone');
    assert.deepEqual(words(answer), ['word ', 'word ']);
    assert.equal((await steer('/fail 2')).failure, 'internal_error');
  });

  it('are refused without the number that they need', async () => {
    for (const hook of ['/repeat', '/bytes -1', '/status x', '/burst 1e99']) {
      assert.equal((await steer(hook)).status, 400, hook);
    }
  });

  it('leave other messages alone', async () => {
    assert.equal(content(await steer('/etc/passwd')), 'You said: /etc/passwd');
    assert.equal(content(await steer('/constructor')), 'You said: /constructor');
    assert.equal(content(await steer(' /hang')), 'You said:  /hang');
  });

  it('have each been tried here', () => {
    for (const name of Object.keys(SLASH_COMMANDS)) assert.ok(tried.has(name), name);
  });
});
