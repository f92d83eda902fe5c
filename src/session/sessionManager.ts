// One live session for all requests: requests share its handshake, it is renewed before it expires and replaced when lost.
import { SessionError, asSessionError } from './errors.ts';
import type { Session } from './session.ts';
import type { Clock } from './transport.ts';
import { SESSION_USE_MS } from './wire.ts';

/** Why a session is no longer used. */
export type SessionLoss =
  /** Its lifetime has passed. */
  | 'expired'
  /** The computer slept, so the enclave, the network and every connection may have changed. */
  | 'slept'
  /** The enclave reported that it does not know the session. */
  | 'rejected'
  /** A response on it was invalid or broken off, so the way to its enclave may be lost. */
  | 'bad_response'
  /** The settings of the connection changed, or the proxy is shutting down. */
  | 'closed';

export interface SessionManagerOptions {
  readonly clock: Clock;
  /** Performs one handshake. */
  readonly connect: () => Promise<Session>;
  readonly onEstablished?: (session: Session) => void;
  readonly onLost?: (loss: SessionLoss) => void;
  /** A handshake failed, for a request or in the background. */
  readonly onFailed?: (error: SessionError) => void;
}

/** One request on a session, which shows whether the session still answers. */
export interface SessionUse {
  /** A record of the answer is authentic. */
  answered(): void;
  /** The request is over. */
  end(): void;
  /**
   * The answer was bad, which anyone on the network may have caused (transport V2, section 3, "When a session ends
   * early"): the next request makes a new session. To be called after `end`. If the session has begun to answer another
   * request since this one began, or got its last record, it is used until its successor is there. If others still wait
   * for their answers, the first one decides. Otherwise it is lost at once.
   */
  failed(loss: Doubt): void;
}

type Doubt = Extract<SessionLoss, 'rejected' | 'bad_response'>;

interface Handshake {
  /** When it began, or failed, by the monotonic clock. */
  readonly at: number;
  /** The session that it made has answered a request. */
  isOfUse: boolean;
}

interface Live {
  readonly session: Session;
  readonly handshake: Handshake;
  readonly wallStart: number;
  stopRenewal: () => void;
  /** Requests that it has answered. */
  answers: number;
  /** Requests that wait for an answer. */
  waiting: number;
  /** Why it needs a successor; undefined: no answer was bad. */
  doubt?: Doubt;
  /** There while nothing shows that the session still answers: no request begins on it. Resolves with the next answer. */
  hold?: PromiseWithResolvers<void>;
}

interface Heartbeat {
  readonly wall: number;
  readonly stop: () => void;
}

/** The shortest time from the beginning or the failure of a handshake to the next one, in milliseconds. */
const HANDSHAKE_INTERVAL = 1000;
/** The same if its session has answered a request: a new one is likely to be of use, and everyone waits for it. */
const USEFUL_INTERVAL = 100;
/** How long before its expiry a session is renewed in the background, in milliseconds. */
const RENEW_AHEAD = 5 * 60_000;
/** How long to wait after a failed renewal, in milliseconds. */
const RENEW_RETRY = 15_000;
/**
 * The computer has slept if the wall clock is ahead by more than this, in milliseconds: ahead of the monotonic clock where
 * that pauses during sleep (Linux), otherwise ahead of the heartbeat timer (macOS, Windows).
 */
const SLEEP_TOLERANCE = 5000;
/** The interval of the heartbeat timer, in milliseconds. */
const HEARTBEAT = 10_000;

/** On a session that is no longer the live one. */
const UNUSED: SessionUse = { answered: () => undefined, end: () => undefined, failed: () => undefined };

export class SessionManager {
  readonly #options: SessionManagerOptions;
  #live: Live | undefined;
  #pending: Promise<Session> | undefined;
  #heartbeat: Heartbeat | undefined;
  #handshake: Handshake = { at: -Infinity, isOfUse: false };
  #endPause: (() => void) | undefined;
  #failedAt = -Infinity;
  #closed = false;

  constructor(options: SessionManagerOptions) {
    this.#options = options;
  }

  /** The live session, or undefined if a handshake is needed. */
  current(): Session | undefined {
    const live = this.#live;
    if (live === undefined) return undefined;
    const loss = this.#lossOf(live);
    if (loss === undefined) return live.session;
    this.#lose(live, loss);
    return undefined;
  }

  /** How long the live session can still be used, in milliseconds; 0 without one. */
  get remaining(): number {
    const live = this.current() === undefined ? undefined : this.#live;
    return live === undefined ? 0 : SESSION_USE_MS - this.#ageOf(live);
  }

  /**
   * The session for the next request, if it need not wait for one.
   * @param rejected the session that has rejected the request
   */
  take(rejected?: Session): Session | undefined {
    const session = this.current();
    const live = this.#live;
    if (live?.doubt === undefined) return session === rejected ? undefined : session;
    this.#prepare().catch(() => undefined); // reported by onFailed
    return live.hold !== undefined || session === rejected ? undefined : session;
  }

  /**
   * The same, or the session that a handshake makes. Concurrent callers share the handshake.
   * @throws SessionError as the handshake does
   */
  acquire(rejected?: Session): Promise<Session> {
    const session = this.take(rejected);
    if (session !== undefined) return Promise.resolve(session);
    const live = this.#live;
    const next = this.#prepare();
    if (live?.hold === undefined || live.session === rejected) return next;
    // The answer may be the last thing on this session: its next bytes, or another event, may have ended it since.
    return Promise.race([next, live.hold.promise.then(() => this.acquire(rejected))]);
  }

  /** Follows a request on this session. */
  begin(session: Session): SessionUse {
    const live = this.#live;
    if (live?.session !== session) return UNUSED;
    let before = live.answers;
    let waits = true;
    live.waiting++;
    const stopWaiting = () => {
      if (waits) live.waiting--;
      waits = false;
    };
    return {
      answered: () => {
        if (waits) {
          stopWaiting();
          live.answers++;
          live.handshake.isOfUse = true;
          this.#endPause?.();
          live.hold?.resolve();
          delete live.hold;
        }
        before = live.answers;
      },
      end: () => {
        stopWaiting();
        if (live.hold !== undefined && live.waiting === 0) this.#lose(live, live.doubt ?? 'bad_response');
      },
      failed: (loss) => {
        live.doubt ??= loss;
        if (live.answers > before) return;
        if (live.waiting > 0) live.hold ??= Promise.withResolvers();
        else this.#lose(live, loss);
      },
    };
  }

  /** Makes a session in the background. A failure is reported to `onFailed`, not thrown. */
  warmUp(): void {
    this.acquire().catch(() => undefined); // reported by onFailed
  }

  /** The same if there is no session, but no sooner after a failure than a renewal is tried again. */
  restore(): void {
    const isSoonAfterFailure = this.#options.clock.monotonic() - this.#failedAt < RENEW_RETRY;
    if (this.current() === undefined && !isSoonAfterFailure) this.warmUp();
  }

  /**
   * Uses `session` for no further request, from now on. Its running requests continue. No effect if it was already
   * retired: a late failure on it must not end its successor.
   */
  retire(session: Session, loss: Doubt | 'closed'): void {
    if (this.#live?.session === session) this.#lose(this.#live, loss);
  }

  /** Drops the session and its keys for good. Later calls of `acquire` reject with `cancelled`. */
  close(): void {
    this.#closed = true;
    if (this.#live !== undefined) this.#lose(this.#live, 'closed');
  }

  #prepare(): Promise<Session> {
    return (this.#pending ??= this.#connect());
  }

  async #connect(): Promise<Session> {
    const { clock, connect, onFailed } = this.#options;
    try {
      for (let left = this.#pauseLeft(); left > 0 && !this.#closed; left = this.#pauseLeft()) await this.#pause(left);
      if (this.#closed) throw closing();
      const handshake = { at: clock.monotonic(), isOfUse: false };
      this.#handshake = handshake;
      const wallStart = clock.wall();
      const session = await connect();
      this.#adopt(session, handshake, wallStart);
      return session;
    } catch (cause) {
      const error = asSessionError(cause);
      this.#failedAt = clock.monotonic();
      this.#handshake = { at: this.#failedAt, isOfUse: false };
      if (!this.#closed) onFailed?.(error);
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }

  /**
   * The time until a handshake may begin, in milliseconds; 0 or less: now. It limits the handshakes with a backend that
   * refuses them, or makes sessions that are of no use.
   */
  #pauseLeft(): number {
    const { at, isOfUse } = this.#handshake;
    return at + (isOfUse ? USEFUL_INTERVAL : HANDSHAKE_INTERVAL) - this.#options.clock.monotonic();
  }

  /** For this time, or until the session answers: a handshake may begin sooner then. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(milliseconds, resolve);
      this.#endPause = () => {
        stop();
        resolve();
      };
    });
  }

  #adopt(session: Session, handshake: Handshake, wallStart: number): void {
    const { clock, onEstablished } = this.#options;
    if (this.#closed) {
      session.destroy();
      throw closing();
    }
    const previous = this.#live;
    if (previous?.doubt !== undefined) this.#lose(previous, previous.doubt);
    this.#discard();
    const stopRenewal = clock.after(SESSION_USE_MS - RENEW_AHEAD, () => {
      this.#renew();
    });
    this.#live = { session, handshake, wallStart, stopRenewal, answers: 0, waiting: 0 };
    this.#beat();
    onEstablished?.(session);
  }

  /** Makes the next session while requests still use this one. */
  #renew(): void {
    const renewing = this.#live;
    if (renewing === undefined || this.current() === undefined) return;
    this.#prepare().catch(() => {
      if (this.#live !== renewing) return;
      renewing.stopRenewal = this.#options.clock.after(RENEW_RETRY, () => {
        this.#renew();
      });
    });
  }

  #lossOf(live: Live): SessionLoss | undefined {
    const { clock } = this.#options;
    const wallAge = clock.wall() - live.wallStart;
    const monotonicAge = clock.monotonic() - live.handshake.at;
    const sinceBeat = clock.wall() - (this.#heartbeat?.wall ?? clock.wall());
    if (wallAge - monotonicAge > SLEEP_TOLERANCE || sinceBeat > HEARTBEAT + SLEEP_TOLERANCE) return 'slept';
    return this.#ageOf(live) >= SESSION_USE_MS ? 'expired' : undefined;
  }

  #ageOf({ wallStart, handshake }: Live): number {
    const { clock } = this.#options;
    return Math.max(clock.wall() - wallStart, clock.monotonic() - handshake.at);
  }

  #beat(): void {
    const { clock } = this.#options;
    const stop = clock.after(HEARTBEAT, () => {
      if (this.current() !== undefined) this.#beat();
    });
    this.#heartbeat = { wall: clock.wall(), stop };
  }

  #lose(live: Live, loss: SessionLoss): void {
    if (this.#live !== live) return;
    this.#discard();
    this.#options.onLost?.(loss);
  }

  /** Requests in progress have their own keys and continue. */
  #discard(): void {
    this.#heartbeat?.stop();
    this.#heartbeat = undefined;
    this.#live?.stopRenewal();
    this.#live?.session.destroy();
    this.#live = undefined;
  }
}

function closing(): SessionError {
  return new SessionError('cancelled', 'The proxy is shutting down');
}
