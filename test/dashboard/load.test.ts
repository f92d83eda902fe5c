// Many requests at once must not keep the editor's window busy.
import assert from 'node:assert/strict';
import type { ToDashboard } from '../../src/dashboard/model.ts';
import { requests, runningRow } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

const STREAMS = 64;
const UPDATES = 20;
/** In milliseconds; as the extension sends them. */
const INTERVAL = 250;

describe('The section Requests under load', () => {
  const suite = dashboardSuite();

  it('renders 500 rows with 64 running ones, and leaves the window free for most of the time', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 500, STREAMS));
    const updates = Array.from({ length: UPDATES }, (_, update): ToDashboard => {
      const rows = Array.from({ length: STREAMS }, (__, index) =>
        runningRow(500 - STREAMS + index + 1, NOW, (update + 1) * INTERVAL + index * 1000),
      );
      return { type: 'requests', reset: false, rows };
    });
    const { busy, total, kept } = await view.page.evaluate(
      async ({ messages, interval }) => {
        const rowBefore = document.querySelector('tbody tr:last-child');
        let tasks = 0;
        const observer = new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) tasks += duration;
        });
        observer.observe({ type: 'longtask' });
        const start = performance.now();
        for (const message of messages) {
          window.postMessage(message, '*');
          await new Promise((resolve) => setTimeout(resolve, interval));
        }
        const elapsed = performance.now() - start;
        observer.disconnect();
        return { busy: tasks, total: elapsed, kept: rowBefore === document.querySelector('tbody tr:last-child') };
      },
      { messages: updates, interval: INTERVAL },
    );
    assert.ok(busy / total < 0.5, `busy for ${Math.round((busy / total) * 100)} % of the time`);
    assert.ok(kept, 'rows that did not change were rendered again');
    const durations = await view.page.locator('tr.running td:nth-child(7)').allTextContents();
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
            const row = (target instanceof Element ? target : target.parentElement)?.closest('tr');
            if (row) rows.add(row);
          }
        });
        const body = document.querySelector('tbody');
        if (body !== null)
          observer.observe(body, { subtree: true, childList: true, characterData: true, attributes: true });
        window.postMessage(message, '*');
        await new Promise((resolve) => setTimeout(resolve));
        for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
        return [...rows].map((row) => row.textContent?.includes('999'));
      },
      {
        type: 'requests',
        reset: false,
        rows: [{ ...(requests(NOW, 500, 0).rows[250] ?? runningRow(1, NOW, 1)), tokensOut: 999 }],
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
        window.postMessage(message, '*');
        await new Promise((resolve) => setTimeout(resolve));
        for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
        return count;
      },
      requests(NOW, 500, STREAMS),
    );
    assert.equal(changes, 0);
  });
});
