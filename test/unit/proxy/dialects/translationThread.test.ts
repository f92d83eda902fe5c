import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { Translator, serveTranslation } from '../../../../src/proxy/dialects/translationThread.ts';
import type { TranslatorOptions } from '../../../../src/proxy/dialects/translationThread.ts';
import { limitTranslation } from '../../../../src/proxy/process/memory.ts';
import { BODY_LIMITS } from '../../../support/bodyLimits.ts';
import { fromRoot } from '../../../support/e2e/process.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../../support/withTimeout.ts';

const LONG = 2 * 1024 * 1024;
const context = { modelList: { data: [{ id: 'm' }] }, replacementModel: undefined };
const job = (content: string, model = 'm') => ({
  ...({ dialect: 'messages', purpose: 'reply', context, limit: BODY_LIMITS.relayed } as const),
  body: new TextEncoder().encode(JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content }] })),
});

const newTranslator = (options: Partial<TranslatorOptions> = {}) => {
  const threadFile = fromRoot('test/support/translationThread.ts');
  return new Translator({ threadFile, memory: 1024 ** 3, ...options });
};

describe('serveTranslation()', () => {
  it('does nothing in a thread that was not started for a translation', () => {
    assert.equal(serveTranslation(), false);
  });
});

describe('Translator', () => {
  const { signal } = new AbortController();

  it('translates short requests in this thread', async () => {
    const short = job('Hello');
    const translation = await newTranslator().translate(short, 'a', signal);
    assert.equal(translation.kind, 'chat');
    assert.ok(short.body.length > 0);
  });

  it('translates one short request in each turn of the event loop', async () => {
    const translator = newTranslator();
    const turns: number[] = [];
    let turn = 0;
    const count = () => {
      turn++;
      if (turns.length < 10) setImmediate(count);
    };
    setImmediate(count);
    const all = Array.from({ length: 10 }, async () => {
      await translator.translate(job('Hello'), 'a', signal);
      turns.push(turn);
    });
    await Promise.all(all);
    assert.equal(new Set(turns).size, 10, turns.join());
  });

  it('translates more long requests than there are threads, each in another thread, which takes the body', async () => {
    const translator = newTranslator();
    const jobs = Array.from({ length: 5 }, (_, index) => job(String(index).repeat(LONG)));
    const translations = await Promise.all(
      jobs.map((each, index) => translator.translate(each, String(index % 3), signal)),
    );
    for (const [index, translation] of translations.entries()) {
      assert.ok(translation.kind === 'chat');
      const { messages } = JSON.parse(Buffer.from(translation.body).toString()) as { messages: { content: string }[] };
      assert.equal(messages[0]?.content, String(index).repeat(LONG));
    }
    for (const { body } of jobs) assert.equal(body.length, 0);
  });

  it('copies a body that shares its memory with other buffers for the thread', async () => {
    const { body } = job('Hello');
    const text = `${Buffer.from(body).toString().slice(0, -1)},"ignored":[${'[],'.repeat(20_000)}1]}`;
    const pool = Buffer.alloc(100_000, ' ');
    const shared = pool.subarray(0, pool.write(text));
    const translation = await newTranslator().translate({ ...job(''), body: shared }, 'a', signal);
    assert.equal(translation.kind, 'chat');
    assert.equal(pool.toString('utf8', 0, text.length), text);
  });

  it('rejects what cannot be sent to a thread, and nothing else fails', async () => {
    const rejections: unknown[] = [];
    const listen = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', listen);
    try {
      const long = job('a'.repeat(LONG));
      const unsendable = { ...long, context: { ...context, modelList: () => undefined } };
      const ended = once(process, 'worker').then(([worker]) => once(worker as Worker, 'exit'));
      await assert.rejects(newTranslator().translate(unsendable, 'a', signal), { name: 'DataCloneError' });
      await withTimeout('the end of the thread', DEADLINE, ended);
      await flushEventLoop();
    } finally {
      process.off('unhandledRejection', listen);
    }
    assert.deepEqual(rejections, []);
  });

  it('translates short requests with many values in another thread', async () => {
    const body = new TextEncoder().encode(`[${'[],'.repeat(20_000)}1]`);
    const translation = await newTranslator().translate({ ...job(''), body }, 'a', signal);
    assert.equal(translation.kind, 'error');
    assert.equal(body.length, 0);
  });

  it('returns the error of a long request', async () => {
    const translation = await newTranslator().translate(job('x'.repeat(LONG), 'other'), 'a', signal);
    assert.ok(translation.kind === 'error');
    assert.equal(translation.status, 404);
  });

  it('ends a translation that is cancelled, and goes on with those that wait', async () => {
    const translator = newTranslator();
    const controllers = Array.from({ length: 4 }, () => new AbortController());
    const running = controllers.map((controller, index) =>
      translator.translate(job('x'.repeat(LONG)), String(index), controller.signal),
    );
    const later = translator.translate(job('x'.repeat(LONG)), 'a', signal);
    for (const controller of controllers) controller.abort();
    for (const translation of running) await assert.rejects(translation, { name: 'AbortError' });
    assert.equal((await later).kind, 'chat');
  });

  it('counts the memory of a thread until it has ended, also if it was cancelled', async () => {
    const translator = newTranslator();
    const controller = new AbortController();
    const cancelled = translator.translate(job('x'.repeat(LONG)), 'a', controller.signal);
    await runMicrotasks();
    controller.abort();
    await runMicrotasks();
    assert.equal(translator.running, 1, 'nothing has told this thread of the end of the other one');
    await assert.rejects(cancelled, { name: 'AbortError' });
    assert.equal(translator.running, 0);
  });

  it('does not let the requests of one caller delay those of another', async () => {
    const translator = newTranslator();
    let done = 0;
    const many = Array.from({ length: 20 }, async () => {
      await translator.translate(job('x'.repeat(LONG)), 'a', signal);
      done++;
    });
    assert.equal((await translator.translate(job('x'.repeat(LONG)), 'b', signal)).kind, 'chat');
    assert.ok(done < 10, `${done} were translated before`);
    await Promise.all(many);
  });

  it('rejects at once what is cancelled while it waits', async () => {
    const translator = newTranslator();
    let done = 0;
    const running = translator.translate(job('x'.repeat(LONG)), 'a', signal).finally(() => done++);
    const controller = new AbortController();
    const waiting = translator.translate(job('x'.repeat(LONG)), 'a', controller.signal);
    controller.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    assert.equal(done, 0);
    await running;
  });

  it('ends a translation that takes too long, and goes on with those that wait', async () => {
    const slow = newTranslator({ timeLimit: 1 });
    for (let count = 0; count < 3; count++) {
      await assert.rejects(slow.translate(job('x'.repeat(LONG)), 'a', signal), {
        name: 'DialectError',
        status: 413,
        message: /too much time or memory/,
      });
    }
  });

  it('rejects values for which there is no memory, and goes on with those that wait', async () => {
    const translator = newTranslator({ memory: 40 * 1024 * 1024 });
    const values = { ...job(''), body: new TextEncoder().encode(`[${'[],'.repeat(LONG / 3)}1]`) };
    const running = [values, job('x'.repeat(LONG))].map((each) => translator.translate(each, 'a', signal));
    const [rejected, next] = await Promise.all(running);
    assert.ok(rejected?.kind === 'error');
    assert.deepEqual([rejected.status, next?.kind], [413, 'chat']);
  });

  it('translates one request after the other if there is not enough memory for two', async () => {
    const { memory } = limitTranslation(job('x'.repeat(LONG)).body.length, Infinity);
    for (const [available, most] of [
      [memory * 1.5, 1],
      [memory * 2, 2],
      [memory * 9, 2],
    ] as const) {
      const translator = newTranslator({ memory: available });
      const running = ['a', 'b', 'c'].map((caller) => translator.translate(job('x'.repeat(LONG)), caller, signal));
      assert.equal(translator.running, most);
      for (const translation of await Promise.all(running)) assert.equal(translation.kind, 'chat');
      assert.equal(translator.running, 0);
    }
  });
});

/** Far more than the longest chain of promises has. No event of another thread arrives meanwhile. */
async function runMicrotasks(): Promise<void> {
  for (let count = 0; count < 100; count++) await Promise.resolve();
}
