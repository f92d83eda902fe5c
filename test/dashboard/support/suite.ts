// What the tests of the dashboard share: one browser for a file, and no fault after any test.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { Section } from '../../../src/dashboard/model.ts';
import { DashboardView, launchBrowser } from './browser.ts';
import type { OpenOptions } from './browser.ts';
import { verifiedState } from './samples.ts';

export const NOW = Date.now();
export const STATE = { type: 'state', state: verifiedState(NOW) } as const;

interface DashboardSuite {
  open(options?: OpenOptions): Promise<DashboardView>;
  /** Opens it in the state `STATE`, without requests and usage. */
  openAt(section: Section, options?: OpenOptions): Promise<DashboardView>;
}

/** Dashboards that end with the test that opened them. */
export function dashboardSuite(): DashboardSuite {
  let browser: Browser | undefined;
  const views: DashboardView[] = [];
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());
  afterEach(async () => {
    for (const view of views.splice(0)) {
      const faults = await view.faults();
      await view.close();
      assert.deepEqual(faults, [], 'errors, or violations of the content security policy');
    }
  });
  const open = async (options?: OpenOptions): Promise<DashboardView> => {
    assert.ok(browser);
    const view = await DashboardView.open(browser, options);
    views.push(view);
    return view;
  };
  return {
    open,
    openAt: async (section, options) => {
      const view = await open(options);
      await view.show(STATE, { type: 'show', section });
      return view;
    },
  };
}

export function trimmed(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim());
}
