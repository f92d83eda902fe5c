// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
import { SESSION_SECONDS } from '../../session/wire.ts';
import type { EnclaveSession } from './enclaveSession.ts';
import { Refusal } from './refusal.ts';

const SESSION_MS = SESSION_SECONDS * 1000;

/** The sessions that are alive: each for 3,600 s from its creation, however busy (transport v2, section 1). */
export class SessionTable {
  readonly #now: () => number;
  readonly #sessions = new Map<string, { readonly session: EnclaveSession; readonly expiresAt: number }>();

  /** @param now the time in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(session: EnclaveSession): void {
    this.#forgetExpired();
    this.#sessions.set(session.id, { session, expiresAt: this.#now() + SESSION_MS });
  }

  /**
   * The living session of that id.
   * @throws Refusal 400, marked `session_not_found`
   */
  get(id: string): EnclaveSession {
    const entry = this.#sessions.get(id);
    if (entry === undefined || this.#now() >= entry.expiresAt) {
      throw new Refusal(400, 'this session is unknown or has expired', 'session_not_found');
    }
    return entry.session;
  }

  /** Forgets every session, as a restart would. */
  clear(): void {
    this.#sessions.clear();
  }

  /** Insertion order is expiry order. */
  #forgetExpired(): void {
    for (const [id, { expiresAt }] of this.#sessions) {
      if (this.#now() < expiresAt) return;
      this.#sessions.delete(id);
    }
  }
}
