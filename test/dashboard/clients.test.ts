import assert from 'node:assert/strict';
import { clients } from './support/samples.ts';
import { NOW, STATE, dashboardSuite, trimmed } from './support/suite.ts';

describe('The section Clients', () => {
  const suite = dashboardSuite();

  it('shows each client once, with what it is, its state, its use, and all its actions', async () => {
    const view = await suite.openAt('clients');
    const rows = view.page.locator('.client');
    assert.deepEqual(
      await rows.locator('h2').allTextContents(),
      clients(NOW).map(({ name }) => name),
    );
    const partsOf = async (name: string) => {
      const row = rows.filter({ has: view.page.getByRole('heading', { name }) });
      const text = (await row.innerText()).replaceAll(/\s+/g, ' ');
      return [text, ...trimmed(await row.locator('vscode-button').allTextContents())];
    };
    const [claude, ...actions] = await partsOf('Claude Code');
    assert.match(
      claude ?? '',
      /^Claude Code Connected, model llama-3\.3-70b Assistant .* Last request (?:now|.* ago) Created /,
    );
    assert.deepEqual(actions, ['Check', 'Undo', 'Revoke']);
    assert.deepEqual((await partsOf('Codex')).slice(1), ['Repair', 'Undo', 'Revoke']);
    const [scripts, ...revoke] = await partsOf('nightly scripts');
    assert.match(
      scripts ?? '',
      /^nightly scripts Access key that you created Last request \d+ minutes ago Created \d+ \w+ \d{4}/,
    );
    assert.deepEqual(revoke, ['Revoke']);
  });

  it('waits for the first request of a client, shows its time, and then the last one', async () => {
    const view = await suite.openAt('clients');
    const cline = view.page.locator('.client', { hasText: 'Cline' });
    assert.match(await cline.innerText(), /Waiting for the first request…/);
    const use = async (firstUsedAt: number, lastUsedAt: number) => {
      const rows = clients(NOW).map(({ key, ...row }) => ({ ...row, key: key && { ...key, firstUsedAt, lastUsedAt } }));
      await view.show({ type: 'state', state: { ...STATE.state, clients: rows } });
    };
    await use(NOW - 180_000, NOW - 180_000);
    assert.match(await cline.innerText(), /First request .*\d:\d\d/);
    await use(NOW - 180_000, NOW - 120_000);
    assert.match(await cline.innerText(), /Last request \d+ minutes ago/);
    assert.doesNotMatch(await view.panel(), /Waiting/);
  });

  it('sends an action once, until it has ended and its result is shown', async () => {
    const view = await suite.openAt('clients');
    const check = view.button('Check Cline');
    await check.click();
    await view.show();
    assert.equal(await check.getAttribute('aria-disabled'), 'true');
    await check.dispatchEvent('click');
    await view.button('Revoke Cline').click();
    await view.button('Undo Codex').click();
    assert.deepEqual(await view.actions(), [
      { type: 'assistant', action: 'check', id: 'cline' },
      { type: 'revokeKey', id: 'cline' },
      { type: 'assistant', action: 'undo', id: 'codex' },
    ]);
    const rows = clients(NOW).map(({ config, ...row }) => ({
      ...row,
      config: config && { ...config, note: `${row.name} works.` },
    }));
    await view.show({ type: 'state', state: { ...STATE.state, clients: rows } });
    assert.equal(await check.getAttribute('aria-disabled'), 'true');
    await view.show({ type: 'ended', action: { type: 'assistant', id: 'cline', action: 'check' } });
    assert.equal(await check.getAttribute('aria-disabled'), 'false');
    assert.match(await view.panel(), /Cline works\./);
    assert.match((await view.page.getByRole('status').textContent()) ?? '', /Cline works\./);
  });

  it('begins the next step where there is no client yet', async () => {
    const view = await suite.open();
    const state = { ...STATE.state, clients: [] };
    await view.show({ type: 'state', state }, { type: 'show', section: 'clients' });
    assert.match(await view.panel(), /^Clients No clients yet\. Connect an assistant/);
    await view.button('Connect an Assistant…').click();
    assert.deepEqual(await view.actions(), [{ type: 'command', name: 'connectAssistant' }]);
  });

  it('never scrolls to the side, however narrow the tab is', async () => {
    for (const width of [320, 400, 700, 800]) {
      const view = await suite.openAt('clients', { width });
      const overflowing = await view.page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('#panel, #panel :not(.visually-hidden, h1, .name)')]
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
          .map(({ className, tagName }) => `${tagName} ${className}`),
      );
      assert.deepEqual(overflowing, [], `${width} pixels`);
    }
  });
});
