import assert from 'node:assert/strict';
import type { Ownership } from '../../../src/supervisor/portClaim.ts';
import { OFF, countCrashes, transition } from '../../../src/supervisor/transition.ts';
import type { Effect, State, SupervisorEvent } from '../../../src/supervisor/transition.ts';
import { aReport } from '../../support/reports.ts';
import { FOREIGN } from '../../support/supervisors.ts';

const PORT = 14_114;
const MINUTE = 60_000;
const ALL = ['off', 'starting', 'owner', 'client', 'blocked', 'yielding', 'restarting', 'failed', 'ended'] as const;
type Kind = (typeof ALL)[number];

const report = aReport(PORT);
const OWNER: Ownership = { kind: 'owner', port: PORT, report };
const CLIENT: Ownership = { kind: 'client', port: PORT, report };
const HELD = { kind: 'held', by: 'program' } as const;
const taken = (found: Extract<Ownership, { kind: 'blocked' }>['found'] = FOREIGN): Ownership => ({
  kind: 'blocked',
  found,
  status: { kind: 'portTaken', port: PORT, by: 'program' },
});
const otherVersion: Ownership = {
  kind: 'blocked',
  found: { kind: 'own', report },
  status: { kind: 'otherVersion', port: PORT, version: '99.0.0', isNewer: true },
};
const failedTo = (reason: 'listen' | 'setting'): SupervisorEvent => ({
  kind: 'startFailed',
  reason,
  message: 'Because.',
});
const crash = (now = 0): SupervisorEvent => ({ kind: 'crashed', now });

type Step = SupervisorEvent | 'start' | 'restart' | 'end' | 'due' | 'yielded';

/** The state after these events. */
const after = (...events: readonly Step[]): State =>
  events.reduce<State>(
    (state, event) => transition(state, typeof event === 'string' ? { kind: event } : event).state,
    OFF,
  );
const acquired = (ownership: Ownership): SupervisorEvent => ({ kind: 'acquired', ownership });
/** Each kind of state, as it is reached. */
const STATES: Readonly<Record<Kind, State>> = {
  off: OFF,
  starting: after('start'),
  owner: after('start', acquired(OWNER)),
  client: after('start', acquired(CLIENT)),
  blocked: after('start', acquired(taken())),
  yielding: after('start', acquired(OWNER), 'yielded'),
  restarting: after('start', crash()),
  failed: after('start', failedTo('listen')),
  ended: after('end'),
};
const kindsOf = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);
const START = [{ kind: 'start', mayTakeOver: true }];
const WAIT = { kind: 'wait', milliseconds: 0, competes: true };

/** In each of `states`, `event` begins a start; in every other, nothing happens. */
const startsOnlyIn = (states: readonly Kind[], event: SupervisorEvent) => {
  for (const kind of ALL) {
    const { state, effects } = transition(STATES[kind], event);
    const isStart = states.includes(kind);
    assert.deepEqual(kindsOf(effects), isStart ? ['start'] : [], kind);
    assert.equal(state === STATES[kind], !isStart, kind); // a start while starting begins again
    assert.equal(state.kind, isStart ? 'starting' : kind);
  }
};
/** In each of `states`, `event` has this effect and changes no state; in every other, nothing happens. */
const doesOnlyIn = (states: readonly Kind[], event: SupervisorEvent, effect: object) => {
  for (const kind of ALL) {
    const { state, effects } = transition(STATES[kind], event);
    assert.deepEqual(effects, states.includes(kind) ? [effect] : [], kind);
    assert.equal(state, STATES[kind], kind);
  }
};
const others = (...kinds: readonly Kind[]) => ALL.filter((kind) => !kinds.includes(kind));

describe('transition()', () => {
  it('starts when the user wants it, where nothing runs and nothing is joined', () => {
    startsOnlyIn(['off', 'blocked', 'restarting', 'failed'], { kind: 'start' });
  });

  it('starts again in every state for a restart, except after the end', () => {
    startsOnlyIn(others('ended'), { kind: 'restart' });
  });

  it('stops and ends in every state, and is over after the end', () => {
    for (const kind of others('ended')) {
      assert.equal(transition(STATES[kind], { kind: 'stop' }).state.kind, 'off');
      assert.equal(transition(STATES[kind], { kind: 'end' }).state.kind, 'ended');
    }
    for (const kind of ['start', 'stop', 'restart', 'end', 'due', 'keysChanged', 'keysUnreadable'] as const)
      assert.deepEqual(transition(STATES.ended, { kind }), { state: STATES.ended, effects: [] });
  });

  it('leaves a state for stop() even if it is off, so that an earlier stop() reports nothing', () => {
    assert.notEqual(transition(OFF, { kind: 'stop' }).state, OFF);
  });

  it('serves the port, or joins its proxy', () => {
    for (const ownership of [OWNER, CLIENT]) {
      const { state, effects } = transition(after('start', 'yielded', 'due'), acquired(ownership));
      assert.deepEqual([state.kind, effects], [ownership.kind, [{ kind: 'serve', ownership }]]);
    }
  });

  it('makes sure that the owner has the current keys when it first joins after a start by the user', () => {
    const keysAfter = (...events: readonly Step[]) =>
      kindsOf(transition(after(...events), acquired(CLIENT)).effects).includes('ensureKeys');
    assert.equal(keysAfter('start'), true);
    assert.equal(keysAfter('start', acquired(OWNER), crash(), 'due'), true);
    assert.equal(keysAfter('start', acquired(CLIENT), 'restart'), false);
    assert.equal(keysAfter('start', acquired(OWNER), 'yielded', 'due'), false);
    assert.equal(keysAfter('restart'), false);
  });

  it('watches a port that it cannot use, and says why', () => {
    for (const ownership of [taken(), otherVersion]) {
      assert.ok(ownership.kind === 'blocked');
      const { state, effects } = transition(STATES.starting, acquired(ownership));
      const watch = { kind: 'watchPort', known: ownership.found, uselessStarts: 0 };
      assert.deepEqual([state.kind, effects], ['blocked', [{ kind: 'publish', status: ownership.status }, watch]]);
    }
  });

  it('counts the starts on a port that is held, until another outcome or a start by the user', () => {
    const held = ['due', acquired(taken(HELD))] as const;
    assert.equal(after('start', ...held, ...held, ...held).uselessStarts, 3);
    assert.equal(after('start', ...held, ...held, 'due', acquired(taken())).uselessStarts, 0);
    assert.equal(after('start', ...held, ...held, 'start').uselessStarts, 0);
    const { effects } = transition(after('start', ...held, 'due'), acquired(taken(HELD)));
    assert.deepEqual(effects.at(-1), { kind: 'watchPort', known: HELD, uselessStarts: 2 });
  });

  it('reports why a start has failed, and waits for another window’s proxy unless a setting is the reason', () => {
    for (const reason of ['listen', 'setting'] as const) {
      const { state, effects } = transition(STATES.starting, failedTo(reason));
      assert.equal(state.kind, 'failed');
      assert.deepEqual(effects, [
        { kind: 'publish', status: { kind: 'failed', reason, message: 'Because.' } },
        ...(reason === 'listen' ? [{ kind: 'watchPort', uselessStarts: 0 }] : []),
      ]);
    }
  });

  it('replaces no older proxy by itself after its own process has crashed or failed, until the user starts it', () => {
    for (const event of [crash(), failedTo('listen')]) {
      const mayTakeOver = (...events: readonly Step[]) => after('start', event, ...events).mayTakeOver;
      assert.equal(mayTakeOver('due'), false);
      assert.equal(mayTakeOver('due', acquired(CLIENT), 'due'), false);
      assert.deepEqual([mayTakeOver('start'), mayTakeOver('restart')], [true, true]);
      assert.deepEqual(transition(after('start', event), { kind: 'due' }).effects, [
        { kind: 'start', mayTakeOver: false },
      ]);
    }
  });

  it('restarts after 1, 2, 4 and 8 seconds, gives up after the fifth crash, and reports that once', () => {
    let state = STATES.owner;
    const waits = [0, 2, 5, 10].map((second) => {
      const { state: next, effects } = transition(state, crash(second * 1000));
      const [publish, wait] = effects;
      assert.ok(publish?.kind === 'publish' && wait?.kind === 'wait' && next.kind === 'restarting');
      assert.deepEqual(publish.status, { kind: 'restarting', at: second * 1000 + wait.milliseconds });
      assert.equal(wait.competes, false);
      state = transition(next, { kind: 'due' }).state;
      return wait.milliseconds;
    });
    assert.deepEqual(waits, [1000, 2000, 4000, 8000]);
    const { state: last, effects } = transition(state, crash(20_000));
    assert.deepEqual([last.kind, kindsOf(effects)], ['failed', ['publish', 'watchPort']]);
    const [publish] = effects;
    assert.ok(publish?.kind === 'publish' && publish.status.kind === 'failed' && publish.status.reason === 'crashes');
    assert.equal(transition(transition(last, { kind: 'start' }).state, crash(20_001)).state.kind, 'restarting');
  });

  it('counts the crashes in a sliding window of three minutes', () => {
    const crashes = (...minutes: readonly number[]) =>
      after('start', ...minutes.flatMap((minute) => [crash(minute * MINUTE), 'due'] as const));
    assert.equal(countCrashes(crashes(0, 1), 3 * MINUTE), 1);
    const waitAfter = (state: State, now: number) =>
      transition(state, crash(now)).effects.find((effect) => effect.kind === 'wait')?.milliseconds;
    assert.equal(waitAfter(crashes(0, 1 / 60), 3 * MINUTE + 1000), 1000);
    assert.equal(waitAfter(crashes(0, 1, 2, 3), 3 * MINUTE + 1), 8000); // those of the minutes 1, 2 and 3, and this one
    assert.equal(waitAfter(crashes(1, 2, 3, 3), 3 * MINUTE + 2), undefined);
  });

  it('ignores a crash where no process of this window can serve', () => {
    for (const kind of others('starting', 'owner'))
      assert.deepEqual(transition(STATES[kind], crash()).effects, [], kind);
  });

  it('waits for the proxy of the window that has asked for the port', () => {
    for (const kind of ['starting', 'owner'] as const) {
      const { state, effects } = transition(STATES[kind], { kind: 'yielded' });
      const publish = { kind: 'publish', status: { kind: 'starting' } };
      assert.deepEqual([state.kind, effects], ['yielding', [publish, { kind: 'awaitSuccessor' }]]);
    }
    assert.deepEqual(transition(STATES.yielding, { kind: 'due' }).effects, START);
  });

  it('kills a process of this window that has not responded for 30 seconds', () => {
    for (const found of [{ kind: 'unresponsive' }, FOREIGN] as const) {
      const lost = (milliseconds: number): SupervisorEvent => ({ kind: 'lost', found, milliseconds });
      assert.deepEqual(transition(STATES.owner, lost(29_999)).effects, []);
      assert.deepEqual(transition(STATES.owner, lost(30_000)).effects, [{ kind: 'kill' }]);
      assert.equal(transition(STATES.owner, lost(30_000)).state, STATES.owner);
    }
  });

  it('stays a client of an owner that only does not respond, and takes over from one that is gone', () => {
    const lost = (found: Extract<SupervisorEvent, { kind: 'lost' }>['found']): SupervisorEvent => ({
      kind: 'lost',
      found,
      milliseconds: 60_000,
    });
    assert.deepEqual(transition(STATES.client, lost({ kind: 'unresponsive' })).effects, []);
    for (const found of [{ kind: 'free' }, FOREIGN] as const)
      assert.deepEqual(transition(STATES.client, lost(found)).effects, [WAIT]);
  });

  it('starts after a random delay when the owner goes away, or a port that it cannot use changes', () => {
    doesOnlyIn(['client', 'blocked', 'failed'], { kind: 'portChanged' }, WAIT);
  });

  it('starts with changed settings, as a client after the owner', () => {
    const event = { kind: 'settingsChanged' } as const;
    const { state, effects } = transition(STATES.client, event);
    assert.deepEqual([state, effects], [STATES.client, [{ ...WAIT, milliseconds: 1000 }]]);
    for (const kind of ['off', 'yielding'] as const)
      assert.deepEqual(transition(STATES[kind], event).effects, [], kind);
    for (const kind of others('off', 'client', 'yielding', 'ended'))
      assert.equal(transition(STATES[kind], event).state.kind, 'starting', kind);
  });

  it('stops serving with old keys when the current ones cannot be read', () => {
    startsOnlyIn(['starting', 'owner'], { kind: 'keysUnreadable' });
  });

  it('starts with changed keys where the earlier ones may be the reason that it could not', () => {
    startsOnlyIn(['blocked', 'failed'], { kind: 'keysChanged' });
    for (const event of [acquired(otherVersion), failedTo('setting')])
      assert.deepEqual(transition(after('start', event), { kind: 'keysChanged' }).effects, []);
  });
});
