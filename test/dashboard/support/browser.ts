// The dashboard's bundle in a real browser, with the page and the content security policy that the editor shows, and the
// variables of the editor's themes.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, Locator, Page } from 'playwright-core';
import type { FromDashboard, ToDashboard } from '../../../src/dashboard/messages.ts';
import { dashboardPage } from '../../../src/dashboard/page.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { BROWSER_ARGS } from '../../support/vscode/serverEditor.ts';

/** Recorded from VS Code's own themes: Light Modern, Dark Modern, and both high-contrast ones. */
const THEME_VARIABLES = JSON.parse(readFileSync(fromRoot('test/fixtures/vscode-themes.json'), 'utf8')) as Record<
  Theme,
  { readonly bodyClass: string; readonly variables: Readonly<Record<string, string>> }
>;
export const THEMES = ['light', 'dark', 'highContrast', 'highContrastLight'] as const;
export type Theme = (typeof THEMES)[number];

/** Not a real host: the browser's requests end in this process. */
const ORIGIN = 'https://dashboard.test';

/** What the page has reported, in the browser. */
interface Recorded {
  sent: FromDashboard[];
  saved: unknown;
  violations: string[];
  errors: string[];
}

declare global {
  var recorded: Recorded;
  /** Posts messages to the page. Resolves when it has rendered them. */
  var post: (messages: readonly ToDashboard[]) => Promise<void>;
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['DASHBOARD_BROWSER'];
  if (executablePath === undefined) throw new Error('Run the tests of the dashboard with scripts/dashboard.mjs.');
  return chromium.launch({ executablePath, headless: true, args: BROWSER_ARGS });
}

export interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** What the web view has saved before. */
  readonly saved?: unknown;
}

export class DashboardView {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens the dashboard and waits until it has asked for everything. */
  static async open(browser: Browser, options: OpenOptions = {}): Promise<DashboardView> {
    const { theme = 'dark', width = 1100, height = 800, saved } = options;
    const page = await browser.newPage({ viewport: { width, height }, locale: 'en-GB', timezoneId: 'Europe/Vienna' });
    await page.route(`${ORIGIN}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      const types: Readonly<Record<string, string>> = {
        '/dashboard.js': 'text/javascript',
        '/dashboard.css': 'text/css',
      };
      const contentType = types[pathname];
      if (contentType !== undefined) return route.fulfill({ path: fromRoot(`dist${pathname}`), contentType });
      const urls = { scriptUri: `${ORIGIN}/dashboard.js`, styleUri: `${ORIGIN}/dashboard.css` };
      return route.fulfill({
        body: dashboardPage({ cspSource: ORIGIN, nonce: 'n0nce', ...urls }),
        contentType: 'text/html',
      });
    });
    await page.addInitScript(prepare, saved);
    await page.goto(`${ORIGIN}/`);
    const view = new DashboardView(page);
    await view.setTheme(theme);
    await page.waitForFunction(() => globalThis.recorded.sent.some(({ type }) => type === 'ready'));
    return view;
  }

  /** As the editor does it: variables on the root, the kind of theme on the body. */
  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(({ bodyClass, variables }) => {
      const root = document.documentElement;
      root.removeAttribute('style');
      for (const [name, value] of Object.entries(variables)) root.style.setProperty(name, value);
      document.body.className = bodyClass;
    }, THEME_VARIABLES[theme]);
  }

  /** Sends messages and waits until they are rendered. */
  async show(...messages: readonly ToDashboard[]): Promise<void> {
    await this.page.evaluate((all) => globalThis.post(all), messages);
  }

  /** The messages to the extension so far. */
  sent(): Promise<FromDashboard[]> {
    return this.page.evaluate(() => globalThis.recorded.sent);
  }

  /** The messages that followed from what the user did. */
  async actions(): Promise<FromDashboard[]> {
    return (await this.sent()).slice(2);
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name });
  }

  /** The text of the section, in one line. */
  async panel(): Promise<string> {
    const text = await this.page.locator('#panel').innerText();
    return text.replaceAll(/\s+/g, ' ').trim();
  }

  /** The picture of the first chart. */
  pixels(): Promise<string | undefined> {
    return this.page.evaluate(() => document.querySelector('canvas')?.toDataURL());
  }

  /** How many pixels of the first chart are not grey: those of bars. */
  coloredPixels(): Promise<number> {
    return this.page.evaluate(() => {
      const canvas = document.querySelector('canvas');
      const { data = [] } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
      return Array.from({ length: data.length / 4 }, (_, index) => data.slice(index * 4, index * 4 + 4)).filter(
        ([red = 0, green = 0, blue = 0, alpha = 0]) =>
          alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60,
      ).length;
    });
  }

  saved(): Promise<unknown> {
    return this.page.evaluate(() => globalThis.recorded.saved);
  }

  /** Violations of the content security policy, and uncaught errors. */
  faults(): Promise<string[]> {
    return this.page.evaluate(() => [...globalThis.recorded.violations, ...globalThis.recorded.errors]);
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

/** Runs in the page before its own script. */
function prepare(saved: unknown): void {
  globalThis.recorded = { sent: [], saved, violations: [], errors: [] };
  Object.assign(globalThis, {
    acquireVsCodeApi: () => ({
      postMessage: (message: FromDashboard) => recorded.sent.push(message),
      getState: () => recorded.saved,
      setState: (state: unknown) => (recorded.saved = state),
    }),
  });
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
    recorded.violations.push(`${violatedDirective}: ${blockedURI} ${sourceFile}:${lineNumber}`);
  });
  addEventListener('error', ({ message }) => recorded.errors.push(message));
  addEventListener('unhandledrejection', ({ reason }) => recorded.errors.push(String(reason)));
  globalThis.post = async (messages) => {
    let left = messages.length;
    const arrived = new Promise<void>((resolve) => {
      const count = () => {
        if (--left > 0) return;
        removeEventListener('message', count);
        resolve();
      };
      if (left > 0) addEventListener('message', count);
      else resolve();
    });
    for (const message of messages) window.postMessage(message, '*');
    await arrived;
    // Each frame renders what has arrived before it.
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  };
}
