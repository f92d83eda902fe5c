import assert from 'node:assert/strict';
import { ModelListFailure, ModelLists } from '../../../../src/proxy/dialects/modelLists.ts';
import type { RelayContext } from '../../../../src/proxy/relay/relay.ts';
import { FakeBackend, RECORDS } from '../../../support/exchanges.ts';
import type { FakeCall } from '../../../support/fakeTransport.ts';
import { flushEventLoop } from '../../../support/withTimeout.ts';

const MINUTE = 60_000;

describe('ModelLists', () => {
  let backend: FakeBackend;
  let now: number;
  let lists: ModelLists;
  let outcomes: unknown[];
  let context: RelayContext;

  beforeEach(async () => {
    backend = await FakeBackend.ready();
    now = 1000;
    lists = new ModelLists(() => now);
    outcomes = [];
    context = {
      exchange: backend,
      timeouts: { requestTimeout: 60_000, streamIdleTimeout: 60_000 },
      onOutcome: (failure) => outcomes.push(failure?.code ?? null),
    };
  });

  const keyOf = (value = 'sk-key') => ({ value, accessKeyId: 'id' });
  const { signal: never } = new AbortController();
  const get = (value?: string, signal = never) => lists.get(keyOf(value), context, signal);
  const nextCall = () => backend.transport.next('the request for the list');
  const answer = async (call: FakeCall, text: string, status = 200) => {
    const response = await backend.respond(call);
    const headers = [{ name: 'retry-after', value: '7' }];
    call.respond(200, RECORDS, Buffer.concat([response.start(status, headers), response.chunk(text), response.end()]));
  };
  /** Loads the list of a key. */
  const load = async (text: string, value?: string) => {
    const list = get(value);
    await answer(await nextCall(), text);
    return list;
  };
  const calls = () => backend.transport.calls.length;

  it('sends a request like that of a client', async () => {
    const list = get();
    const call = await nextCall();
    const { metadata, body } = await backend.open(call);
    assert.deepEqual(
      [metadata['method'], metadata['target'], metadata['headers'], metadata['cache_namespace_root'], body.length],
      ['GET', '/v1/models', [], null, 0],
    );
    assert.deepEqual(metadata['credential'], { kind: 'api_key', value: 'sk-key' });
    call.handler.onError(new Error('enough'));
    await assert.rejects(list);
  });

  it('knows the models of the lists that it has', async () => {
    assert.equal(lists.includes('one'), false);
    await load('{"data":[{"id":"one"},{"name":"two"},null]}');
    await load('{"data":[{"id":"three"}]}', 'sk-other');
    assert.deepEqual(
      ['one', 'two', 'three', ''].map((id) => lists.includes(id)),
      [true, false, true, false],
    );
  });

  it('loads a list once, also for requests at the same time', async () => {
    const both = [get(), get()];
    await answer(await nextCall(), '{"data":[]}');
    assert.deepEqual(await Promise.all([...both, get()]), [{ data: [] }, { data: [] }, { data: [] }]);
    assert.equal(calls(), 1);
    assert.deepEqual(outcomes, [null]);
  });

  it('cancels the request when nobody waits for the list any more', async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const both = [get('1', one.signal), get('1', other.signal)] as const;
    const call = await nextCall();
    one.abort();
    await assert.rejects(both[0], { name: 'AbortError' });
    assert.ok(!call.isCancelled(), 'the other one still waits');
    other.abort();
    await assert.rejects(both[1], { name: 'AbortError' });
    await flushEventLoop();
    assert.ok(call.isCancelled());
    assert.equal(await load('2', '1'), 2);
    assert.equal(calls(), 2);
  });

  it('loads a list in the background even if the client goes', async () => {
    await load('1');
    now += 5 * MINUTE;
    const client = new AbortController();
    assert.equal(await get(undefined, client.signal), 1);
    const call = await nextCall();
    const reload = lists.reload(keyOf(), context, client.signal);
    client.abort();
    await assert.rejects(reload, { name: 'AbortError' });
    await flushEventLoop();
    assert.ok(!call.isCancelled());
    await answer(call, '2');
    await flushEventLoop();
    assert.equal(await get(), 2);
  });

  it('keeps the lists of keys apart', async () => {
    assert.deepEqual([await load('1'), await load('2', 'sk-other'), await get()], [1, 2, 1]);
  });

  it('uses an older list at once, and loads it again in the background', async () => {
    await load('1');
    now += 5 * MINUTE;
    assert.equal(await get(), 1);
    const reload = lists.reload(keyOf(), context, never); // shares the request in the background
    await answer(await nextCall(), '2');
    await reload;
    assert.equal(await get(), 2);
    assert.equal(calls(), 2);
  });

  it('waits for a list in place of a very old one', async () => {
    await load('1');
    now += 61 * MINUTE;
    assert.equal(await load('2'), 2);
  });

  it('keeps a list when it cannot be loaded again, but not for a key that the backend no longer accepts', async () => {
    await load('1');
    for (const [status, kept] of [
      [503, true],
      [401, false],
    ] as const) {
      now += 5 * MINUTE;
      const reload = lists.reload(keyOf(), context, never);
      await answer(await nextCall(), '{}', status);
      await assert.rejects(reload, ModelListFailure);
      const before = calls();
      if (kept) assert.equal(await get(), 1);
      else assert.equal(await load('2'), 2);
      assert.equal(calls() - before, kept ? 0 : 1);
    }
    assert.deepEqual(outcomes, [null, 'key_refused', null]);
  });

  it('forgets the list that was not used for the longest time', async () => {
    for (let index = 0; index < 8; index++) await load(String(index), `sk-${index}`);
    assert.equal(await get('sk-0'), 0);
    await load('8', 'sk-8');
    assert.equal(await get('sk-0'), 0);
    assert.equal(await load('1', 'sk-1'), 1);
  });

  it('does not remember keys that the backend refuses', async () => {
    await load('1');
    for (let index = 0; index < 9; index++) {
      const refused = get(`sk-${index}`);
      await answer(await nextCall(), '{}', 401);
      await assert.rejects(refused);
    }
    assert.equal(await get(), 1);
    assert.equal(calls(), 10);
  });

  for (const [what, text, status, expected] of [
    ['an error', '{"error":{"message":"No"}}', 403, 403],
    ['no JSON', '<html>', 200, 502],
    ['too much', `"${'x'.repeat(5 * 1024 * 1024)}"`, 200, 502],
  ] as const) {
    it(`fails if the backend sends ${what}`, async () => {
      const list = get();
      const call = await nextCall();
      const response = await backend.respond(call);
      const chunks = text.match(/.{1,60000}/gs) ?? [];
      const frames = [response.start(status, []), ...chunks.map((chunk) => response.chunk(chunk)), response.end()];
      call.respond(200, RECORDS, ...frames);
      await assert.rejects(list, (error: unknown) => {
        assert.ok(error instanceof ModelListFailure);
        assert.deepEqual([error.response.status, error.end], [expected, 'complete']);
        return true;
      });
    });
  }

  it('fails if the backend cannot be reached, or breaks off, with the code for the log', async () => {
    for (const begin of [false, true]) {
      const list = get();
      const call = await nextCall();
      if (begin) {
        const response = await backend.respond(call);
        call.begin(200, RECORDS);
        call.handler.onData(Buffer.concat([response.start(), response.chunk('{"data"')]));
      }
      call.handler.onError(Object.assign(new Error('Broken'), { code: 'ECONNRESET' }));
      await assert.rejects(list, (error: unknown) => {
        assert.ok(error instanceof ModelListFailure);
        assert.equal(error.response.status, 502);
        assert.notEqual(error.end, 'complete');
        return true;
      });
    }
  });
});
