import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Consents } from '../../../src/keys/consents.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../support/withTimeout.ts';

const MINUTE = 60_000;
const REFUSED = /was not allowed to use Sealed Proxy/;

/** A step that the test ends. */
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

describe('Consents', () => {
  let dialogs: EventQueue<Step<boolean>>;
  let creations: EventQueue<Step<void>>;
  let consents: Consents;
  let origins: string[];
  let now: number;

  beforeEach(() => {
    origins = [];
    dialogs = new EventQueue();
    creations = new EventQueue();
    consents = new Consents(
      (name, origin) => {
        origins.push(origin);
        return stepIn(dialogs, name);
      },
      (name) => stepIn(creations, name),
    );
    now = 5000;
    mock.method(performance, 'now', () => now);
  });

  afterEach(() => {
    mock.restoreAll();
  });

  const dialog = (number: number) => dialogs.find(`dialog ${number}`, () => true, number - 1);
  const creation = (number: number) => creations.find(`key ${number}`, () => true, number - 1);
  const names = () => dialogs.items.map(({ name }) => name);

  /** The current state of a promise. */
  const stateOf = async (promise: Promise<void>) => {
    const states = [promise.then(() => 'allowed'), flushEventLoop().then(() => 'open')];
    return Promise.race(states).catch(() => 'refused');
  };

  /** The deadline uses the real clock, not the mocked one. */
  const refused = (asking: Promise<void>, why: RegExp) =>
    withTimeout('the refusal', DEADLINE, assert.rejects(asking, why));
  const allowed = (asking: Promise<unknown>) => withTimeout('the consent', DEADLINE, asking);

  /** The user refuses in dialog number `number`, which asks about `name`. */
  const refuse = async (name: string, number: number) => {
    const asking = consents.ask(name);
    (await dialog(number)).end(false);
    await refused(asking, REFUSED);
  };

  /** The user allows in dialog number `number`, and the key is created. */
  const allow = async (name: string, number: number, key: number) => {
    const asking = consents.ask(name);
    (await dialog(number)).end(true);
    (await creation(key)).end();
    await allowed(asking);
  };

  it('asks once for all requests under one name at the same time, ignoring case, width and spaces', async () => {
    const asking = ['My Tool', 'My Tool', 'MY TOOL', 'my  tool', 'Ｍy Tool'].map((name) => consents.ask(name));
    (await dialog(1)).end(true);
    const { name, end } = await creation(1);
    asking.push(consents.ask('my tool'));
    end();
    await allowed(Promise.all(asking));
    await flushEventLoop();
    assert.equal(name, 'My Tool');
    assert.deepEqual([names(), creations.items.length], [['My Tool'], 1]);
  });

  it('resolves after the key was created, not before', async () => {
    const asking = consents.ask('Cline');
    const { end } = await dialog(1);
    assert.equal(creations.items.length, 0);
    end(true);
    const created = await creation(1);
    assert.deepEqual([created.name, await stateOf(asking)], ['Cline', 'open']);
    created.end();
    await allowed(asking);
  });

  it('shows one dialog after the other, in the order of the requests', async () => {
    const asking = ['One', 'Two', 'Three'].map((name) => consents.ask(name));
    const [one, two, three] = asking as [Promise<void>, Promise<void>, Promise<void>];
    (await dialog(1)).end(true);
    const created = await creation(1);
    await flushEventLoop();
    assert.deepEqual(names(), ['One']); // the first one ends after its key was created
    created.end();
    await allowed(one);
    const second = await dialog(2);
    await flushEventLoop();
    assert.deepEqual(names(), ['One', 'Two']);
    second.end(false);
    await refused(two, REFUSED);
    (await dialog(3)).end(true);
    (await creation(2)).end();
    await allowed(three);
    assert.deepEqual(names(), ['One', 'Two', 'Three']);
    assert.deepEqual(
      creations.items.map(({ name }) => name),
      ['One', 'Three'],
    );
  });

  it('rejects all requests under a refused name, each with the name that it used', async () => {
    const asking = ['Cline', 'Cline', 'CLINE'].map((name) => consents.ask(name));
    const rejected = Promise.all(asking.map((one) => one.then(String, (error: unknown) => (error as Error).message)));
    (await dialog(1)).end(false);
    const messages = await withTimeout('the refusals', DEADLINE, rejected);
    const sentence = 'was not allowed to use Sealed Proxy. It can ask again in a minute.';
    assert.deepEqual(messages, [`Cline ${sentence}`, `Cline ${sentence}`, `CLINE ${sentence}`]);
    assert.deepEqual([names(), creations.items.length], [['Cline'], 0]);
  });

  it('does not ask again for a minute after a refusal', async () => {
    await refuse('Cline', 1);
    for (const passed of [0, 30_000, MINUTE - 1]) {
      now = 5000 + passed;
      await refused(consents.ask('cline'), REFUSED);
    }
    assert.deepEqual(names(), ['Cline']);
    now = 5000 + MINUTE;
    await allow('Cline', 2, 1);
  });

  it('counts the minute from the refusal, however long the dialog was open', async () => {
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

  it('asks again for a name that another program claims at the same time, but not after a refusal', async () => {
    const asking = ['one', 'other', 'one'].map((origin) => consents.ask('Cline', origin));
    const [one, other, again] = asking as [Promise<void>, Promise<void>, Promise<void>];
    (await dialog(1)).end(true);
    (await creation(1)).end();
    await allowed(Promise.all([one, again]));
    (await dialog(2)).end(false);
    await refused(other, REFUSED);
    await refused(consents.ask('Cline', 'third'), REFUSED);
    assert.deepEqual(origins, ['one', 'other']);
  });

  it('asks for other names while one is refused', async () => {
    await refuse('Cline', 1);
    await allow('Cline 2', 2, 1);
    await refused(consents.ask('Cline'), REFUSED);
    assert.deepEqual(names(), ['Cline', 'Cline 2']);
  });

  it('does not remember a consent: a client whose key was revoked has to ask again', async () => {
    await allow('Cline', 1, 1);
    await allow('Cline', 2, 2);
    assert.deepEqual(names(), ['Cline', 'Cline']);
  });

  it('rejects if a dialog fails, and shows it again for the next request', async () => {
    const asking = [consents.ask('Cline'), consents.ask('CLINE')];
    const other = consents.ask('Other');
    (await dialog(1)).fail(new Error('The window closes'));
    await Promise.all(asking.map((one) => refused(one, /^Error: The window closes$/)));
    (await dialog(2)).end(true);
    (await creation(1)).end();
    await allowed(other);
    await allow('Cline', 3, 2);
    assert.deepEqual(names(), ['Cline', 'Other', 'Cline']);
  });

  it('asks again if the key could not be created', async () => {
    const asking = consents.ask('Cline');
    const other = consents.ask('Other');
    (await dialog(1)).end(true);
    (await creation(1)).fail(new Error('locked'));
    await refused(asking, /^Error: locked$/);
    (await dialog(2)).end(false);
    await refused(other, REFUSED);
    await allow('Cline', 3, 2);
    assert.deepEqual(names(), ['Cline', 'Other', 'Cline']);
  });
});
