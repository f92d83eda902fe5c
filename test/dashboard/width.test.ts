import assert from 'node:assert/strict';
import { SECTIONS } from '../../src/dashboard/model.ts';
import { requests, usage } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

describe('The width of the tab', () => {
  const suite = dashboardSuite();

  // 320 pixels are 640 at 200 % zoom.
  for (const width of [320, 400, 640, 1600]) {
    it(`may be ${width} pixels: only tables scroll to the side`, async () => {
      const view = await suite.openAt('overview', { width, height: 600 });
      await view.show(requests(NOW, 30), usage(NOW));
      for (const section of SECTIONS) {
        await view.show({ type: 'show', section });
        const [page, panel] = await view.page.evaluate(() =>
          [document.documentElement, document.querySelector('#panel') ?? document.body].map(
            ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
          ),
        );
        assert.deepEqual([page, panel], [0, 0], section);
        const tab = await view.page.locator('[role=tab][aria-selected=true]').boundingBox();
        assert.ok(tab && tab.x >= 0 && tab.x + tab.width <= width, `the tab of ${section} is out of view`);
      }
    });
  }

  it('leaves at most two rows to the titles of the sections from 400 pixels on', async () => {
    const view = await suite.openAt('overview', { width: 400 });
    const rows = await view.page
      .getByRole('tab')
      .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().y));
    assert.ok(new Set(rows).size <= 2, rows.join());
  });

  it('never breaks an address within its port', async () => {
    const view = await suite.openAt('overview');
    for (let width = 320; width <= 1120; width += 25) {
      await view.page.setViewportSize({ width, height: 600 });
      const lines = await view.page
        .locator('.port')
        .evaluateAll((ports) => ports.map((port) => port.getClientRects().length));
      assert.deepEqual(new Set(lines), new Set([1]), `${width} pixels`);
    }
  });

  it('may change: the charts follow', async () => {
    const view = await suite.openAt('usage', { width: 1600 });
    await view.show(usage(NOW));
    const width = () =>
      view.page
        .locator('usage-chart canvas')
        .first()
        .evaluate(({ clientWidth }) => clientWidth);
    const before = await width();
    await view.page.setViewportSize({ width: 500, height: 600 });
    await view.page.waitForFunction(
      (wide) => (document.querySelector('usage-chart canvas')?.clientWidth ?? wide) < wide,
      before,
    );
    assert.ok((await width()) <= 500);
  });
});

describe('Forced colors', () => {
  const suite = dashboardSuite();

  it('leave the selected section, the selected period and the certificate chain visible', async () => {
    const view = await suite.openAt('usage');
    await view.page.emulateMedia({ forcedColors: 'active' });
    await view.show(usage(NOW));
    const outline = (selector: string) =>
      view.page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const style = getComputedStyle(element);
          return [style.outlineStyle, style.borderBottomColor, style.borderBottomStyle];
        });
    assert.equal((await outline('.choice :checked + span'))[0], 'solid');
    const [selected, other] = [await outline('[aria-selected=true]'), await outline('[aria-selected=false]')];
    assert.notDeepEqual(selected, other);
    await view.show({ type: 'show', section: 'attestation' });
    const link = await view.page
      .locator('.certificate')
      .first()
      .evaluate((element) => {
        const { borderLeftStyle, borderLeftColor } = getComputedStyle(element, '::before');
        return [borderLeftStyle, borderLeftColor === getComputedStyle(document.body).backgroundColor];
      });
    assert.deepEqual(link, ['solid', false]);
  });
});
