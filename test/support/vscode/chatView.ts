// VS Code's own chat, as a user sees it.
import type { Locator, Page } from 'playwright-core';
import { DEADLINE, eventually, withTimeout } from '../withTimeout.ts';
import type { Bridge } from './bridge.ts';
import type { Workbench } from './workbench.ts';

export class ChatView {
  readonly #window: Workbench;

  private constructor(window: Workbench) {
    this.#window = window;
  }

  /** Opens the chat once it is ready. Before that, it asks the user to sign in to a service that the tests do not need. */
  static async open(window: Workbench): Promise<ChatView> {
    const { bridge } = window;
    await bridge.command('workbench.action.chat.manage'); // a new profile has no chat before this
    await bridge.command('workbench.action.closeAllEditors');
    await withTimeout("the extension behind the editor's chat", DEADLINE, activateChat(bridge));
    await bridge.command('workbench.action.chat.open');
    return new ChatView(window);
  }

  /** The chat that a command of the product has opened: in a new profile, and without an account. */
  static async opened(window: Workbench): Promise<ChatView> {
    const chat = new ChatView(window);
    await chat.#picker.filter({ hasText: /\S/ }).waitFor();
    return chat;
  }

  /** Opens the model picker and takes a screenshot. Returns the text of its rows. */
  async models(screenshot: string): Promise<string[]> {
    await this.#picker.click();
    await this.#models.filter({ hasText: 'Other Models' }).click();
    await this.#models.filter({ hasText: 'GLM' }).waitFor();
    const rows = await this.#models.allInnerTexts();
    await this.#window.screenshot(screenshot);
    await this.#window.page.keyboard.press('Escape');
    await this.#models.first().waitFor({ state: 'hidden' });
    return rows;
  }

  /** @param row the text of its row, if other models have a similar name */
  async choose(model: string, row: string | RegExp = model): Promise<void> {
    await this.#picker.click();
    await this.#window.page.getByPlaceholder('Search models').fill(model);
    await this.#models.filter({ hasText: row }).click();
    await this.#window.page.locator(`.model-picker-name[aria-label*="${model}"]`).waitFor();
  }

  /** Chooses the reasoning effort of the selected model, and takes a screenshot of the choices. */
  async chooseEffort(label: string, screenshot: string): Promise<void> {
    const button = this.#window.page.locator('.model-picker-config');
    await button.click();
    await this.#models.filter({ hasText: label }).waitFor();
    await this.#window.screenshot(screenshot);
    await this.#models.filter({ hasText: label }).click();
    await this.#window.page.keyboard.press('Escape');
    await this.#window.page.locator(`.model-picker-config[aria-label$=": ${label}"]`).waitFor();
    await this.#models.first().waitFor({ state: 'hidden' });
  }

  /** Starts another conversation. */
  async start(): Promise<void> {
    await this.#window.bridge.command('workbench.action.chat.newChat');
    await this.answer.waitFor({ state: 'hidden' });
  }

  /** Waits until this model is selected. */
  async waitForModel(name: string): Promise<void> {
    // In a narrow view, the picker shows the reasoning effort in place of the name.
    await this.#window.page.locator(`.model-picker-name[aria-label$=", ${name}"]`).waitFor();
  }

  async ask(words: string): Promise<void> {
    await this.#idle();
    await askInChat(this.#window.page, words);
  }

  /** Everything below the last prompt. */
  get answer(): Locator {
    return this.#window.page.locator('.interactive-response').last();
  }

  /** The reasoning and the tool calls before the response. */
  get thinking(): Locator {
    return this.answer.locator('.chat-thinking-box');
  }

  /** Stops the current response. */
  async stop(): Promise<void> {
    await this.#stopButton.click();
    await this.#idle();
  }

  /** Opens the context usage after a response and takes a screenshot. Returns its text. */
  async contextUsage(screenshot: string): Promise<string> {
    await this.#idle();
    const { page } = this.#window;
    const details = page.locator('.chat-context-usage-details');
    await this.#window.pointAt(page.locator('.chat-context-usage-widget'), details);
    const text = await details.innerText();
    await this.#window.screenshot(screenshot);
    await this.#window.moveAway();
    await details.waitFor({ state: 'hidden' });
    return text;
  }

  /** Waits until no response is running. */
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

/**
 * Types a question into the chat and sends it. The editor may replace the input, with what was typed until then, while it
 * restores a conversation: then it is typed again. It ignores Enter while no model is available, as when the proxy starts.
 */
export async function askInChat(page: Page, words: string): Promise<void> {
  const input = page.locator('.interactive-input-part .monaco-editor').first();
  const bare = (text: string) => text.replaceAll(/\s/g, '');
  const isTyped = async () => bare(await input.locator('.view-lines').innerText()).includes(bare(words));
  /** The editor shows what was typed with its next frame, which takes long in a window behind another one. */
  const soon = async (typed: boolean) => {
    for (let polls = 0; polls < 20 && (await isTyped()) !== typed; polls++) await page.waitForTimeout(100);
    return (await isTyped()) === typed;
  };
  await eventually(`the question "${words}" in the input`, async () => {
    // Without the pointer: something that the editor shows, such as a hover, may cover the input.
    await input.getByRole('textbox').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(words);
    return soon(true);
  });
  await eventually(`the question "${words}" to be sent`, async () => {
    await page.keyboard.press('Enter');
    return soon(false);
  });
}

/** Resolves when the extension behind the chat is installed and active. */
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
