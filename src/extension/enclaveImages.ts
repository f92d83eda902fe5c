// Tells the user when the enclave runs another image, and asks before a new one is used if the user wants that.
import * as vscode from 'vscode';
import { ImageChoices, NO_CHOICE, decided, seen } from '../keys/imageChoices.ts';
import type { ImageChoice } from '../keys/imageChoices.ts';
import { REFUSE_IMAGE, USE_IMAGE, imageChange, imageQuestion } from '../presentation/imageText.ts';
import type { Settings } from '../settings/editorSettings.ts';
import { asNotice } from '../shared/escape.ts';
import type { ImageRules, NewImage, VerifiedSummary } from '../shared/messages.ts';
import { Queue } from '../shared/queue.ts';
import type { RunningStatus } from '../shared/status.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { offerCommands } from './commands/runCommand.ts';

/** How long the notice waits for the date of the image, in milliseconds: longer than a download of the history. */
const DATE_LIMIT = 6000;

export class EnclaveImages implements vscode.Disposable {
  readonly #choices: ImageChoices;
  readonly #window: () => readonly [Settings, Pick<Supervisor, 'status' | 'settingsChanged' | 'check'>];
  readonly #onFailure: (error: unknown) => void;
  readonly #focus: vscode.Disposable;
  /** Of the backend with this URL; undefined if the choice could not be read. */
  #known: { readonly backendUrl: string; readonly choice: ImageChoice } | undefined;
  /** The images whose date was awaited long enough. */
  readonly #dateless = new Set<string>();
  #dateTimer: NodeJS.Timeout | undefined;
  /** The image about which this window has asked. */
  #asked: string | undefined;
  /** Of the changes by other windows. */
  #watcher: { readonly close: () => void } | undefined;
  /** Runs everything in order. */
  readonly #queue = new Queue();

  /** @param folder the folder of the extension */
  constructor(
    folder: string,
    window: () => readonly [Settings, Pick<Supervisor, 'status' | 'settingsChanged' | 'check'>],
    onFailure: (error: unknown) => void,
  ) {
    this.#choices = new ImageChoices(folder);
    this.#window = window;
    this.#onFailure = onFailure;
    this.#focus = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void this.look();
    });
  }

  /** For the proxy. */
  rules(): ImageRules {
    const [{ confirmNewImages: confirm, proxy }] = this.#window();
    const known = this.#known?.backendUrl === proxy.backendUrl ? this.#known.choice : undefined;
    const { last, accepted, refused } = known ?? NO_CHOICE;
    const isFirst = last === null && accepted.length === 0 && refused.length === 0;
    const acceptsFirst = known !== undefined && isFirst && !this.#choices.hadChoice(proxy.backendUrl);
    return { confirm, acceptsFirst, last, accepted, refused };
  }

  /** Reads the choices. To be called before the proxy starts, or gets other settings. Never rejects. */
  async load(): Promise<void> {
    await this.#enqueue(() => this.#read());
  }

  /** Tells and asks the user what the current status requires. Never rejects. */
  look(): Promise<void> {
    return this.#enqueue(async () => {
      const [, { status }] = this.#window();
      if (status.kind !== 'running') return;
      const { backendUrl, verified, newImage } = status;
      // While an image waits for consent, the session in use is an earlier one.
      if (newImage?.refused === false) this.#askOnce(backendUrl, newImage);
      else if (verified?.kind === 'verified' && !newImage) await this.#noteUse(backendUrl, verified);
    });
  }

  /** Shows the question again, also for an image that was refused. */
  async review(): Promise<void> {
    const [, { status }] = this.#window();
    if (status.kind === 'running' && status.newImage) {
      await this.#ask(status, status.newImage, true);
    } else {
      void vscode.window.showInformationMessage('The enclave runs no new image that you need to review.');
    }
  }

  dispose(): void {
    this.#focus.dispose();
    clearTimeout(this.#dateTimer);
    this.#unwatch();
  }

  /** Tells the user if this is another image than last time. Of all windows, the first one with the focus does. */
  async #noteUse(backendUrl: string, verified: VerifiedSummary): Promise<void> {
    const { pcr0, listedSince } = verified;
    const { last } = await this.#choices.read(backendUrl);
    if (last === pcr0) return;
    if (last !== null) {
      if (!vscode.window.state.focused) return;
      if (listedSince === undefined && !this.#dateless.has(pcr0)) {
        this.#awaitDate(pcr0);
        return;
      }
    }
    if (this.#watcher === undefined) await this.#read(); // all data was removed, and the user has started again
    const isNew = await this.#choices.change(backendUrl, (before) => seen(before, pcr0));
    if (!isNew || last === null) return;
    const message = asNotice(imageChange(backendUrl, verified));
    offerCommands(vscode.window.showInformationMessage, message, 'showAttestation').catch(this.#onFailure);
  }

  #awaitDate(pcr0: string): void {
    if (this.#dateTimer !== undefined) return;
    this.#dateTimer = setTimeout(() => {
      this.#dateTimer = undefined;
      this.#dateless.add(pcr0);
      void this.look();
    }, DATE_LIMIT);
  }

  /** Asks once about each image, in a window that has the focus. */
  #askOnce(backendUrl: string, image: NewImage): void {
    if (this.#asked === image.pcr0 || !vscode.window.state.focused) return;
    this.#asked = image.pcr0;
    this.#ask({ backendUrl }, image, false).catch(this.#onFailure);
  }

  async #ask({ backendUrl }: Pick<RunningStatus, 'backendUrl'>, image: NewImage, modal: boolean): Promise<void> {
    const [question, detail] = imageQuestion(backendUrl, image).map(asNotice);
    const answer = modal
      ? await vscode.window.showWarningMessage(question ?? '', { modal, detail: detail ?? '' }, USE_IMAGE, REFUSE_IMAGE)
      : await vscode.window.showWarningMessage(`${question} ${detail}`, USE_IMAGE, REFUSE_IMAGE);
    if (answer === undefined) return;
    await this.#enqueue(async () => {
      // Another window may show the same notification, and have the answer.
      const isOpen = ({ accepted, refused }: ImageChoice) => ![...accepted, ...refused].includes(image.pcr0);
      const decide = (before: ImageChoice) =>
        modal || isOpen(before) ? decided(before, image.pcr0, answer === USE_IMAGE) : undefined;
      const isChanged = await this.#choices.change(backendUrl, decide);
      await this.#reload(); // the answer of another window may not have been noticed
      if (!isChanged)
        void vscode.window.showInformationMessage('You have already answered this question. Nothing was changed.');
    });
  }

  /** Reads what this window or another one has changed, and passes it on. */
  async #reload(): Promise<void> {
    const before = JSON.stringify(this.rules());
    await this.#read();
    if (JSON.stringify(this.rules()) !== before) this.#passOn().catch(this.#onFailure);
  }

  async #passOn(): Promise<void> {
    const [, supervisor] = this.#window();
    await supervisor.settingsChanged();
    const { status } = supervisor;
    if (status.kind !== 'running') return;
    const isInUse = status.verified?.kind === 'verified' && this.rules().refused.includes(status.verified.pcr0);
    // After a refusal, no request waits that would use the image now, and the session in use has ended.
    if (status.newImage || isInUse) await supervisor.check();
  }

  async #read(): Promise<void> {
    const [{ proxy }] = this.#window();
    const { backendUrl } = proxy;
    try {
      this.#known = { backendUrl, choice: await this.#choices.read(backendUrl) };
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
    this.#watcher ??= await this.#choices.watch((isGone) => {
      if (!isGone) void this.#enqueue(() => this.#reload());
      else this.#unwatch();
    });
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #enqueue(act: () => Promise<void>): Promise<void> {
    return this.#queue.run(act).catch(this.#onFailure);
  }
}
