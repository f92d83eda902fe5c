// The dashboard of one window, as a user sees it.
import type { FrameLocator, Locator } from 'playwright-core';
import { eventually } from '../withTimeout.ts';
import type { Workbench } from './workbench.ts';

/** By the names of the screenshots: the id of the theme, and the class of a web view in it. */
const THEMES = {
  light: ['Light Modern', 'vscode-light'],
  dark: ['Dark Modern', 'vscode-dark'],
  'high-contrast': ['Default High Contrast', 'vscode-high-contrast'],
} as const;

export type SectionTitle =
  'Overview' | 'Where Prompts Go' | 'Side Prompts' | 'Attestation' | 'Requests' | 'Usage over Time' | 'Clients';

export class DashboardTab {
  readonly #window: Workbench;
  /** What the pages have reported about their content security policies. */
  readonly violations: string[] = [];

  constructor(window: Workbench) {
    this.#window = window;
    window.page.on('console', (message) => {
      const isOurs = /dashboard\.(js|css)|sealedProxy|fake\.html/.test(message.location().url + message.text());
      if (isOurs && /Content Security Policy/i.test(message.text())) this.violations.push(message.text());
    });
  }

  /** The page in the visible web view. */
  get frame(): FrameLocator {
    return this.#window.page
      .locator('iframe.webview.ready:visible')
      .last()
      .contentFrame()
      .frameLocator('#active-frame');
  }

  get body(): Locator {
    return this.frame.locator('body');
  }

  /** The tab of the editor. */
  get tab(): Locator {
    return this.#window.page.locator('.tab').filter({ hasText: 'Sealed Proxy' });
  }

  async open(): Promise<void> {
    await this.#window.runCommand('Sealed Proxy: Open Dashboard');
    await this.frame.getByRole('tab', { name: 'Overview' }).waitFor();
  }

  /** Shows a section, by a click on its tab. */
  async show(title: SectionTitle): Promise<void> {
    await this.frame.getByRole('tab', { name: title }).click();
    await this.shows(title);
  }

  /** Waits until the section is shown. */
  async shows(title: SectionTitle): Promise<void> {
    await this.frame.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  /** Opens what the overview shows to those who want more. */
  async showMore(): Promise<void> {
    await this.frame.locator('details.more > summary').click();
  }

  /** Waits for a text in the section. */
  async reads(text: string | RegExp): Promise<void> {
    await this.frame.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** The cells of the first row with this text. */
  async row(text: string | RegExp): Promise<readonly string[]> {
    const row = this.frame.getByRole('row').filter({ hasText: text }).first();
    await row.waitFor();
    return row.locator('th, td').allInnerTexts();
  }

  /** The text of the first request with this text, in one line. */
  async request(text: string): Promise<string> {
    const item = this.frame.locator('.requests > li').filter({ hasText: text }).first();
    return (await item.innerText()).replaceAll(/\s+/g, ' ').trim();
  }

  /** Presses a button or chooses an option of the page, by its accessible name. */
  async press(name: string): Promise<void> {
    const labelled = this.frame.locator(`vscode-button[aria-label="${name}"]`);
    const titled = this.frame.locator('vscode-button, label').filter({ hasText: new RegExp(`^\\s*${name}\\s*$`) });
    await labelled.or(titled).filter({ visible: true }).first().click();
  }

  /** Takes a screenshot in each theme, as `dashboard-NAME-THEME`, and restores the first theme. */
  async pictures(name: string): Promise<void> {
    for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
      await this.#choose(theme);
      await this.#window.screenshot(`dashboard-${name}-${theme}`);
    }
    await this.#choose('dark');
  }

  async #choose(theme: keyof typeof THEMES): Promise<void> {
    const [id, cssClass] = THEMES[theme];
    await this.#window.bridge.run(
      (editor, value) =>
        editor.workspace.getConfiguration('workbench').update('colorTheme', value, editor.ConfigurationTarget.Global),
      id,
    );
    await eventually(`the theme ${id}`, async () =>
      new RegExp(`\\b${cssClass}( |$)`).test((await this.body.getAttribute('class')) ?? ''),
    );
  }
}
