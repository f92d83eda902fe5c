// Whom the person lets use the proxy. Clients can ask as often as they like; the person is asked once.
import { isSameName } from './accessKeys.ts';

/** A client that was refused may ask again after this, in milliseconds. */
const REFUSED_FOR = 60_000;

interface Question {
  readonly name: string;
  readonly answer: Promise<boolean>;
  /** By `performance.now()`; undefined while there is no answer. */
  refusedAt?: number;
}

export class Consents {
  readonly #ask: (name: string) => Promise<boolean>;
  readonly #agreed: (name: string) => Promise<void>;
  /** That are open, or were answered with no a while ago. */
  #questions: readonly Question[] = [];
  /** One dialog after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * @param ask asks the person
   * @param agreed makes what the client gets
   */
  constructor(ask: (name: string) => Promise<boolean>, agreed: (name: string) => Promise<void>) {
    this.#ask = ask;
    this.#agreed = agreed;
  }

  /**
   * Resolves when the person has agreed and the client has its key.
   * @throws Error if the person says no, or has just done so
   */
  async ask(name: string): Promise<void> {
    this.#questions = this.#questions.filter(
      ({ refusedAt }) => refusedAt === undefined || performance.now() - refusedAt < REFUSED_FOR,
    );
    const question = this.#questions.find((known) => isSameName(known.name, name)) ?? this.#open(name);
    if (!(await question.answer)) {
      throw new Error(`${name} was not allowed to use Sealed Proxy. It may ask again in a minute.`);
    }
  }

  #open(name: string): Question {
    const answer = this.#queue.then(async () => {
      const agreed = await this.#ask(name);
      if (agreed) await this.#agreed(name);
      return agreed;
    });
    this.#queue = answer.catch(() => undefined);
    const question: Question = { name, answer };
    this.#questions = [...this.#questions, question];
    const close = () => {
      this.#questions = this.#questions.filter((known) => known !== question);
    };
    answer.then((agreed) => {
      if (agreed) close();
      else question.refusedAt = performance.now();
    }, close);
    return question;
  }
}
