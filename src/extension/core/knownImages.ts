// What the user has said about the enclave images of the backend, as it is on the disk now.
import * as vscode from 'vscode';
import { ImageChoices, NO_CHOICE } from '../../keys/imageChoices.ts';
import type { ImageChoice } from '../../keys/imageChoices.ts';
import type { Settings } from '../../settings/editorSettings.ts';
import type { ImageRules } from '../../shared/messages.ts';
import { Queue } from '../../shared/queue.ts';

export class KnownImages implements vscode.Disposable {
  readonly #choices: ImageChoices;
  readonly #settings: () => Settings;
  readonly #onFailure: (error: unknown) => void;
  readonly #changed = new vscode.EventEmitter<void>();
  /** This window or another one has changed the rules. */
  readonly onDidChange = this.#changed.event;
  /** Of the backend with this URL; undefined if the choice could not be read. */
  #known: { readonly backendUrl: string; readonly choice: ImageChoice } | undefined;
  /** Of the changes by other windows. */
  #watcher: { readonly close: () => void } | undefined;
  readonly #queue = new Queue();

  /** @param folder the folder of the extension */
  constructor(folder: string, settings: () => Settings, onFailure: (error: unknown) => void) {
    this.#choices = new ImageChoices(folder);
    this.#settings = settings;
    this.#onFailure = onFailure;
  }

  /** For the proxy. */
  rules(): ImageRules {
    const { confirmNewImages: confirm, proxy } = this.#settings();
    const known = this.#known?.backendUrl === proxy.backendUrl ? this.#known.choice : undefined;
    const { last, accepted, refused } = known ?? NO_CHOICE;
    const isFirst = last === null && accepted.length === 0 && refused.length === 0;
    const acceptsFirst = known !== undefined && isFirst && !this.#choices.hadChoice(proxy.backendUrl);
    return { confirm, acceptsFirst, last, accepted, refused };
  }

  /** Reads the choices. To be called before the proxy starts, or gets other settings. Never rejects. */
  async load(): Promise<void> {
    await this.inOrder(() => this.#read());
  }

  /** Runs this after what reads and changes the choices. Never rejects. */
  inOrder(act: () => Promise<void>): Promise<void> {
    return this.#queue.run(act).catch(this.#onFailure);
  }

  /** What the user has said about the images of this backend. */
  choice(backendUrl: string): Promise<ImageChoice> {
    return this.#choices.read(backendUrl);
  }

  /** Stores the image that was used last. True if another window has not. */
  async noteUse(backendUrl: string, next: Parameters<ImageChoices['change']>[1]): Promise<boolean> {
    if (this.#watcher === undefined) await this.#read(); // all data was removed, and the user has started again
    return this.#choices.change(backendUrl, next);
  }

  /** Stores the user's answer. True if it is a new one. */
  async decide(backendUrl: string, next: Parameters<ImageChoices['change']>[1]): Promise<boolean> {
    const isChanged = await this.#choices.change(backendUrl, next);
    await this.#reload(); // the answer of another window may not have been noticed
    return isChanged;
  }

  dispose(): void {
    this.#unwatch();
    this.#changed.dispose();
  }

  /** Reads what this window or another one has changed, and passes it on. */
  async #reload(): Promise<void> {
    const before = JSON.stringify(this.rules());
    await this.#read();
    if (JSON.stringify(this.rules()) !== before) this.#changed.fire();
  }

  async #read(): Promise<void> {
    const { backendUrl } = this.#settings().proxy;
    try {
      this.#known = { backendUrl, choice: await this.#choices.read(backendUrl) };
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
    this.#watcher ??= await this.#choices.watch((isGone) => {
      if (!isGone) void this.inOrder(() => this.#reload());
      else this.#unwatch();
    });
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
