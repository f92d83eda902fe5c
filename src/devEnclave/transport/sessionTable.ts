import { SESSION_SECONDS } from '../../session/wire.ts';
import type { EnclaveSession } from './enclaveSession.ts';
import { HttpError } from './httpError.ts';

const SESSION_MS = SESSION_SECONDS * 1000;

/** The live sessions. Each lives for 3,600 s from its creation, whether it is used or not (transport V2, section 1). */
export class SessionTable {
  readonly #now: () => number;
  readonly #sessions = new Map<string, { readonly session: EnclaveSession; readonly expiresAt: number }>();

  /** @param now returns the current time in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(session: EnclaveSession): void {
    this.#forgetExpired();
    this.#sessions.set(session.id, { session, expiresAt: this.#now() + SESSION_MS });
  }

  /**
   * Returns the live session with this id.
   * @throws HttpError 400, with the resend code `session_not_found`
   */
  get(id: string): EnclaveSession {
    const entry = this.#sessions.get(id);
    if (entry === undefined || this.#now() >= entry.expiresAt) {
      throw new HttpError(400, 'this session is unknown or has expired', 'session_not_found');
    }
    return entry.session;
  }

  /** Forgets every session, as a restart would. */
  clear(): void {
    this.#sessions.clear();
  }

  /** The map iterates in insertion order, which is the order of expiry. */
  #forgetExpired(): void {
    for (const [id, { expiresAt }] of this.#sessions) {
      if (this.#now() < expiresAt) return;
      this.#sessions.delete(id);
    }
  }
}
