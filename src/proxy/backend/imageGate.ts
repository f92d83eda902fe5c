// Whether a session with an enclave image may be used: where the user has asked for it, a new image waits for consent.
import { SessionError } from '../../session/errors.ts';
import type { Clock } from '../../session/transport.ts';
import type { ApprovedImage, ImageRules, NewImage } from '../../shared/messages.ts';

/** How long a handshake waits for the user's answer, in milliseconds. */
const ANSWER_LIMIT = 60_000;

export interface ImageGateOptions {
  readonly clock: Clock;
  /** Undefined: every image passes. */
  readonly rules: ImageRules | undefined;
  /** The date of an image in the signed history, or null. */
  readonly findListing: (image: ApprovedImage) => Promise<number | null>;
  /** An image waits for the user's answer, or the user has refused it. */
  readonly onNewImage: (image: NewImage) => void;
}

type Verdict = 'accepted' | 'refused' | 'unknown';

export class ImageGate {
  readonly #options: ImageGateOptions;
  #rules: ImageRules | undefined;
  /** The image that was accepted because it was the first one. */
  #first: string | undefined;
  #onAnswer: (() => void) | undefined;
  #closed = false;

  constructor(options: ImageGateOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  /** True if the user was last told of another image than this one. */
  isChange(pcr0: string): boolean {
    const last = this.#rules?.last ?? null;
    return last !== null && last !== pcr0;
  }

  /** An image waits for the user's answer. */
  get isWaiting(): boolean {
    return this.#onAnswer !== undefined;
  }

  /** Uses these rules from now on, also for an image that waits. */
  readonly update = (rules: ImageRules): void => {
    this.#rules = rules;
    this.#onAnswer?.();
  };

  /** False if the rules forbid this image now, or want a question about it first. */
  allows(pcr0: string): boolean {
    return this.#judge(pcr0) === 'accepted';
  }

  /** Ends a wait. */
  close(): void {
    this.#closed = true;
    this.#onAnswer?.();
  }

  /**
   * Resolves when the image may be used.
   * @throws SessionError `image_unconfirmed` if the user does not answer in time, `image_refused`, `cancelled`
   */
  async pass(image: ApprovedImage): Promise<void> {
    const { pcr0, approvedBy } = image;
    let verdict = this.#judge(pcr0);
    if (verdict === 'unknown') {
      const listedSince = await this.#options.findListing(image);
      verdict = this.#judge(pcr0);
      if (verdict === 'unknown') {
        this.#options.onNewImage({ pcr0, approvedBy, listedSince, refused: false });
        await this.#answer(pcr0);
        verdict = this.#judge(pcr0);
      }
    }
    if (this.#closed) throw new SessionError('cancelled', 'The proxy is shutting down');
    if (verdict === 'accepted') return;
    if (verdict === 'unknown') {
      throw new SessionError('image_unconfirmed', `The enclave runs a new image, with PCR0 ${pcr0}`);
    }
    this.#options.onNewImage({ pcr0, approvedBy, listedSince: image.listedSince ?? null, refused: true });
    const message = `The enclave runs an image that you have chosen not to use, with PCR0 ${pcr0}`;
    throw new SessionError('image_refused', message);
  }

  #judge(pcr0: string): Verdict {
    const rules = this.#rules;
    if (rules?.confirm !== true) return 'accepted';
    if (rules.refused.includes(pcr0)) return 'refused';
    if (rules.accepted.includes(pcr0)) return 'accepted';
    if (rules.acceptsFirst) this.#first ??= pcr0;
    return this.#first === pcr0 ? 'accepted' : 'unknown';
  }

  /** Resolves when there is a verdict, or it is too late for one. */
  #answer(pcr0: string): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        stopTimer();
        this.#onAnswer = undefined;
        resolve();
      };
      const stopTimer = this.#options.clock.after(ANSWER_LIMIT, end);
      this.#onAnswer = () => {
        if (this.#closed || this.#judge(pcr0) !== 'unknown') end();
      };
    });
  }
}
