// Tells the user when the enclave runs another image, and asks before a new one is used if the user wants that.
import * as vscode from 'vscode';
import { decided, seen } from '../../../keys/imageChoices.ts';
import type { ImageChoice } from '../../../keys/imageChoices.ts';
import { REFUSE_IMAGE, USE_IMAGE, imageChange, imageQuestion } from '../../../presentation/imageText.ts';
import { asNotice } from '../../../shared/escape.ts';
import type { NewImage, VerifiedSummary } from '../../../shared/messages.ts';
import type { RunningStatus } from '../../../shared/status.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands } from '../../core/runCommand.ts';

/** How long the notice waits for the date of the image, in milliseconds: longer than a download of the history. */
const DATE_LIMIT = 6000;

export function registerImages(core: Core) {
  const images = new EnclaveImages(core);
  core.context.subscriptions.push(images);
  return { commands: { reviewImage: () => images.review() } satisfies Commands };
}

class EnclaveImages implements vscode.Disposable {
  readonly #core: Core;
  readonly #subscriptions: vscode.Disposable;
  /** The images whose date was awaited long enough. */
  readonly #dateless = new Set<string>();
  #dateTimer: NodeJS.Timeout | undefined;
  /** The image about which this window has asked. */
  #asked: string | undefined;

  constructor(core: Core) {
    this.#core = core;
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) void this.#look();
      }),
      core.onStatus(() => {
        void this.#look();
      }),
      core.images.onDidChange(() => {
        core.inBackground(this.#passOn());
      }),
    );
  }

  /** Shows the question again, also for an image that was refused. */
  async review(): Promise<void> {
    const { status } = this.#core.supervisor;
    if (status.kind === 'running' && status.newImage) {
      await this.#ask(status, status.newImage, true);
    } else {
      void vscode.window.showInformationMessage('The enclave runs no new image that you need to review.');
    }
  }

  dispose(): void {
    this.#subscriptions.dispose();
    clearTimeout(this.#dateTimer);
  }

  /** Tells and asks the user what the current status requires. Never rejects. */
  #look(): Promise<void> {
    const { images, supervisor } = this.#core;
    return images.inOrder(async () => {
      const { status } = supervisor;
      if (status.kind !== 'running') return;
      const { backendUrl, verified, newImage } = status;
      // While an image waits for consent, the session in use is an earlier one.
      if (newImage?.refused === false) this.#askOnce(backendUrl, newImage);
      else if (verified?.kind === 'verified' && !newImage) await this.#noteUse(backendUrl, verified);
    });
  }

  /** Tells the user if this is another image than last time. Of all windows, the first one with the focus does. */
  async #noteUse(backendUrl: string, verified: VerifiedSummary): Promise<void> {
    const { images, inBackground } = this.#core;
    const { pcr0, listedSince } = verified;
    const { last } = await images.choice(backendUrl);
    if (last === pcr0) return;
    if (last !== null) {
      if (!vscode.window.state.focused) return;
      if (listedSince === undefined && !this.#dateless.has(pcr0)) {
        this.#awaitDate(pcr0);
        return;
      }
    }
    const isNew = await images.noteUse(backendUrl, (before) => seen(before, pcr0));
    if (!isNew || last === null) return;
    const message = asNotice(imageChange(backendUrl, verified));
    inBackground(offerCommands(vscode.window.showInformationMessage, message, 'showAttestation'));
  }

  #awaitDate(pcr0: string): void {
    if (this.#dateTimer !== undefined) return;
    this.#dateTimer = setTimeout(() => {
      this.#dateTimer = undefined;
      this.#dateless.add(pcr0);
      void this.#look();
    }, DATE_LIMIT);
  }

  /** Asks once about each image, in a window that has the focus. */
  #askOnce(backendUrl: string, image: NewImage): void {
    if (this.#asked === image.pcr0 || !vscode.window.state.focused) return;
    this.#asked = image.pcr0;
    this.#core.inBackground(this.#ask({ backendUrl }, image, false));
  }

  async #ask({ backendUrl }: Pick<RunningStatus, 'backendUrl'>, image: NewImage, modal: boolean): Promise<void> {
    const [question, detail] = imageQuestion(backendUrl, image).map(asNotice);
    const answer = modal
      ? await vscode.window.showWarningMessage(question ?? '', { modal, detail: detail ?? '' }, USE_IMAGE, REFUSE_IMAGE)
      : await vscode.window.showWarningMessage(`${question} ${detail}`, USE_IMAGE, REFUSE_IMAGE);
    if (answer === undefined) return;
    const { images } = this.#core;
    await images.inOrder(async () => {
      // Another window may show the same notification, and have the answer.
      const isOpen = ({ accepted, refused }: ImageChoice) => ![...accepted, ...refused].includes(image.pcr0);
      const decide = (before: ImageChoice) =>
        modal || isOpen(before) ? decided(before, image.pcr0, answer === USE_IMAGE) : undefined;
      if (!(await images.decide(backendUrl, decide)))
        void vscode.window.showInformationMessage('You have already answered this question. Nothing was changed.');
    });
  }

  /** Passes a change of the rules on to the proxy. */
  async #passOn(): Promise<void> {
    const { images, supervisor } = this.#core;
    await supervisor.settingsChanged();
    const { status } = supervisor;
    if (status.kind !== 'running') return;
    const isInUse = status.verified?.kind === 'verified' && images.rules().refused.includes(status.verified.pcr0);
    // After a refusal, no request waits that would use the image now, and the session in use has ended.
    if (status.newImage || isInUse) await supervisor.check();
  }
}
