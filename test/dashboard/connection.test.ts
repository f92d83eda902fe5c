import assert from 'node:assert/strict';
import { VERIFIED_CONNECTION } from './support/samples.ts';
import { STATE, dashboardSuite } from './support/suite.ts';

describe('The section Connection', () => {
  const suite = dashboardSuite();

  it('shows the state, the facts and the models', async () => {
    const view = await suite.openAt('connection');
    const text = await view.panel();
    for (const part of [
      'Sealed Proxy is connected to a verified enclave.',
      'Base URL http://127.0.0.1:14114/v1',
      'Llama 3.3 70B llama-3.3-70b 131,072 16,384 Tools',
      'qwen3-vl-30b 262,144 32,768 Tools Images Reasoning',
    ]) {
      assert.ok(text.includes(part), `${part} is not in ${text}`);
    }
  });

  it('sends the command of a button, also with the keyboard', async () => {
    const view = await suite.openAt('connection');
    await view.button('Check Connection').click();
    await view.button('Copy Base URL').focus();
    await view.page.keyboard.press('Space');
    await view.page.keyboard.press('Enter');
    assert.deepEqual(await view.actions(), [
      { type: 'command', name: 'checkConnection' },
      { type: 'command', name: 'copyBaseUrl' },
      { type: 'command', name: 'copyBaseUrl' },
    ]);
  });

  it('explains an empty list of models', async () => {
    const view = await suite.open();
    await view.show({ type: 'state', state: { ...STATE.state, connection: { ...VERIFIED_CONNECTION, models: [] } } });
    assert.match(await view.panel(), /Models Models appear here once Sealed Proxy is connected to the backend\.$/);
  });
});
