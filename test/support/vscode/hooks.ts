// Takes a screenshot of every open window after a test that failed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fromRoot } from '../e2e/process.ts';

/** The open windows. */
export const openPages = new Set<Page>();

export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state !== 'failed') return;
    const folder = fromRoot('.cache/screenshots/failed');
    mkdirSync(folder, { recursive: true });
    const name = this.currentTest.fullTitle().replaceAll(/\W+/g, '-').slice(0, 100);
    let number = 0;
    for (const page of openPages) {
      await page.screenshot({ path: join(folder, `${name}-${++number}.png`), timeout: 5000 }).catch(() => undefined);
    }
  },
};
