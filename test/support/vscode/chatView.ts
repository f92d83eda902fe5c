// VS Code's own chat, as a person sees it.
import type { Locator } from 'playwright-core';
import { withTimeout } from '../withTimeout.ts';
import type { Bridge } from './bridge.ts';
import { VISIBLE } from './workbench.ts';
import type { Workbench } from './workbench.ts';

export class ChatView {
  readonly #window: Workbench;

  private constructor(window: Workbench) {
    this.#window = window;
  }

  /** Opens it as soon as it answers: whoever asks before is asked to sign in to a service that no model of ours needs. */
  static async open(window: Workbench): Promise<ChatView> {
    const { bridge } = window;
    await bridge.command('workbench.action.chat.manage'); // until then, a fresh profile has no chat
    await bridge.command('workbench.action.closeAllEditors');
    await withTimeout("the extension behind the editor's chat", VISIBLE, activateChat(bridge));
    await bridge.command('workbench.action.chat.open');
    return new ChatView(window);
  }

  /** Looks up the models in the picker, and keeps a picture of them. Returns what the rows say. */
  async models(picture: string): Promise<string[]> {
    await this.#picker.click();
    await this.#models.filter({ hasText: 'Other Models' }).click();
    await this.#models.filter({ hasText: 'GLM' }).waitFor();
    const rows = await this.#models.allInnerTexts();
    await this.#window.screenshot(picture);
    await this.#window.page.keyboard.press('Escape');
    await this.#models.first().waitFor({ state: 'hidden' });
    return rows;
  }

  async choose(model: string): Promise<void> {
    await this.#picker.click();
    await this.#window.page.getByPlaceholder('Search models').fill(model);
    await this.#models.filter({ hasText: model }).click();
    await this.#picker.filter({ hasText: model }).waitFor();
  }

  async ask(words: string): Promise<void> {
    await this.#idle();
    await this.#window.page.locator('.interactive-input-part .monaco-editor').first().click();
    await this.#window.page.keyboard.type(words);
    await this.#window.page.keyboard.press('Enter');
  }

  /** All that stands below the last question. */
  get answer(): Locator {
    return this.#window.page.locator('.interactive-response').last();
  }

  /** What the model thinks and does before it answers. */
  get thinking(): Locator {
    return this.answer.locator('.chat-thinking-box');
  }

  /** Ends the answer that is running. */
  async stop(): Promise<void> {
    await this.#stopButton.click();
    await this.#idle();
  }

  /** Looks up how full the context is after an answer, and keeps a picture of it. */
  async contextUsage(picture: string): Promise<string> {
    await this.#idle();
    const { page } = this.#window;
    await page.locator('.chat-context-usage-widget').hover();
    const details = page.locator('.chat-context-usage-details');
    await details.waitFor();
    const text = await details.innerText();
    await this.#window.screenshot(picture);
    await page.mouse.move(300, 300);
    await details.waitFor({ state: 'hidden' });
    return text;
  }

  /** No answer is running any more. */
  async #idle(): Promise<void> {
    await this.#stopButton.waitFor({ state: 'hidden' });
  }

  get #stopButton(): Locator {
    return this.#window.page.locator('.interactive-input-part .codicon-stop-circle');
  }

  get #models(): Locator {
    return this.#window.page.locator('.action-widget .monaco-list-row');
  }

  get #picker(): Locator {
    return this.#window.page.locator('.model-picker-name');
  }
}

/** Resolves when the extension behind the chat is there and has registered whom the chat asks. */
function activateChat(bridge: Bridge): Promise<void> {
  return bridge.run(async ({ extensions }, id) => {
    while (extensions.getExtension(id) === undefined) {
      await new Promise<void>((resolve) => {
        const subscription = extensions.onDidChange(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
    await extensions.getExtension(id)?.activate();
  }, 'GitHub.copilot-chat');
}
