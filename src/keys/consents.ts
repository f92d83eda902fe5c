// Which clients the user allows. Clients can ask as often as they like; the user is asked once.
import { isSameName } from './accessKeys.ts';

/** A refused client may ask again after this time, in milliseconds. */
const REFUSED_FOR = 60_000;

interface Question {
  readonly name: string;
  readonly answer: Promise<boolean>;
  /** A `performance.now()`; undefined unless the user has refused. */
  refusedAt?: number;
}

export class Consents {
  readonly #askUser: (name: string) => Promise<boolean>;
  readonly #onAllowed: (name: string) => Promise<void>;
  /** The open questions, and those that were refused recently. */
  #questions: readonly Question[] = [];
  /** Shows one dialog after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * @param askUser resolves true if the user allows the client
   * @param onAllowed creates what an allowed client gets
   */
  constructor(askUser: (name: string) => Promise<boolean>, onAllowed: (name: string) => Promise<void>) {
    this.#askUser = askUser;
    this.#onAllowed = onAllowed;
  }

  /**
   * Resolves after the user has allowed the client and `onAllowed` has finished.
   * @throws Error if the user refuses, or did so within the last minute
   */
  async ask(name: string): Promise<void> {
    this.#questions = this.#questions.filter(
      ({ refusedAt }) => refusedAt === undefined || performance.now() - refusedAt < REFUSED_FOR,
    );
    const question = this.#questions.find((known) => isSameName(known.name, name)) ?? this.#open(name);
    if (!(await question.answer)) {
      throw new Error(`${name} was not allowed to use Sealed Proxy. It can ask again in a minute.`);
    }
  }

  #open(name: string): Question {
    const answer = this.#queue.then(async () => {
      const allowed = await this.#askUser(name);
      if (allowed) await this.#onAllowed(name);
      return allowed;
    });
    this.#queue = answer.catch(() => undefined);
    const question: Question = { name, answer };
    this.#questions = [...this.#questions, question];
    const close = () => {
      this.#questions = this.#questions.filter((known) => known !== question);
    };
    answer.then((allowed) => {
      if (allowed) close();
      else question.refusedAt = performance.now();
    }, close);
    return question;
  }
}
