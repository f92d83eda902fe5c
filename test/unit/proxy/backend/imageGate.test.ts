import assert from 'node:assert/strict';
import { ImageGate } from '../../../../src/proxy/backend/imageGate.ts';
import type { SessionError } from '../../../../src/session/errors.ts';
import type { ImageRules, NewImage } from '../../../../src/shared/messages.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { flushEventLoop } from '../../../support/withTimeout.ts';

const [ONE, OTHER] = ['ab'.repeat(48), 'cd'.repeat(48)];
const RULES: ImageRules = { confirm: true, acceptsFirst: false, last: ONE, accepted: [ONE], refused: [] };

describe('ImageGate', () => {
  let clock: FakeClock;
  let asked: NewImage[];
  let loads: number;
  let gate: ImageGate;

  const open = (rules: ImageRules | undefined) => {
    clock = new FakeClock();
    asked = [];
    loads = 0;
    gate = new ImageGate({
      clock,
      rules,
      findListing: () => {
        loads++;
        return Promise.resolve(7000);
      },
      onNewImage: (image) => asked.push(image),
    });
  };
  /** The outcome of a passage: `open` while it waits. */
  const pass = (pcr0: string) => {
    const passage = { outcome: 'open' };
    gate.pass({ pcr0, approvedBy: 'history' }).then(
      () => (passage.outcome = 'passed'),
      (error: unknown) => (passage.outcome = (error as SessionError).code),
    );
    return passage;
  };
  const outcomeOf = async (pcr0: string) => {
    const passage = pass(pcr0);
    await flushEventLoop();
    return passage.outcome;
  };

  it('lets every image pass without rules, and if no consent is needed', async () => {
    for (const rules of [undefined, { ...RULES, confirm: false, refused: [OTHER] }]) {
      open(rules);
      assert.equal(await outcomeOf(OTHER), 'passed');
      assert.deepEqual([asked, loads, clock.timers], [[], 0, 0]);
    }
  });

  it('lets an accepted image pass, and asks about any other', async () => {
    open(RULES);
    assert.equal(await outcomeOf(ONE), 'passed');
    assert.equal(await outcomeOf(OTHER), 'open');
    assert.deepEqual(asked, [{ pcr0: OTHER, approvedBy: 'history', listedSince: 7000, refused: false }]);
  });

  for (const [name, rules, outcome] of [
    ['accepts the image', { ...RULES, accepted: [ONE, OTHER] }, 'passed'],
    ['refuses the image', { ...RULES, refused: [OTHER] }, 'image_refused'],
    ['turns the setting off', { ...RULES, confirm: false }, 'passed'],
  ] as const) {
    it(`waits until the user ${name}`, async () => {
      open(RULES);
      const passage = pass(OTHER);
      await clock.advance(59_999);
      gate.update(RULES); // says nothing about this image
      await flushEventLoop();
      assert.equal(passage.outcome, 'open');
      gate.update(rules);
      await flushEventLoop();
      assert.equal(passage.outcome, outcome);
      assert.equal(clock.timers, 0);
    });
  }

  it('gives up after a minute, and asks again for the next handshake', async () => {
    open(RULES);
    const passage = pass(OTHER);
    await clock.advance(60_000);
    assert.equal(passage.outcome, 'image_unconfirmed');
    assert.equal(await outcomeOf(OTHER), 'open');
    assert.equal(asked.length, 2);
  });

  it('rejects a refused image at once, and says so', async () => {
    open({ ...RULES, refused: [OTHER] });
    assert.equal(await outcomeOf(OTHER), 'image_refused');
    assert.deepEqual(asked, [{ pcr0: OTHER, approvedBy: 'history', listedSince: null, refused: true }]);
    gate.update({ ...RULES, accepted: [ONE, OTHER] });
    assert.equal(await outcomeOf(OTHER), 'passed');
  });

  it('accepts the first image ever without asking, but no second one', async () => {
    open({ confirm: true, acceptsFirst: true, last: null, accepted: [], refused: [] });
    assert.equal(await outcomeOf(ONE), 'passed');
    assert.equal(await outcomeOf(OTHER), 'open', 'the window may not have stored the first one yet');
    assert.equal(await outcomeOf(ONE), 'passed');
    assert.equal(asked.length, 1);
  });

  it('ends the wait when it is closed', async () => {
    open(RULES);
    const passage = pass(OTHER);
    await flushEventLoop();
    gate.close();
    await flushEventLoop();
    assert.equal(passage.outcome, 'cancelled');
    assert.equal(clock.timers, 0);
  });

  it('knows whether the user was last told of another image', () => {
    open(RULES);
    assert.deepEqual([gate.isChange(ONE), gate.isChange(OTHER)], [false, true]);
    open({ ...RULES, last: null });
    assert.equal(gate.isChange(OTHER), false);
  });
});
