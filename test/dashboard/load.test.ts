// Many requests at once must not keep the editor's window busy.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ToDashboard } from '../../src/dashboard/messages.ts';
import { requests, runningRequest } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

const STREAMS = 64;
const UPDATES = 12;
/** In milliseconds; as the extension sends them. */
const INTERVAL = 250;

/** Returns a function with the milliseconds that the page's thread has worked since: not the time that others took from it. */
async function measureWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const metric = metrics.find(({ name }) => name === 'TaskDuration');
    assert.ok(metric);
    return metric.value * 1000;
  };
  const before = await worked();
  return async () => (await worked()) - before;
}

describe('The section Requests under load', () => {
  const suite = dashboardSuite();

  it('renders 500 rows with 64 running ones, and leaves the window free for most of the time', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 500, STREAMS));
    const updates = Array.from({ length: UPDATES }, (_, update): ToDashboard => {
      const rows = Array.from({ length: STREAMS }, (__, index) =>
        runningRequest(500 - STREAMS + index + 1, NOW, (update + 1) * INTERVAL + index * 1000),
      );
      return { type: 'requests', reset: false, requests: rows };
    });
    const first = await view.page.locator('.requests > li:last-child').elementHandle();
    const works: number[] = [];
    for (const update of updates) {
      const work = await measureWork(view.page);
      await view.show(update);
      works.push(await work());
    }
    const kept = await first.evaluate((row) => row === document.querySelector('.requests > li:last-child'));
    // The fastest: other programs on a busy computer slow down some of them, and slow code slows down all.
    const share = Math.min(...works) / INTERVAL;
    assert.ok(share < 0.5, `busy for ${Math.round(share * 100)} % of the time`);
    assert.ok(kept, 'rows that did not change were rendered again');
    const durations = await view.page.locator('li.running .duration').allTextContents();
    assert.equal(durations.length, STREAMS);
  });

  it('changes only the rows that a message names', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 500, 0));
    const changed = await view.page.evaluate(
      async (message) => {
        const rows = new Set<Node>();
        const observer = new MutationObserver((records) => {
          for (const { target } of records) {
            const row = (target instanceof Element ? target : target.parentElement)?.closest('li');
            if (row) rows.add(row);
          }
        });
        const body = document.querySelector('.requests');
        if (body !== null)
          observer.observe(body, { subtree: true, childList: true, characterData: true, attributes: true });
        await globalThis.post([message]);
        return [...rows].map((row) => row.textContent?.includes('999'));
      },
      {
        type: 'requests',
        reset: false,
        requests: [{ ...(requests(NOW, 500, 0).requests[250] ?? runningRequest(1, NOW, 1)), tokensOut: 999 }],
      } satisfies ToDashboard,
    );
    assert.deepEqual(changed, [true]);
  });

  it('renders nothing for requests while another section is shown', async () => {
    const view = await suite.openAt('clients');
    const changes = await view.page.evaluate(
      async (message) => {
        let count = 0;
        const observer = new MutationObserver((records) => (count += records.length));
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
        await globalThis.post([message]);
        return count;
      },
      requests(NOW, 500, STREAMS),
    );
    assert.equal(changes, 0);
  });
});
