import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Consents } from '../../../src/keys/consents.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../support/withTimeout.ts';

const MINUTE = 60_000;
const REFUSED = /was not allowed to use Sealed Proxy/;

/** Something that was begun, and whose end is the test's to say. */
interface Step<Result> {
  readonly name: string;
  readonly end: (result: Result) => void;
  readonly fail: (error: Error) => void;
}

function stepIn<Result>(list: EventQueue<Step<Result>>, name: string): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  list.add({ name, end: resolve, fail: reject });
  return promise;
}

describe('Whom the person lets use the proxy', () => {
  let dialogs: EventQueue<Step<boolean>>;
  let makings: EventQueue<Step<void>>;
  let consents: Consents;
  let now: number;

  beforeEach(() => {
    dialogs = new EventQueue();
    makings = new EventQueue();
    consents = new Consents(
      (name) => stepIn(dialogs, name),
      (name) => stepIn(makings, name),
    );
    now = 5000;
    mock.method(performance, 'now', () => now);
  });

  afterEach(() => {
    mock.restoreAll();
  });

  const dialog = (number: number) => dialogs.find(`dialog ${number}`, () => true, number - 1);
  const making = (number: number) => makings.find(`key ${number}`, () => true, number - 1);
  const names = () => dialogs.items.map(({ name }) => name);

  /** What has come of a promise by now. */
  const stateOf = async (promise: Promise<void>) => {
    const states = [promise.then(() => 'agreed'), flushEventLoop().then(() => 'open')];
    return Promise.race(states).catch(() => 'refused');
  };

  /** Deadlines are of a clock that does not stand still. */
  const refused = (asking: Promise<void>, why: RegExp) =>
    withTimeout('the refusal', DEADLINE, assert.rejects(asking, why));
  const agreed = (asking: Promise<unknown>) => withTimeout('the consent', DEADLINE, asking);

  /** The person says no to dialog number `number`, which is about `name`. */
  const refuse = async (name: string, number: number) => {
    const asking = consents.ask(name);
    (await dialog(number)).end(false);
    await refused(asking, REFUSED);
  };

  /** A yes to dialog number `number`, and all that follows. */
  const agree = async (name: string, number: number, key: number) => {
    const asking = consents.ask(name);
    (await dialog(number)).end(true);
    (await making(key)).end();
    await agreed(asking);
  };

  it('is asked once for all that ask under one name at the same time, whatever its case, width and spaces', async () => {
    const asking = ['My Tool', 'My Tool', 'MY TOOL', 'my  tool', 'Ｍy Tool'].map((name) => consents.ask(name));
    (await dialog(1)).end(true);
    const { name, end } = await making(1);
    asking.push(consents.ask('my tool'));
    end();
    await agreed(Promise.all(asking));
    await flushEventLoop();
    assert.equal(name, 'My Tool');
    assert.deepEqual([names(), makings.items.length], [['My Tool'], 1]);
  });

  it('is known by a yes when the key is made, and not before', async () => {
    const asking = consents.ask('Cline');
    const { end } = await dialog(1);
    assert.equal(makings.items.length, 0);
    end(true);
    const made = await making(1);
    assert.deepEqual([made.name, await stateOf(asking)], ['Cline', 'open']);
    made.end();
    await agreed(asking);
  });

  it('is asked in one dialog after the other, in the order in which they came', async () => {
    const asking = ['One', 'Two', 'Three'].map((name) => consents.ask(name));
    const [one, two, three] = asking as [Promise<void>, Promise<void>, Promise<void>];
    (await dialog(1)).end(true);
    const made = await making(1);
    await flushEventLoop();
    assert.deepEqual(names(), ['One']); // the first is not over before its key is made
    made.end();
    await agreed(one);
    const second = await dialog(2);
    await flushEventLoop();
    assert.deepEqual(names(), ['One', 'Two']);
    second.end(false);
    await refused(two, REFUSED);
    (await dialog(3)).end(true);
    (await making(2)).end();
    await agreed(three);
    assert.deepEqual(names(), ['One', 'Two', 'Three']);
    assert.deepEqual(
      makings.items.map(({ name }) => name),
      ['One', 'Three'],
    );
  });

  it('is a no to all who asked under that name, each told under its own', async () => {
    const asking = ['Cline', 'Cline', 'CLINE'].map((name) => consents.ask(name));
    const told = Promise.all(asking.map((one) => one.then(String, (error: unknown) => (error as Error).message)));
    (await dialog(1)).end(false);
    const messages = await withTimeout('the refusals', DEADLINE, told);
    const sentence = 'was not allowed to use Sealed Proxy. It may ask again in a minute.';
    assert.deepEqual(messages, [`Cline ${sentence}`, `Cline ${sentence}`, `CLINE ${sentence}`]);
    assert.deepEqual([names(), makings.items.length], [['Cline'], 0]);
  });

  it('is not asked again for a minute after a no', async () => {
    await refuse('Cline', 1);
    for (const passed of [0, 30_000, MINUTE - 1]) {
      now = 5000 + passed;
      await refused(consents.ask('cline'), REFUSED);
    }
    assert.deepEqual(names(), ['Cline']);
    now = 5000 + MINUTE;
    await agree('Cline', 2, 1);
  });

  it('is refused for a minute from the answer on, however long the dialog was open', async () => {
    const asking = consents.ask('Cline');
    const { end } = await dialog(1);
    now += 10 * MINUTE;
    const late = consents.ask('Cline');
    end(false);
    await Promise.all([refused(asking, REFUSED), refused(late, REFUSED)]);
    now += MINUTE - 1;
    await refused(consents.ask('Cline'), REFUSED);
    assert.deepEqual(names(), ['Cline']);
  });

  it('is asked for other names while one is refused', async () => {
    await refuse('Cline', 1);
    await agree('Cline 2', 2, 1);
    await refused(consents.ask('Cline'), REFUSED);
    assert.deepEqual(names(), ['Cline', 'Cline 2']);
  });

  it('does not remember a yes: whose key was revoked asks anew', async () => {
    await agree('Cline', 1, 1);
    await agree('Cline', 2, 2);
    assert.deepEqual(names(), ['Cline', 'Cline']);
  });

  it('is not known by a dialog that fails, which is shown anew to the next who asks', async () => {
    const asking = [consents.ask('Cline'), consents.ask('CLINE')];
    const other = consents.ask('Other');
    (await dialog(1)).fail(new Error('The window closes'));
    await Promise.all(asking.map((one) => refused(one, /^Error: The window closes$/)));
    (await dialog(2)).end(true);
    (await making(1)).end();
    await agreed(other);
    await agree('Cline', 3, 2);
    assert.deepEqual(names(), ['Cline', 'Other', 'Cline']);
  });

  it('is asked anew where the key could not be made', async () => {
    const asking = consents.ask('Cline');
    const other = consents.ask('Other');
    (await dialog(1)).end(true);
    (await making(1)).fail(new Error('locked'));
    await refused(asking, /^Error: locked$/);
    (await dialog(2)).end(false);
    await refused(other, REFUSED);
    await agree('Cline', 3, 2);
    assert.deepEqual(names(), ['Cline', 'Other', 'Cline']);
  });
});
