// What a window does in each state of the supervisor. Pure: supervisor.ts has the processes, the sockets and the clock.
import type { ProxyStatus } from '../shared/status.ts';
import type { StartError } from './launcher.ts';
import type { Ownership } from './portClaim.ts';
import type { Probe } from './portProbe.ts';

// In milliseconds.
/** For the owner to restart the proxy: its window reads the same settings. */
const OWNER_RESTART_DELAY = 1000;
/** A process that has not responded for this long hangs. */
const HANG_LIMIT = 30_000;
/** Before the restarts after crashes. */
const RESTART_DELAYS = [1000, 2000, 4000, 8000] as const;
const CRASH_WINDOW = 3 * 60_000;

type Situation =
  | { readonly kind: 'off' | 'starting' | 'owner' | 'client' | 'yielding' | 'restarting' | 'ended' }
  | { readonly kind: 'blocked'; readonly by: 'portTaken' | 'otherVersion' | 'otherSettings' }
  | { readonly kind: 'failed'; readonly reason: StartError['reason'] };

interface Memory {
  /** When this window's process crashed, since the user started it. */
  readonly crashes: readonly number[];
  /**
   * Whether this window may replace a proxy of an older version. Not after its own process has failed: otherwise a version
   * that cannot run and an older one would take the port from each other in turns.
   */
  readonly mayTakeOver: boolean;
  /** How often in a row a start found the port free and could not use it. */
  readonly uselessStarts: number;
  /** From a start by the user until this window first joins or yields: it then makes sure that the owner has the current keys. */
  readonly isFresh: boolean;
}

export type State = Situation & Memory;

export type SupervisorEvent =
  /** By the user, or the window. */
  | { readonly kind: 'start' | 'stop' | 'restart' | 'end' }
  /** A delay is over, or another window has not taken the port for which it had asked. */
  | { readonly kind: 'due' }
  | { readonly kind: 'acquired'; readonly ownership: Ownership }
  | { readonly kind: 'startFailed'; readonly reason: StartError['reason']; readonly message: string }
  | { readonly kind: 'crashed'; readonly now: number }
  /** The process has released its port for another window. */
  | { readonly kind: 'yielded' }
  /** No own proxy has responded for this many milliseconds. */
  | { readonly kind: 'lost'; readonly found: Probe; readonly milliseconds: number }
  /** The owner has gone away, or a port that this window cannot use has changed. */
  | { readonly kind: 'portChanged' }
  /** In a way that a running proxy cannot take. */
  | { readonly kind: 'settingsChanged' }
  | { readonly kind: 'keysChanged' | 'keysUnreadable' };

export type Effect =
  | { readonly kind: 'publish'; readonly status: ProxyStatus }
  /** Publishes, after earlier processes have released the port. */
  | { readonly kind: 'start'; readonly mayTakeOver: boolean }
  /** Publishes the proxy as running, and watches it. */
  | { readonly kind: 'serve'; readonly ownership: Exclude<Ownership, { kind: 'blocked' }> }
  | { readonly kind: 'ensureKeys' | 'awaitSuccessor' | 'kill' }
  | { readonly kind: 'watchPort'; readonly known?: Probe; readonly uselessStarts: number }
  /** `due` after these milliseconds; `competes`: and a random delay, because other windows do the same. */
  | { readonly kind: 'wait'; readonly milliseconds: number; readonly competes: boolean };

/** A new object as the state: what was started in the previous state ends. The same object: it goes on. */
interface Transition {
  readonly state: State;
  readonly effects: readonly Effect[];
}

const CLEAN: Memory = { crashes: [], mayTakeOver: true, uselessStarts: 0, isFresh: false };
export const OFF: State = { ...CLEAN, kind: 'off' };

const COMPETE = { kind: 'wait', milliseconds: 0, competes: true } as const;

/**
 * In brackets, the status that a state shows under another name.
 *
 * | State                              | Event                                                    | Next state        |
 * | ---------------------------------- | -------------------------------------------------------- | ----------------- |
 * | any                                | `stop()`                                                 | off               |
 * | any                                | `end()`: the window closes                               | ended, for good   |
 * | any                                | `restart()`: asks an own proxy that is not newer for the | starting          |
 * |                                    | port                                                     |                   |
 * | off, blocked, restarting, failed   | `start()`                                                | starting          |
 * | starting                           | own proxy of an older version, same trust: asks it for   | (starting)        |
 * |                                    | the port, unless this window's process crashed or failed |                   |
 * |                                    | own proxy on the port, of the same protocol and trust    | client            |
 * |                                    | another own proxy, another program, or a port held       | blocked           |
 * |                                    | port free: this window's process serves it               | owner             |
 * |                                    | a setting is invalid, or the start fails                 | failed            |
 * | starting, owner                    | the process crashes; the fifth time in three minutes     | restarting; failed |
 * |                                    | the process releases its port for another window         | yielding          |
 * |                                    | the keys change and cannot be read                       | starting          |
 * | owner (running)                    | no response for 30 s: kills the process                  | (it crashes)      |
 * | client (running, shared)           | the owner goes away; after 0.3 to 0.9 s                  | starting          |
 * |                                    | the owner does not use the current keys: `restart()`     | starting          |
 * | blocked (portTaken, other…)        | the port is free or has another program; likewise        | starting          |
 * | blocked after a useless start      | a proxy can listen again; seen in 15 s to 5 min          | starting          |
 * | failed, not by a setting           | an own proxy is on the port; likewise                    | starting          |
 * | portTaken, failed to listen        | the keys change                                          | starting          |
 * | yielding (starting)                | another window's proxy has the port; 10 s have passed    | starting          |
 * | restarting                         | 1, 2, 4 or 8 s have passed                               | starting          |
 * | any but off, yielding, ended       | a setting changes that a running proxy cannot take; the  | starting          |
 * |                                    | same as a client, after 1.3 to 1.9 s                     |                   |
 */
export function transition(state: State, event: SupervisorEvent): Transition {
  if (state.kind === 'ended') return stay(state);
  switch (event.kind) {
    case 'stop':
      return { state: { ...memoryOf(state), kind: 'off' }, effects: [] };
    case 'end':
      return { state: { ...memoryOf(state), kind: 'ended' }, effects: [] };
    case 'restart':
      return start({ ...CLEAN, isFresh: state.isFresh });
    case 'start':
      return isOneOf(state, 'off', 'blocked', 'restarting', 'failed')
        ? start({ ...CLEAN, isFresh: true })
        : stay(state);
    case 'due':
      return start(state);
    case 'acquired':
      return acquired(state, event.ownership);
    case 'startFailed':
      return failed(state, event.reason, event.message);
    case 'crashed':
      return isOneOf(state, 'starting', 'owner') ? crashed(state, event.now) : stay(state);
    case 'yielded': {
      const status: ProxyStatus = { kind: 'starting' };
      const yielding: State = { ...memoryOf(state), isFresh: false, kind: 'yielding' };
      return { state: yielding, effects: [{ kind: 'publish', status }, { kind: 'awaitSuccessor' }] };
    }
    case 'lost':
      if (state.kind === 'owner' && event.milliseconds >= HANG_LIMIT) return stay(state, { kind: 'kill' });
      // An unresponsive owner may only be busy; its connection shows when it goes away.
      return state.kind === 'client' && event.found.kind !== 'unresponsive' ? stay(state, COMPETE) : stay(state);
    case 'portChanged':
      return isOneOf(state, 'client', 'blocked', 'failed') ? stay(state, COMPETE) : stay(state);
    case 'settingsChanged':
      if (state.kind === 'client') return stay(state, { ...COMPETE, milliseconds: OWNER_RESTART_DELAY });
      return isOneOf(state, 'off', 'yielding') ? stay(state) : start(state);
    case 'keysUnreadable':
      // Stop serving with the old keys, since one of them may have been revoked.
      return isOneOf(state, 'starting', 'owner') ? start(state) : stay(state);
    case 'keysChanged':
      return dependsOnKeys(state) ? start(state) : stay(state);
  }
}

/** The number of crashes in the last three minutes. */
export function countCrashes({ crashes }: Pick<State, 'crashes'>, now: number): number {
  return crashes.filter((at) => now - at < CRASH_WINDOW).length;
}

function start(memory: Memory): Transition {
  const { mayTakeOver } = memory;
  return { state: { ...memoryOf(memory), kind: 'starting' }, effects: [{ kind: 'start', mayTakeOver }] };
}

function acquired(before: State, ownership: Ownership): Transition {
  const isUseless = ownership.kind === 'blocked' && ownership.found.kind === 'held';
  const memory: Memory = { ...memoryOf(before), uselessStarts: isUseless ? before.uselessStarts + 1 : 0 };
  switch (ownership.kind) {
    case 'blocked': {
      const { status, found: known } = ownership;
      const watch: Effect = { kind: 'watchPort', known, uselessStarts: memory.uselessStarts };
      return {
        state: { ...memory, kind: 'blocked', by: status.kind },
        effects: [{ kind: 'publish', status }, watch],
      };
    }
    case 'owner':
      return { state: { ...memory, kind: 'owner' }, effects: [{ kind: 'serve', ownership }] };
    case 'client': {
      const effects: Effect[] = [{ kind: 'serve', ownership }];
      if (before.isFresh) effects.push({ kind: 'ensureKeys' });
      return { state: { ...memory, isFresh: false, kind: 'client' }, effects };
    }
  }
}

function crashed(before: State, now: number): Transition {
  const crashes = [...before.crashes.filter((at) => now - at < CRASH_WINDOW), now];
  const memory: Memory = { ...memoryOf(before), crashes, mayTakeOver: false };
  const milliseconds = RESTART_DELAYS[crashes.length - 1];
  if (milliseconds === undefined)
    return failed(memory, 'crashes', 'The proxy crashed five times in three minutes. Restart it to try again.');
  return {
    state: { ...memory, kind: 'restarting' },
    effects: [
      { kind: 'publish', status: { kind: 'restarting', at: now + milliseconds } },
      { kind: 'wait', milliseconds, competes: false },
    ],
  };
}

function failed(before: Memory, reason: StartError['reason'], message: string): Transition {
  const memory: Memory = { ...memoryOf(before), mayTakeOver: false };
  const effects: Effect[] = [{ kind: 'publish', status: { kind: 'failed', reason, message } }];
  if (reason !== 'setting') effects.push({ kind: 'watchPort', uselessStarts: memory.uselessStarts });
  return { state: { ...memory, kind: 'failed', reason }, effects };
}

function stay(state: State, ...effects: readonly Effect[]): Transition {
  return { state, effects };
}

/** A port is taken if the ownership secret differs; a start fails if the secrets cannot be read. */
function dependsOnKeys(state: State): boolean {
  if (state.kind === 'blocked') return state.by === 'portTaken';
  return state.kind === 'failed' && state.reason === 'listen';
}

function memoryOf({ crashes, mayTakeOver, uselessStarts, isFresh }: Memory): Memory {
  return { crashes, mayTakeOver, uselessStarts, isFresh };
}

function isOneOf({ kind }: State, ...kinds: readonly State['kind'][]): boolean {
  return kinds.includes(kind);
}
