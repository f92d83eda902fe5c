// When a history is downloaded again, and what is used meanwhile.
import assert from 'node:assert/strict';
import { HISTORIES, HistoryServer, historyWithout, namedOnlyIn } from '../../../support/histories.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const UNAVAILABLE = { name: 'SessionError', code: 'history_unavailable' };
const NOTHING = Buffer.alloc(0);
const [LISTED, OTHER = assert.fail()] = namedOnlyIn('production');
const UNKNOWN = 'ab'.repeat(48);

describe('createHistoryLoader() and its cache', () => {
  let test: HistoryServer;

  beforeEach(async () => {
    test = await HistoryServer.open();
  });

  afterEach(() => test.close());

  it('downloads once for simultaneous calls, also for different images', async () => {
    const history = test.loader();
    const asked = [history(LISTED), history(OTHER), history(UNKNOWN)];
    await test.answer(await test.server.next(), HISTORIES.production);
    asked.push(history(LISTED));
    const [first, ...others] = await withTimeout('the history', DEADLINE, Promise.all(asked));
    assert.ok(others.every((other) => other === first));
    assert.equal(test.downloads, 1);
  });

  it('shares a failure between simultaneous calls', async () => {
    const history = test.loader();
    const asked = [history(LISTED), history(OTHER)].map((call) => assert.rejects(call, UNAVAILABLE));
    await test.answer(await test.server.next(), NOTHING, 503);
    await withTimeout('the refusals', DEADLINE, Promise.all(asked));
    assert.equal(test.downloads, 1);
  });

  it('keeps the history for ten minutes for an image in it', async () => {
    const history = test.loader();
    const first = await test.answered(history(LISTED), HISTORIES.production);
    await test.clock.advance(10 * MINUTE - 1);
    assert.equal(await history(LISTED), first);
    assert.equal(test.downloads, 1);
    await test.clock.advance(1);
    assert.notEqual(await test.answered(history(LISTED), HISTORIES.production), first);
  });

  it('asks again after 30 seconds for an image that the history lacks', async () => {
    const history = test.loader();
    const old = await test.answered(history(OTHER), historyWithout('production', OTHER));
    assert.equal(old.approves(OTHER), false);
    await test.clock.advance(30 * SECOND - 1);
    assert.equal(await history(OTHER), old);
    assert.equal(await history(LISTED), old);
    assert.equal(test.downloads, 1);
    await test.clock.advance(1);
    assert.equal(await history(LISTED), old, 'an image in the history needs no download');
    const fresh = await test.answered(history(OTHER), HISTORIES.production);
    assert.equal(fresh.approves(OTHER), true);
    assert.equal(await history(LISTED), fresh);
    assert.equal(test.downloads, 2);
  });

  it('repeats a failed download after 1, 2, 4, 8 and then every 15 seconds', async () => {
    const history = test.loader();
    for (const [index, pause] of [1, 2, 4, 8, 15, 15, 15].entries()) {
      await assert.rejects(test.answered(history(LISTED), NOTHING, 503), UNAVAILABLE);
      await test.clock.advance(pause * SECOND - 1);
      await assert.rejects(withTimeout('a remembered failure', DEADLINE, history(LISTED)), UNAVAILABLE);
      assert.equal(test.downloads, index + 1, `within ${pause} s`);
      await test.clock.advance(1);
    }
    const result = await test.answered(history(LISTED), HISTORIES.production);
    assert.equal(result.approves(LISTED), true);
    await test.clock.advance(10 * MINUTE);
    assert.equal(await test.answered(history(LISTED), NOTHING, 503), result);
    await test.clock.advance(SECOND);
    assert.equal(
      await test.answered(history(LISTED), NOTHING, 503),
      result,
      'after a success, the first pause is short again',
    );
  });

  it('uses the last history while downloads fail, without waiting for each call', async () => {
    const history = test.loader();
    const good = await test.answered(history(LISTED), HISTORIES.production);
    await test.clock.advance(60 * MINUTE);
    for (const [body, status] of [
      [NOTHING, 503],
      [Buffer.from('<html>'), 200],
    ] as const) {
      assert.equal(await test.answered(history(LISTED), body, status), good);
      const { downloads } = test;
      assert.equal(await withTimeout('the last history', DEADLINE, history(LISTED)), good);
      assert.equal(test.downloads, downloads, 'the failure is remembered');
      await test.clock.advance(15 * SECOND);
    }
    assert.notEqual(await test.answered(history(LISTED), HISTORIES.production), good);
  });

  it('reports that the history is unavailable, not that the image is refused, for an image that an old history lacks', async () => {
    const history = test.loader();
    const old = await test.answered(history(LISTED), historyWithout('production', OTHER));
    await test.clock.advance(MINUTE);
    await assert.rejects(test.answered(history(OTHER), NOTHING, 503), UNAVAILABLE);
    await assert.rejects(history(OTHER), UNAVAILABLE);
    assert.equal(await history(LISTED), old);
    await test.clock.advance(SECOND);
    assert.equal((await test.answered(history(OTHER), HISTORIES.production)).approves(OTHER), true);
  });

  it('replaces the history by a shorter one, so that an image can be withdrawn', async () => {
    const history = test.loader();
    await test.answered(history(OTHER), HISTORIES.production);
    await test.clock.advance(10 * MINUTE);
    const shorter = await test.answered(history(OTHER), historyWithout('production', OTHER));
    assert.deepEqual([shorter.approves(LISTED), shorter.approves(OTHER)], [true, false]);
    assert.equal(await history(OTHER), shorter);
    await test.clock.advance(30 * SECOND);
    assert.equal((await test.answered(history(OTHER), HISTORIES.production)).approves(OTHER), true);
  });

  it('goes by the monotonic clock: a changed wall clock neither delays a download nor repeats it', async () => {
    for (const jump of [-48 * 60 * MINUTE, 48 * 60 * MINUTE]) {
      const history = test.loader();
      await assert.rejects(test.answered(history(LISTED), NOTHING, 503), UNAVAILABLE);
      test.clock.sleep(jump);
      const { downloads } = test;
      await assert.rejects(history(LISTED), UNAVAILABLE);
      assert.equal(test.downloads, downloads);
      await test.clock.advance(SECOND);
      const good = await test.answered(history(LISTED), HISTORIES.production);
      test.clock.sleep(jump);
      assert.equal(await history(LISTED), good);
      await test.clock.advance(10 * MINUTE);
      assert.notEqual(await test.answered(history(LISTED), HISTORIES.production), good);
    }
  });

  it('remembers a malformed history as a failure', async () => {
    const history = test.loader();
    await assert.rejects(test.answered(history(LISTED), Buffer.from('{}')), { code: 'history_invalid' });
    await assert.rejects(history(LISTED), { code: 'history_invalid' });
    assert.equal(test.downloads, 1);
    await test.clock.advance(SECOND);
    assert.equal((await test.answered(history(LISTED), HISTORIES.production)).environment, 'production');
  });
});
