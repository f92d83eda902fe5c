import assert from 'node:assert/strict';
import { usage } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

describe('The section Usage over Time', () => {
  const suite = dashboardSuite();

  it('shows totals, a chart for each measure, and its values as a table', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW));
    assert.equal(await view.page.locator('usage-chart canvas').count(), 4);
    const total = usage(NOW)
      .view.series.flatMap((one) => one.requests)
      .reduce((sum, value) => sum + value, 0);
    const [requestsTotal] = await view.page.locator('tfoot td').allTextContents();
    assert.equal(requestsTotal, total.toLocaleString('en-GB'));
    const details = view.page.locator('.chart').nth(2).locator('details');
    assert.equal(await details.locator('table').count(), 0);
    await details.locator('summary').click();
    await details.locator('table').waitFor();
    const cells = await details.locator('tbody td').allTextContents();
    assert.equal(
      cells.reduce((sum, value) => sum + Number(value), 0),
      total,
    );
    // New values replace those of the open table.
    await view.show(usage(NOW, { series: [{ name: 'one', requests: [7], tokensIn: [1], tokensOut: [1] }] }));
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
      const series = [{ name: 'one', requests: last, tokensIn: last, tokensOut: last }];
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

  it('says that there is no data, and that the recording is off', async () => {
    const view = await suite.openAt('usage');
    await view.show(usage(NOW, { series: [], recording: false }));
    assert.match(
      await view.panel(),
      /Recording is off.*sealedProxy\.usageHistory.*No requests were recorded in this period\./,
    );
    await view.show(usage(NOW, { recording: false }));
    assert.match(await view.panel(), /Recording is off.*VS Code/);
    await view.button('Erase…').click();
    assert.deepEqual(await view.actions(), [{ type: 'eraseUsage' }]);
  });
});
