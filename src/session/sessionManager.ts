// One live session for all requests: made once however many ask, renewed before its end, made anew when it is lost.
import { SessionError, asSessionError } from './errors.ts';
import type { Session } from './session.ts';
import type { Clock } from './transport.ts';
import { SESSION_USE_MS } from './wire.ts';

/** Why a session is no longer used. */
export type SessionLoss =
  /** Its time is over. */
  | 'expired'
  /** The computer slept: the enclave, the network and every connection may be other ones now. */
  | 'slept'
  /** The enclave said that it does not know the session. */
  | 'rejected'
  /** What it was made for has changed, or the proxy ends. */
  | 'closed';

export interface SessionManagerOptions<Evidence> {
  readonly clock: Clock;
  /** One handshake. */
  readonly connect: () => Promise<Session<Evidence>>;
  readonly onEstablished?: (session: Session<Evidence>) => void;
  readonly onLost?: (loss: SessionLoss) => void;
  /** A handshake failed, asked for or in the background. */
  readonly onFailed?: (error: SessionError) => void;
}

interface Live<Evidence> {
  readonly session: Session<Evidence>;
  readonly wallStart: number;
  readonly monotonicStart: number;
  readonly stopRenewal: () => void;
}

interface Heartbeat {
  readonly wall: number;
  readonly stop: () => void;
}

/** A failed handshake is repeated at most this often, in milliseconds. */
const HANDSHAKE_INTERVAL = 1000;
/** How long before its end a session is renewed in the background, in milliseconds. */
const RENEW_AHEAD = 5 * 60_000;
/** After a background renewal that failed, in milliseconds. */
const RENEW_RETRY = 15_000;
/** How far the wall clock may run ahead before that counts as a sleep of the computer, in milliseconds. */
const SLEEP_TOLERANCE = 5000;
/**
 * Ahead of what: of the monotonic clock, where that one stands still in a sleep (Linux); and of a timer that should have
 * come every so many milliseconds, where both clocks go on (macOS, Windows).
 */
const HEARTBEAT = 10_000;

export class SessionManager<Evidence> {
  readonly #options: SessionManagerOptions<Evidence>;
  #live: Live<Evidence> | undefined;
  #pending: Promise<Session<Evidence>> | undefined;
  #heartbeat: Heartbeat | undefined;
  #lastFailure = -Infinity;
  #closed = false;

  constructor(options: SessionManagerOptions<Evidence>) {
    this.#options = options;
  }

  /** The session to use now, if there is one: the way without a wait. */
  current(): Session<Evidence> | undefined {
    const live = this.#live;
    if (live === undefined) return undefined;
    const loss = this.#lossOf(live);
    if (loss === undefined) return live.session;
    this.#lose(live, loss);
    return undefined;
  }

  /**
   * The session to use now, or the one that a handshake yields. All who ask while it runs share it.
   * @throws SessionError as the handshake does
   */
  acquire(): Promise<Session<Evidence>> {
    const session = this.current();
    return session === undefined ? (this.#pending ??= this.#handshake()) : Promise.resolve(session);
  }

  /** Makes a session in the background; a failure is reported and not thrown. */
  warmUp(): void {
    this.acquire().catch(() => undefined); // reported by onFailed
  }

  /** The enclave no longer knows `session`. Nothing happens if another one is in use already. */
  reject(session: Session<Evidence>): void {
    if (this.#live?.session === session) this.#lose(this.#live, 'rejected');
  }

  /** Drops the session and its keys for good. Whoever asks from then on is refused with `cancelled`. */
  close(): void {
    this.#closed = true;
    if (this.#live !== undefined) this.#lose(this.#live, 'closed');
  }

  async #handshake(): Promise<Session<Evidence>> {
    const { clock, connect, onFailed } = this.#options;
    try {
      await this.#pauseAfterFailure();
      if (this.#closed) throw closing();
      const wallStart = clock.wall();
      const monotonicStart = clock.monotonic();
      const session = await connect();
      this.#adopt(session, wallStart, monotonicStart);
      return session;
    } catch (cause) {
      const error = asSessionError(cause);
      this.#lastFailure = clock.monotonic();
      if (!this.#closed) onFailed?.(error);
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }

  #pauseAfterFailure(): Promise<void> | undefined {
    const { clock } = this.#options;
    const rest = this.#lastFailure + HANDSHAKE_INTERVAL - clock.monotonic();
    return rest <= 0 || this.#closed ? undefined : new Promise((resolve) => clock.after(rest, resolve));
  }

  #adopt(session: Session<Evidence>, wallStart: number, monotonicStart: number): void {
    const { clock, onEstablished } = this.#options;
    if (this.#closed) {
      session.destroy();
      throw closing();
    }
    this.#retire();
    const stopRenewal = clock.after(SESSION_USE_MS - RENEW_AHEAD, () => {
      this.#renew();
    });
    this.#live = { session, wallStart, monotonicStart, stopRenewal };
    this.#beat();
    onEstablished?.(session);
  }

  /** Makes the next session while this one serves on. */
  #renew(): void {
    const renewing = this.#live;
    if (renewing === undefined || this.current() === undefined) return;
    this.#pending ??= this.#handshake();
    this.#pending.catch(() => {
      if (this.#live !== renewing) return;
      const stopRenewal = this.#options.clock.after(RENEW_RETRY, () => {
        this.#renew();
      });
      this.#live = { ...renewing, stopRenewal };
    });
  }

  #lossOf({ wallStart, monotonicStart }: Live<Evidence>): SessionLoss | undefined {
    const { clock } = this.#options;
    const wallAge = clock.wall() - wallStart;
    const monotonicAge = clock.monotonic() - monotonicStart;
    const sinceBeat = clock.wall() - (this.#heartbeat?.wall ?? clock.wall());
    if (wallAge - monotonicAge > SLEEP_TOLERANCE || sinceBeat > HEARTBEAT + SLEEP_TOLERANCE) return 'slept';
    return Math.max(wallAge, monotonicAge) >= SESSION_USE_MS ? 'expired' : undefined;
  }

  #beat(): void {
    const { clock } = this.#options;
    const stop = clock.after(HEARTBEAT, () => {
      if (this.current() !== undefined) this.#beat();
    });
    this.#heartbeat = { wall: clock.wall(), stop };
  }

  #lose(live: Live<Evidence>, loss: SessionLoss): void {
    if (this.#live !== live) return;
    this.#retire();
    this.#options.onLost?.(loss);
  }

  /** Requests under way have keys of their own and go on. */
  #retire(): void {
    this.#heartbeat?.stop();
    this.#heartbeat = undefined;
    this.#live?.stopRenewal();
    this.#live?.session.destroy();
    this.#live = undefined;
  }
}

function closing(): SessionError {
  return new SessionError('cancelled', 'The proxy is closing');
}
