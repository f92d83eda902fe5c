import assert from 'node:assert/strict';
import { SECTIONS } from '../../src/dashboard/model.ts';
import type { DashboardView } from './support/browser.ts';
import { requests, usage } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

describe('The keyboard', () => {
  const suite = dashboardSuite();

  it('moves through the sections with the arrow keys, Home and End', async () => {
    const view = await suite.openAt('overview');
    await view.page.getByRole('tab', { name: 'Overview' }).focus();
    const titles: string[] = [];
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
      await view.page.keyboard.press(key);
      await view.show();
      titles.push(await focused(view));
      const [selected] = await view.page.locator('[role=tab][aria-selected=true]').allTextContents();
      assert.equal(selected?.trim(), titles.at(-1));
      assert.equal(await view.page.locator('h1').textContent(), titles.at(-1));
    }
    assert.deepEqual(titles, [
      ...['Where Prompts Go', 'Side Prompts', 'Where Prompts Go', 'Clients', 'Overview', 'Clients', 'Overview'],
    ]);
  });

  it('enters a section with Tab, because the other tabs are not in the order', async () => {
    const view = await suite.openAt('overview');
    await view.page.getByRole('tab', { name: 'Overview' }).focus();
    await view.page.keyboard.press('Tab');
    assert.equal(await view.page.evaluate(() => document.activeElement?.id), 'panel');
    await view.page.keyboard.press('Tab');
    assert.equal(await focused(view), 'Ask in Chat');
  });

  it('reaches everything that can be used, and shows where it is', async () => {
    const view = await suite.openAt('overview');
    await view.show(requests(NOW, 30), usage(NOW));
    for (const section of SECTIONS) {
      await view.show({ type: 'show', section });
      const usable = view.page.locator(
        '#panel :is(vscode-button, button, input:not([type=radio]), select, summary, .scroller)',
      );
      const expected = await usable.filter({ visible: true }).count();
      await view.page.locator('#panel').focus();
      const reached = new Set<number>();
      for (let presses = 0; presses <= expected + 3; presses++) {
        await view.page.keyboard.press('Tab');
        const at = await view.page.evaluate(() => {
          const element = document.activeElement;
          if (element === null || element === document.body) return undefined;
          const shown = element.shadowRoot?.querySelector('.base') ?? element;
          const { outlineStyle, outlineWidth } = getComputedStyle(shown);
          const isMarked = outlineStyle !== 'none' && outlineWidth !== '0px';
          const all = [
            ...document.querySelectorAll(
              '#panel :is(vscode-button, button, input:not([type=radio]), select, summary, .scroller)',
            ),
          ];
          return { index: all.indexOf(element), isMarked, tag: element.outerHTML.slice(0, 80) };
        });
        if (at === undefined || at.index === -1) continue;
        assert.ok(at.isMarked, `${at.tag} has focus, but no outline`);
        reached.add(at.index);
      }
      assert.equal(reached.size, expected, section);
    }
  });

  it('scrolls nothing when Space presses a button', async () => {
    const view = await suite.openAt('clients', { height: 260 });
    const panel = view.page.locator('#panel');
    await view.button('Revoke Claude Code').focus();
    const before = await panel.evaluate(({ scrollTop }) => scrollTop);
    await view.page.keyboard.press('Space');
    await view.show();
    assert.deepEqual(await view.actions(), [{ type: 'revokeKey', id: 'claude' }]);
    assert.equal(await panel.evaluate(({ scrollTop }) => scrollTop), before);
  });

  it('keeps the focus while new states and requests arrive', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 30));
    await view.page.getByLabel('Client').focus();
    await view.show(requests(NOW, 31));
    await view.show({ type: 'requests', reset: true, requests: [] });
    await view.show(requests(NOW, 32));
    assert.equal(await view.page.evaluate(() => document.activeElement?.id), 'client');
  });
});

describe('The saved view', () => {
  const suite = dashboardSuite();

  it('is shown again after the tab was hidden, and its usage is asked for', async () => {
    const saved = { section: 'usage', client: 'Codex', shown: 'failed', range: 'quarter', by: 'model' };
    const view = await suite.open({ saved });
    assert.equal(await view.page.locator('h1').textContent(), 'Usage over Time');
    assert.deepEqual(await view.sent(), [{ type: 'ready' }, { type: 'usageView', range: 'quarter', by: 'model' }]);
    await view.show(requests(NOW, 30), { type: 'show', section: 'requests' });
    assert.equal(await view.page.locator('.requests > li').count(), 1);
    assert.match(await view.panel(), /All 6 Failed 1 Running 0 /);
  });

  it('is ignored where this version does not know it', async () => {
    for (const saved of [
      null,
      'x',
      { section: 'gone', client: 7, shown: 'some', ownChecks: 1, range: 'year', by: {} },
    ]) {
      const view = await suite.open({ saved });
      assert.equal(await view.page.locator('h1').textContent(), 'Overview');
      assert.deepEqual((await view.sent())[1], { type: 'usageView', range: 'day', by: 'client' });
    }
  });
});

async function focused(view: DashboardView): Promise<string> {
  return view.page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
}
