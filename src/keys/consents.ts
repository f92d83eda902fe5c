// Which clients the user allows. Clients can ask as often as they like; the user is asked once.
import { Queue } from '../shared/queue.ts';
import { isSameName } from './accessKeys.ts';

/** A refused client may ask again after this time, in milliseconds. */
const REFUSED_FOR = 60_000;

interface Question {
  readonly name: string;
  readonly origin: string;
  readonly answer: Promise<boolean>;
  /** A `performance.now()`; undefined unless the user has refused. */
  refusedAt?: number;
}

export class Consents {
  readonly #askUser: (name: string, origin: string) => Promise<boolean>;
  readonly #onAllowed: (name: string) => Promise<void>;
  /** The open questions, and those that were refused recently. */
  #questions: readonly Question[] = [];
  /** Shows one dialog after the other. */
  readonly #queue = new Queue();

  /**
   * @param askUser resolves true if the user allows the client; gets the arguments of `ask`
   * @param onAllowed creates what an allowed client gets
   */
  constructor(askUser: (name: string, origin: string) => Promise<boolean>, onAllowed: (name: string) => Promise<void>) {
    this.#askUser = askUser;
    this.#onAllowed = onAllowed;
  }

  /**
   * Resolves after the user has allowed the client and `onAllowed` has finished.
   * @param origin what is known of the program that asks, in a sentence for the user. While a question is open, the same
   *   name from another origin is another question; a refusal holds for the name.
   * @throws Error if the user refuses, or did so within the last minute
   */
  async ask(name: string, origin = ''): Promise<void> {
    this.#questions = this.#questions.filter(
      ({ refusedAt }) => refusedAt === undefined || performance.now() - refusedAt < REFUSED_FOR,
    );
    const isSame = (known: Question) =>
      isSameName(known.name, name) && (known.origin === origin || known.refusedAt !== undefined);
    const question = this.#questions.find(isSame) ?? this.#open(name, origin);
    if (!(await question.answer)) {
      throw new Error(`${name} was not allowed to use Sealed Proxy. It can ask again in a minute.`);
    }
  }

  #open(name: string, origin: string): Question {
    const answer = this.#queue.run(async () => {
      const allowed = await this.#askUser(name, origin);
      if (allowed) await this.#onAllowed(name);
      return allowed;
    });
    const question: Question = { name, origin, answer };
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
