import assert from 'node:assert/strict';
import { noKeyState, unreachableState, usage } from './support/samples.ts';
import { NOW, STATE, dashboardSuite, trimmed } from './support/suite.ts';

describe('The section Overview', () => {
  const suite = dashboardSuite();

  it('shows what is sealed on the path of a prompt, and says it to a screen reader', async () => {
    const view = await suite.openAt('overview');
    const path = view.page.getByRole('img', { name: 'The path of a prompt.' });
    assert.equal(
      await path.getAttribute('aria-label'),
      "The path of a prompt. What is connected (VS Code's chat and 4 access keys) to Sealed Proxy (http://127.0.0.1:14114/v1): " +
        'plain text, only on this computer. Sealed Proxy (http://127.0.0.1:14114/v1) to Verified enclave (enclave.example): ' +
        'encrypted; nobody in between can read it.',
    );
    assert.match(await view.panel(), /What is connected.*Sealed Proxy.*Verified enclave/s);
  });

  it('shows the numbers of today', async () => {
    const view = await suite.openAt('overview');
    await view.show(usage(NOW));
    const numbers = await view.page.locator('.figures dd').allInnerTexts();
    assert.deepEqual(trimmed(numbers), ['128', '3', '1,113,600', '79,360']);
  });

  it('has one button that stands out, or none while there is only to wait', async () => {
    const view = await suite.openAt('overview');
    const primary = async () => trimmed(await view.page.locator('vscode-button:not([secondary])').allInnerTexts());
    const first = async () => (await view.page.locator('vscode-button').first().innerText()).trim();
    assert.deepEqual([await primary(), await first()], [['Ask in Chat'], 'Ask in Chat']);
    await view.show({ type: 'state', state: unreachableState(NOW) });
    assert.deepEqual([await primary(), await first()], [['Run Diagnostics'], 'Run Diagnostics']);
    await view.show({ type: 'state', state: noKeyState(NOW) });
    assert.deepEqual([await primary(), await first()], [['Set API Key'], 'Set API Key']);
    const { connection } = noKeyState(NOW);
    await view.show({
      type: 'state',
      state: { ...STATE.state, connection: { ...connection, primary: null, actions: ['stop'] } },
    });
    assert.deepEqual([await primary(), await first()], [[], 'Stop']);
  });

  it('begins the next step, and leads to the list of what is not sealed', async () => {
    const view = await suite.openAt('overview');
    await view.button('Ask in Chat').click();
    await view.button('Connect an Assistant…').click();
    assert.deepEqual(await view.actions(), [
      { type: 'command', name: 'openChat' },
      { type: 'command', name: 'connectAssistant' },
    ]);
    await view.button('Show Where Prompts Go').click();
    await view.show();
    assert.equal(await view.page.locator('h1').textContent(), 'Where Prompts Go');
    assert.equal(await view.page.evaluate(() => document.activeElement?.id), 'tab-prompts');
  });

  it('shows the facts and the models to those who want more', async () => {
    const view = await suite.openAt('overview');
    await view.page.locator('summary').click();
    const text = await view.panel();
    for (const part of [
      'Sealed Proxy is connected. Prompts to its models are encrypted to a verified enclave.',
      'Base URL http://127.0.0.1:14114/v1',
      'Llama 3.3 70B llama-3.3-70b 131,072 16,384 Tools',
      'qwen3-vl-30b 262,144 32,768 Tools Images Reasoning',
    ]) {
      assert.ok(text.includes(part), `${part} is not in ${text}`);
    }
  });

  it('sends the command of a button, also with the keyboard', async () => {
    const view = await suite.openAt('overview');
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

  it('opens a setting that a sentence names, by mouse or keyboard', async () => {
    const view = await suite.open();
    await view.show({ type: 'state', state: unreachableState(NOW) });
    const setting = view.page.locator('.banner').first().getByRole('button', { name: 'http.proxy' });
    await setting.click();
    await setting.press('Enter');
    const message = { type: 'setting', name: 'http.proxy' };
    assert.deepEqual(await view.actions(), [message, message]);
  });

  it('explains an empty list of models', async () => {
    const view = await suite.open();
    await view.show({
      type: 'state',
      state: { ...STATE.state, connection: { ...STATE.state.connection, chatModels: [] } },
    });
    await view.page.locator('summary').click();
    assert.match(await view.panel(), /Models Models appear here once Sealed Proxy is connected to the backend\.$/);
  });
});
