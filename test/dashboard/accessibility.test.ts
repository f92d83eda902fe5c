import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import type { ToDashboard } from '../../src/dashboard/messages.ts';
import { SECTIONS } from '../../src/dashboard/model.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { THEMES } from './support/browser.ts';
import { developmentState, failures, refusedState, requests, usage, verifiedState } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

const AXE = readFileSync(fromRoot('node_modules/axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2 AA and best practices. */
const RULES: RunOptions = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };

declare const axe: { run: (options: RunOptions) => Promise<AxeResults> };

function states(now: number): Readonly<Record<string, readonly ToDashboard[]>> {
  return {
    verified: [{ type: 'state', state: verifiedState(now) }, failures(now), shortUsage(now)],
    refused: [
      { type: 'state', state: refusedState(now) },
      requests(now, 0, 0),
      usage(now, { recording: false, series: [] }),
    ],
    development: [{ type: 'state', state: { ...developmentState(now), clients: [] } }],
  };
}

/** With few values, because their tables are open. */
function shortUsage(now: number): ToDashboard {
  const { view } = usage(now);
  const series = view.series.map((one) => ({
    name: one.name,
    requests: one.requests.slice(-8),
    errors: one.errors.slice(-8),
    tokensIn: one.tokensIn.slice(-8),
    tokensOut: one.tokensOut.slice(-8),
  }));
  const [times, median, percentile95] = [view.times.slice(-8), view.median.slice(-8), view.percentile95.slice(-8)];
  return { type: 'usage', view: { ...view, times, series, median, percentile95 } };
}

describe('The dashboard, for axe-core,', function () {
  const suite = dashboardSuite();

  for (const theme of THEMES) {
    for (const [state, messages] of Object.entries(states(NOW))) {
      // The verified state has most elements.
      if (state !== 'verified' && (theme === 'dark' || theme === 'highContrastLight')) continue;
      it(`has no fault in any section in the theme ${theme}, ${state}`, async () => {
        const view = await suite.open({ theme });
        await view.show(...messages);
        await view.page.evaluate(AXE);
        for (const section of SECTIONS) {
          await view.show({ type: 'show', section });
          await view.page.evaluate(() => {
            for (const details of document.querySelectorAll('details')) details.open = true;
          });
          await view.show();
          const { violations, passes } = await view.page.evaluate((rules) => axe.run(rules), RULES);
          const found = violations.map(
            ({ id, nodes }) => `${section}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
          );
          assert.deepEqual(found, []);
          assert.ok(
            passes.some(({ id }) => id === 'color-contrast'),
            'contrast was not measured',
          );
        }
      });
    }
  }
});
