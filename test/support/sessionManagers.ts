// A session manager whose handshakes the test completes.
import assert from 'node:assert/strict';
import type { SessionError } from '../../src/session/errors.ts';
import type { Session } from '../../src/session/session.ts';
import { SessionManager } from '../../src/session/sessionManager.ts';
import { FakeClock } from './fakeClock.ts';
import { makeSessionPair } from './sessions.ts';
import { flushEventLoop } from './withTimeout.ts';

/** One handshake of the session manager. */
export interface FakeHandshake {
  /** When it began, by the monotonic clock. */
  readonly at: number;
  succeed(session?: Session): Promise<Session>;
  fail(error: Error): Promise<void>;
}

export class SessionManagerUnderTest {
  readonly clock = new FakeClock();
  readonly handshakes: FakeHandshake[] = [];
  /** The events that the session manager reported. */
  readonly events: string[] = [];
  readonly sessions: SessionManager;

  constructor() {
    this.sessions = new SessionManager({
      clock: this.clock,
      connect: () => this.#connect(),
      onEstablished: ({ id }) => this.events.push(`established ${id.slice(0, 4)}`),
      onLost: (loss) => this.events.push(`lost: ${loss}`),
      onFailed: ({ code }: SessionError) => this.events.push(`failed: ${code}`),
    });
  }

  /** The latest handshake. */
  get handshake(): FakeHandshake {
    return this.handshakes.at(-1) ?? assert.fail('No handshake began');
  }

  /** Makes a session, as soon as the pause after the previous handshake is over. */
  async establish(pause = 1000): Promise<Session> {
    const before = this.handshakes.length;
    const acquired = this.sessions.acquire();
    await flushEventLoop();
    if (this.handshakes.length === before) await this.clock.advance(pause);
    const session = await this.handshake.succeed();
    assert.equal(await acquired, session);
    return session;
  }

  #connect(): Promise<Session> {
    return new Promise((resolve, reject) => {
      this.handshakes.push({
        at: this.clock.monotonic(),
        succeed: async (session = makeSessionPair().session) => {
          resolve(session);
          await flushEventLoop();
          return session;
        },
        fail: async (error) => {
          reject(error);
          await flushEventLoop();
        },
      });
    });
  }
}

/** Whether a session still has its keys. */
export function isAlive(session: Session): boolean {
  try {
    session.beginCall();
    return true;
  } catch {
    return false;
  }
}
