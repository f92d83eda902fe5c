import assert from 'node:assert/strict';
import { SECTIONS } from '../../src/dashboard/model.ts';
import { requests } from './support/samples.ts';
import { NOW, STATE, dashboardSuite } from './support/suite.ts';

describe('The dashboard', () => {
  const suite = dashboardSuite();

  it('asks for everything when it is loaded, and says so meanwhile', async () => {
    const view = await suite.open();
    assert.deepEqual(await view.sent(), [{ type: 'ready' }, { type: 'usageView', range: 'day', by: 'client' }]);
    assert.equal(await view.panel(), 'Overview Loading…');
  });

  it('says to screen readers which sentences of the state are new', async () => {
    const view = await suite.openAt('requests');
    const status = view.page.getByRole('status');
    assert.equal(await status.textContent(), '');
    const connection = {
      ...STATE.state.connection,
      tone: 'error',
      headline: 'The backend cannot be reached.',
    } as const;
    await view.show({ type: 'state', state: { ...STATE.state, connection } });
    assert.equal(await status.textContent(), 'The backend cannot be reached.');
    await view.show(requests(NOW, 20));
    assert.equal(await status.textContent(), 'The backend cannot be reached.');
  });

  it('gives no room to what only screen readers read', async () => {
    const view = await suite.open();
    await view.show(STATE, requests(NOW, 20));
    for (const section of SECTIONS) {
      await view.show({ type: 'show', section });
      const sizes = await view.page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('h1, .visually-hidden')].map((element) => [
          element.textContent,
          element.offsetWidth,
          element.offsetHeight,
        ]),
      );
      // The section, the state, and in most sections a table.
      const hasTable = !['attestation', 'prompts', 'clients'].includes(section);
      assert.ok(sizes.length >= (hasTable ? 3 : 2), JSON.stringify(sizes));
      for (const [text, width, height] of sizes)
        assert.deepEqual([section, text, width, height], [section, text, 1, 1]);
    }
  });
});
