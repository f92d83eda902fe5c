// One window of VS Code, as a user sees it.
import assert, { AssertionError } from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { fromRoot } from '../e2e/process.ts';
import { DEADLINE, eventually } from '../withTimeout.ts';
import type { Bridge } from './bridge.ts';

const SCREENSHOTS = fromRoot('.cache/screenshots');
const PICTURES = join(SCREENSHOTS, 'walkthrough');
/** In milliseconds, until the mouse tries again. */
const ATTEMPT = 5000;

/** In pixels. */
export interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Workbench {
  readonly page: Page;
  readonly bridge: Bridge;

  constructor(page: Page, bridge: Bridge) {
    this.page = page;
    this.bridge = bridge;
    page.setDefaultTimeout(DEADLINE);
  }

  /** The status bar item of Sealed Proxy. */
  get item(): Locator {
    return this.page.locator('[id="sealed-proxy.sealed-proxy.sealedProxy.status"]');
  }

  /** Waits until the item has exactly this text and this icon. */
  async waitForStatus(text: string | RegExp, icon?: string): Promise<void> {
    const expected = typeof text === 'string' ? new RegExp(`^\\s*${text.replaceAll(/[()]/g, '\\$&')}\\s*$`) : text;
    let shown = this.item.filter({ hasText: expected });
    if (icon !== undefined) shown = shown.filter({ has: this.page.locator(`.codicon-${icon}`) });
    try {
      await shown.waitFor();
    } catch (cause) {
      const classes = await this.item.locator('.codicon').first().getAttribute('class');
      throw new Error(`The status bar shows "${(await this.item.textContent()) ?? ''}" (${classes}), not ${expected}`, {
        cause,
      });
    }
  }

  /**
   * Opens the tooltip, passes it to `use`, and closes it. The editor closes it too soon if the item changes in the meantime:
   * then all is done again.
   */
  async inTooltip<T>(use: (tooltip: Locator) => Promise<T>): Promise<T> {
    const end = performance.now() + DEADLINE;
    for (;;) {
      await this.pointAt(this.item, this.#tooltip);
      try {
        this.page.setDefaultTimeout(ATTEMPT);
        return await use(this.#tooltip);
      } catch (error) {
        if (performance.now() > end || error instanceof AssertionError) throw error;
      } finally {
        this.page.setDefaultTimeout(DEADLINE);
        await this.#closeTooltip();
      }
    }
  }

  /**
   * Moves the mouse to `target` until this shows `effect`. A tooltip of another part may cover the target: the mouse leaves,
   * which closes that tooltip, and comes again.
   */
  async pointAt(target: Locator, effect: Locator): Promise<void> {
    await eventually(`${target.toString()} to show ${effect.toString()}`, async () => {
      try {
        await target.hover({ timeout: ATTEMPT });
        await effect.waitFor({ timeout: ATTEMPT });
        return true;
      } catch {
        await this.moveAway();
        return false;
      }
    });
  }

  /** Moves the mouse to where it shows nothing. */
  async moveAway(): Promise<void> {
    await this.page.mouse.move(300, 300);
  }

  async #closeTooltip(): Promise<void> {
    await this.moveAway();
    try {
      await this.#tooltip.waitFor({ state: 'hidden', timeout: ATTEMPT });
    } catch {
      await this.page.keyboard.press('Escape'); // a tooltip with the keyboard focus stays when the mouse leaves
      await this.#tooltip.waitFor({ state: 'hidden' });
    }
  }

  get #tooltip(): Locator {
    return this.page.locator('.workbench-hover:visible').filter({ hasText: 'Sealed Proxy' }).last();
  }

  /** Runs a command from the palette, by its title. */
  async runCommand(title: string): Promise<void> {
    await this.openPalette(`>${title}`);
    await this.row(title).click();
  }

  /** The rows of the palette for this text. */
  async offered(text: string): Promise<string[]> {
    await this.openPalette(`>${text}`);
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: text }).first().waitFor();
    const labels = new Set(await rows.allInnerTexts());
    // The list contains only the rows that fit.
    while ((await this.page.locator('.quick-input-list .monaco-list-row[data-last-element="true"]').count()) === 0) {
      await this.page.keyboard.press('PageDown');
      for (const label of await rows.allInnerTexts()) labels.add(label);
    }
    await this.page.keyboard.press('Escape');
    return [...labels];
  }

  async openPalette(text: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.quickInput.locator('input[type="text"], input.input').first();
    await input.waitFor();
    await input.fill(text);
  }

  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** A row of the open list, by the beginning of its label. */
  row(label: string): Locator {
    return this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${label}"]`).first();
  }

  /** A row of the open list, by a part of its label, which may begin with an icon. */
  option(label: string): Locator {
    const named = this.page.locator('.quick-input-list-label, .label-name').filter({ hasText: label });
    return this.page.locator('.quick-input-list .monaco-list-row').filter({ has: named }).first();
  }

  /** Enters text into the open input box with this title. */
  async enterText(title: string, text: string): Promise<void> {
    const box = this.quickInput.filter({ hasText: title });
    await box.waitFor();
    await box.locator('input').last().fill(text);
    await this.page.keyboard.press('Enter');
  }

  async setApiKey(key: string): Promise<void> {
    await this.runCommand('Sealed Proxy: Set API Key');
    await this.enterText('Sealed Proxy: Set API Key', key);
  }

  /** The notification with this text. */
  toast(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast').filter({ hasText: text }).first();
  }

  /** Waits for a notification, which has this button, then closes all of them. */
  async dismiss(text: string | RegExp, button?: string): Promise<void> {
    let notification = this.toast(text);
    try {
      await notification.waitFor({ timeout: 20_000 });
    } catch {
      // The editor hides most toasts after ten seconds, maybe before a busy computer has looked; its list still has them.
      await this.bridge.command('notifications.showList');
      notification = this.page.locator('.notifications-center .notification-list-item').filter({ hasText: text });
      await notification.waitFor();
    }
    if (button !== undefined) assert.equal(await notification.getByRole('button', { name: button }).count(), 1);
    await this.bridge.command('notifications.clearAll');
    await this.toast(text).waitFor({ state: 'detached' });
  }

  /** Presses a button of the modal dialog with this text. */
  async press(text: string | RegExp, button: string): Promise<void> {
    const dialog = this.page.locator('.monaco-dialog-box').filter({ hasText: text });
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Presses a button in the title bar of the diff editor that shows a change. */
  async decide(button: 'Write These Changes' | 'Cancel These Changes'): Promise<void> {
    const actions = this.page.locator('.editor-group-container.active .editor-actions');
    await actions.getByRole('button', { name: button }).click();
  }

  /** Takes two screenshots of a state: without and with the tooltip. Returns the tooltip's text. */
  async picture(name: string): Promise<string> {
    await this.#closeTooltip();
    await this.screenshot(name);
    return this.inTooltip(async (tooltip) => {
      await this.screenshot(`${name}-tooltip`);
      return tooltip.innerText();
    });
  }

  /** Takes a screenshot, to be looked at. */
  async screenshot(name: string): Promise<void> {
    await saveScreenshot(this.page, name);
  }

  /** Runs diagnostics, saves a screenshot and the text as `diagnosis-NAME`, closes it, and returns the text. */
  async diagnosis(name: string): Promise<string> {
    const text = await this.runDiagnostics();
    await this.screenshot(`diagnosis-${name}`);
    writeFileSync(join(SCREENSHOTS, `diagnosis-${name}.txt`), text);
    await this.bridge.command('workbench.action.closeAllEditors');
    return text;
  }

  /** Runs diagnostics, and returns the text of the report, which stays open. */
  async runDiagnostics(): Promise<string> {
    const requestedAt = new Date().toISOString();
    await this.runCommand('Sealed Proxy: Run Diagnostics');
    const body = this.page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('body');
    let text = '';
    // The editor may still show the previous report for a moment.
    await eventually('the new report', async () => {
      text = await body.innerText();
      return (/\b[\dT:.-]{20,23}Z$/m.exec(text)?.[0] ?? '') >= requestedAt;
    });
    return text;
  }

  /**
   * Takes screenshots of a part of the window, for the walkthrough and the README: one in a light theme, and `NAME-dark`.
   * What is open stays open.
   */
  async cutout(name: string, clip: Clip): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    for (const [file, theme, cssClass] of [
      [`${name}-dark`, 'Dark Modern', 'vs-dark'],
      [name, 'Light Modern', 'vs'],
    ] as const) {
      await this.bridge.run(
        ({ workspace, ConfigurationTarget }, value) =>
          workspace.getConfiguration('workbench').update('colorTheme', value, ConfigurationTarget.Global),
        theme,
      );
      await this.page.locator(`.monaco-workbench.${cssClass}`).waitFor();
      await this.page.screenshot({ path: join(PICTURES, `${file}.png`), animations: 'disabled', clip });
    }
  }
}

/** Takes a screenshot of a page, to be looked at. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: 'disabled' });
}
