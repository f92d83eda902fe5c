// Pictures of each section in each theme: .cache/screenshots/dashboard-*.png
import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { SECTIONS } from '../../src/dashboard/model.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { DashboardView, THEMES, launchBrowser } from './support/browser.ts';
import { requests, usage, verifiedState } from './support/samples.ts';

const FOLDER = fromRoot('.cache/screenshots');

describe('The dashboard', () => {
  let browser: Browser;
  before(async () => {
    mkdirSync(FOLDER, { recursive: true });
    browser = await launchBrowser();
  });
  after(() => browser.close());

  for (const theme of THEMES) {
    it(`has pictures in the theme ${theme}`, async () => {
      const now = Date.now();
      const view = await DashboardView.open(browser, { theme });
      await view.show({ type: 'state', state: verifiedState(now) }, requests(now, 500), usage(now));
      for (const section of SECTIONS) {
        await view.show({ type: 'show', section });
        await view.page.screenshot({ path: `${FOLDER}/dashboard-${section}-${theme}.png` });
      }
      await view.close();
    });
  }
});
