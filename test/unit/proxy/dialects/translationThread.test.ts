import assert from 'node:assert/strict';
import { Translator, isTranslationThread } from '../../../../src/proxy/dialects/translationThread.ts';

const LONG = 2 * 1024 * 1024;
const context = { modelList: { data: [{ id: 'm' }] }, replacementModel: undefined };
const job = (content: string, model = 'm') => ({
  ...({ dialect: 'messages', purpose: 'reply', context } as const),
  body: new TextEncoder().encode(JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content }] })),
});

describe('isTranslationThread', () => {
  it('is false in any other thread', () => {
    assert.equal(isTranslationThread, false);
  });
});

describe('Translator', () => {
  const { signal } = new AbortController();

  it('translates short requests in this thread', async () => {
    const short = job('Hello');
    const translation = await new Translator().translate(short, 'a', signal);
    assert.equal(translation.kind, 'chat');
    assert.ok(short.body.length > 0);
  });

  it('translates more long requests than there are threads, each in another thread, which takes the body', async () => {
    const translator = new Translator();
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

  it('returns the error of a long request', async () => {
    const translation = await new Translator().translate(job('x'.repeat(LONG), 'other'), 'a', signal);
    assert.ok(translation.kind === 'error');
    assert.equal(translation.status, 404);
  });

  it('ends a translation that is cancelled, and goes on with those that wait', async () => {
    const translator = new Translator();
    const controllers = Array.from({ length: 4 }, () => new AbortController());
    const running = controllers.map((controller, index) =>
      translator.translate(job('x'.repeat(LONG)), String(index), controller.signal),
    );
    const later = translator.translate(job('x'.repeat(LONG)), 'a', signal);
    for (const controller of controllers) controller.abort();
    for (const translation of running) await assert.rejects(translation, { name: 'AbortError' });
    assert.equal((await later).kind, 'chat');
  });

  it('does not let the requests of one caller delay those of another', async () => {
    const translator = new Translator();
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
    const translator = new Translator();
    let done = 0;
    const running = translator.translate(job('x'.repeat(LONG)), 'a', signal).finally(() => done++);
    const controller = new AbortController();
    const waiting = translator.translate(job('x'.repeat(LONG)), 'a', controller.signal);
    controller.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    assert.equal(done, 0);
    await running;
  });
});
