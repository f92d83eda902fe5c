import assert from 'node:assert/strict';
import { usage } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

describe('The section Usage over Time', () => {
  const suite = dashboardSuite();

  it('begins with the numbers, and says since when', async () => {
    const view = await suite.openAt('usage');
    const since = Date.UTC(2026, 0, 15, 12);
    const totals = { requests: 1234, errors: 5, tokensIn: 67_890, tokensOut: 4321, tokensCached: 100 };
    await view.show(usage(NOW, { since, totals, firstByte: 1250 }));
    assert.match(
      await view.panel(),
      new RegExp(
        /Since 15 Jan 2026, 13:00 first request in the last 48 hours/.source +
          / requests 1,234 failed 5 tokens in 67,890 tokens out 4,321 tokens in from a cache 100/.source +
          / to first byte \(median\) 1\.3 s VS Code Claude Code Codex Cline nightly scripts Requests per hour/.source,
      ),
    );
    await view.page.locator('.figures .icon.tone-error').waitFor();
  });

  it('shows failures in a chart and in the table, only if there are any', async () => {
    const view = await suite.openAt('usage');
    const sample = usage(NOW).view;
    await view.show(usage(NOW));
    await view.page.getByRole('img', { name: 'Failed requests per hour' }).waitFor();
    const failed = await view.page.locator('.totals tbody td:nth-of-type(2)').allTextContents();
    assert.deepEqual(
      failed,
      sample.series.map(({ errors }) => String(errors.reduce((sum, value) => sum + value, 0))),
    );
    assert.equal(await view.page.locator('.totals tfoot td').nth(1).textContent(), String(sample.totals.errors));
    const series = sample.series.map((one) => ({ ...one, errors: one.errors.map(() => 0) }));
    await view.show(usage(NOW, { series }));
    assert.equal(await view.page.getByRole('img', { name: 'Failed requests per hour' }).count(), 0);
    assert.match(await view.panel(), / failed 0 /);
    assert.equal(await view.page.locator('.figures .icon').count(), 0);
  });

  it('needs no scrolling to the side in a tab of 400 pixels, also in its tables', async () => {
    const view = await suite.openAt('usage', { width: 400 });
    const huge = 123_456_789_012;
    const series = usage(NOW).view.series.map((one) => ({
      ...one,
      name: `${one.name} with a very long name`,
      tokensIn: one.tokensIn.map((value) => value && huge),
    }));
    await view.show(usage(NOW, { series }));
    for (const summary of await view.page.locator('summary').all()) await summary.click();
    const overflowing = await view.page.evaluate(() =>
      [...document.querySelectorAll('#panel, #panel .scroller, #panel .figures')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className, id }) => className || id),
    );
    assert.deepEqual(overflowing, []);
    const rows = view.page.getByRole('region', { name: 'Totals' }).getByRole('row');
    assert.match((await rows.nth(1).ariaSnapshot()).replaceAll(/\s+/g, ' '), /rowheader "VS Code .*- cell "/);
  });

  it('shows a chart for each measure, and its values as a table', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW));
    assert.equal(await view.page.locator('usage-chart canvas').count(), 5);
    const total = usage(NOW)
      .view.series.flatMap((one) => one.requests)
      .reduce((sum, value) => sum + value, 0);
    const [requestsTotal] = await view.page.locator('tfoot td').allTextContents();
    assert.equal(requestsTotal, total.toLocaleString('en-GB'));
    const details = view.page.locator('.chart').first().locator('details');
    assert.equal(await details.locator('table').count(), 0);
    await details.locator('summary').click();
    await details.locator('table').waitFor();
    const cells = await details.locator('tbody td').allTextContents();
    assert.equal(
      cells.reduce((sum, value) => sum + Number(value), 0),
      total,
    );
    // New values replace those of the open table.
    await view.show(
      usage(NOW, { series: [{ name: 'one', requests: [7], errors: [0], tokensIn: [1], tokensOut: [1] }] }),
    );
    assert.deepEqual(await details.locator('tbody td').allTextContents(), ['7']);
  });

  it('draws with the colours of the theme, also when it changes', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW));
    const dark = await view.pixels();
    assert.deepEqual(await view.pixels(), dark);
    await view.setTheme('light');
    await view.page.waitForFunction((before) => document.querySelector('canvas')?.toDataURL() !== before, dark);
  });

  it('shows the bar of the current hour, also if no other hour has data', async () => {
    const last = [...Array<number>(167).fill(0), 9];
    for (const width of [926, 400]) {
      const view = await suite.openAt('usage', { saved: { section: 'usage', range: 'week', by: 'client' }, width });
      const series = [{ name: 'one', requests: last, errors: last, tokensIn: last, tokensOut: last }];
      await view.show(usage(NOW, { range: 'week', series, median: last, percentile95: last }));
      // A bar at least a pixel wide, and nearly as high as the chart.
      assert.ok((await view.coloredPixels()) > 100, `the bar in a tab of ${width} pixels`);
    }
  });

  it('shows the values under the pointer', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW));
    const over = view.page.locator('.chart').first().locator('.u-over');
    const box = await over.boundingBox();
    assert.ok(box);
    // Near the right edge of the last bar, which begins at its time.
    const { times } = usage(NOW).view;
    await view.page.mouse.move(box.x + (box.width * (times.length - 0.2)) / times.length, box.y + box.height / 2);
    const hour = new Date(times.at(-1) ?? 0);
    const expected = new RegExp(`, ${hour.toLocaleTimeString('en-GB', { timeZone: 'Europe/Vienna' }).slice(0, 5)}`);
    assert.match((await view.page.locator('.chart-tooltip:visible').textContent()) ?? '', expected);
    await view.page.mouse.move(2, 2);
    await view.page.locator('.chart-tooltip:visible').waitFor({ state: 'detached' });
  });

  it('asks for another period or grouping, and shows nothing else meanwhile', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW));
    await view.page.getByText('7 days').click();
    await view.page.getByText('By model').click();
    await view.show();
    assert.deepEqual(await view.actions(), [
      { type: 'usageView', range: 'week', by: 'client' },
      { type: 'usageView', range: 'week', by: 'model' },
    ]);
    assert.match(await view.panel(), /Loading…/);
    await view.show(usage(NOW, { range: 'week' }));
    assert.match(await view.panel(), /Loading…/);
    await view.show(usage(NOW, { range: 'week', by: 'model' }));
    assert.match(await view.panel(), /gpt-oss-120b/);
    await view.page.getByText('90 days', { exact: true }).click();
    await view.show(usage(NOW, { range: 'quarter', by: 'model' }));
    assert.match(await view.panel(), /Tokens in per day/);
  });

  it('says that there is no data, and begins the next step', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW, { series: [] }));
    assert.match(
      await view.panel(),
      /No requests were recorded in the last 48 hours\. A longer period may have some\. New requests appear here within/,
    );
    await view.button('Ask in Chat').click();
    await view.button('Connect an Assistant…').click();
    assert.deepEqual(await view.actions(), [
      { type: 'command', name: 'openChat' },
      { type: 'command', name: 'connectAssistant' },
    ]);
    assert.equal(await view.page.locator('usage-chart').count(), 0);
  });

  it('says that the recording is off, and leads to its setting', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW, { series: [], recording: false }));
    const text = await view.panel();
    assert.match(text, /Recording is off.*sealedProxy\.usageHistory.*No requests were recorded in the last 48 hours\./);
    assert.doesNotMatch(text, /Ask in Chat|appear here/);
    await view.show(usage(NOW, { recording: false }));
    assert.match(await view.panel(), /Recording is off.*VS Code/);
    await view.button('Open Settings').click();
    await view.button('Erase…').click();
    assert.deepEqual(await view.actions(), [{ type: 'command', name: 'openSettings' }, { type: 'eraseUsage' }]);
  });
});
