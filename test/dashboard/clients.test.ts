import assert from 'node:assert/strict';
import { clients } from './support/samples.ts';
import { NOW, STATE, dashboardSuite, trimmed } from './support/suite.ts';

describe('The section Clients', () => {
  const suite = dashboardSuite();

  it('shows access keys and assistants, with the actions that each one has', async () => {
    const view = await suite.openAt('clients');
    assert.equal(await view.page.getByRole('button', { name: /^Revoke / }).count(), 4);
    const text = await view.panel();
    for (const part of ['nightly scripts Created by you', 'Never', 'Claude Code Assistant', 'minutes ago']) {
      assert.ok(text.includes(part), `${part} is not in ${text}`);
    }
    const codex = view.page.locator('.assistant', { hasText: 'Codex' });
    assert.deepEqual(trimmed(await codex.locator('vscode-button').allTextContents()), ['Repair', 'Check', 'Undo']);
  });

  it('sends an action once, until a new state has its result', async () => {
    const view = await suite.openAt('clients');
    const check = view.button('Check Codex');
    await check.click();
    await view.show();
    assert.equal(await check.getAttribute('aria-disabled'), 'true');
    await check.dispatchEvent('click');
    await view.button('Revoke Cline').click();
    await view.button('Undo Codex').click();
    assert.deepEqual(await view.actions(), [
      { type: 'assistant', action: 'check', id: 'codex' },
      { type: 'revokeKey', id: 'cline' },
      { type: 'assistant', action: 'undo', id: 'codex' },
    ]);
    const assistants = clients(NOW).assistants.map((row) => ({ ...row, note: `${row.name} works.` }));
    await view.show({ type: 'state', state: { ...STATE.state, clients: { ...clients(NOW), assistants } } });
    assert.equal(await check.getAttribute('aria-disabled'), 'false');
    assert.match(await view.panel(), /Codex works\./);
    assert.match((await view.page.getByRole('status').textContent()) ?? '', /Codex works\./);
  });

  it('explains empty lists', async () => {
    const view = await suite.open();
    const state = { ...STATE.state, clients: { keys: [], assistants: [] } };
    await view.show({ type: 'state', state }, { type: 'show', section: 'clients' });
    assert.match(
      await view.panel(),
      /There are no access keys\..*Sealed Proxy has changed the configuration of no assistant\./,
    );
  });
});
