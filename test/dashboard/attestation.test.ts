import assert from 'node:assert/strict';
import { developmentState, noKeyState, refusedState } from './support/samples.ts';
import { NOW, STATE, dashboardSuite, trimmed } from './support/suite.ts';

describe('The section Attestation', () => {
  const suite = dashboardSuite();

  it('answers four questions, and shows the checks of one on demand', async () => {
    const view = await suite.openAt('attestation');
    const groups = view.page.locator('.group');
    assert.deepEqual(await groups.getByRole('heading').allTextContents(), [
      ...['Who signed it?', 'Which program runs?', 'Whose keys are used?', 'Is it fresh?'],
    ]);
    assert.match(await groups.first().innerText(), /^Who signed it\?\s+AWS: /);
    assert.equal(await view.page.locator('.step').filter({ visible: true }).count(), 0);
    await groups.first().locator('summary').first().focus();
    await view.page.keyboard.press('Enter');
    assert.deepEqual(
      await view.page.locator('.step-result').filter({ visible: true }).allTextContents(),
      Array<string>(4).fill('Passed'),
    );
  });

  it('opens the question that failed, with the reason and the remedy before its checks', async () => {
    const view = await suite.open();
    const state = refusedState(NOW);
    await view.show({ type: 'state', state }, { type: 'show', section: 'attestation' });
    const open = view.page.locator('.group[open]');
    assert.equal(await open.count(), 1);
    const text = (await open.innerText()).replaceAll(/\s+/g, ' ');
    assert.match(
      text,
      /^Which program runs\? It is not proven .* PCR0 \S+ is not approved\. Update the extension: .* Passed .* Failed/,
    );
    assert.deepEqual(await open.locator('.step-result').allTextContents(), ['Passed', 'Failed']);
    const colors = await view.page
      .locator('.group')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).borderTopColor));
    assert.equal(new Set(colors).size, 2);
    const { pcr0 } = state.attestation.image ?? { pcr0: '' };
    const failed = open.locator('.step', { hasText: 'Failed' });
    const value = failed.getByText(pcr0);
    assert.equal(await value.isVisible(), false);
    await failed.locator('summary').click();
    await value.waitFor();
  });

  it('has a button for what its text says, but none that leads to itself', async () => {
    const view = await suite.openAt('attestation');
    const buttons = view.page.locator('.buttons vscode-button');
    await view.show({ type: 'state', state: noKeyState(NOW) });
    assert.match(await view.panel(), /Then run Set API Key\./);
    await view.button('Set API Key').click();
    assert.deepEqual(await view.actions(), [{ type: 'command', name: 'setApiKey' }]);
    const refused = refusedState(NOW);
    await view.show({ type: 'state', state: refused });
    assert.deepEqual(trimmed(await buttons.allInnerTexts()), ['Check Connection', 'Save Evidence…']);
    const prompts = { ...refused.prompts, remedy: 'showAttestation' } as const;
    await view.show({ type: 'state', state: { ...refused, prompts } });
    assert.deepEqual(trimmed(await buttons.allInnerTexts()), ['Save Evidence…']);
  });

  it('keeps checks and values open when a new state arrives, or another section was shown', async () => {
    const view = await suite.openAt('attestation');
    await view.page.locator('.group summary').first().click();
    await view.page.locator('.step summary').first().click();
    await view.show(STATE, { type: 'show', section: 'clients' });
    await view.show(STATE, { type: 'show', section: 'attestation' });
    assert.equal(await view.page.locator('.group[open] .step details[open]').count(), 1);
  });

  it('shows the chain from the root to the leaf, and the validity of each certificate', async () => {
    const view = await suite.open();
    const [root, intermediate, zonal, leaf] = STATE.state.attestation.chain;
    assert.ok(root && intermediate && zonal && leaf);
    const chain = [root, { ...intermediate, validTo: NOW - 1000 }, { ...zonal, validFrom: NOW + 3_600_000 }, leaf];
    const attestation = { ...STATE.state.attestation, chain };
    await view.show(
      { type: 'state', state: { ...STATE.state, attestation } },
      { type: 'show', section: 'attestation' },
    );
    const shown = view.page.locator('.certificate');
    assert.deepEqual(await shown.locator('.role').allTextContents(), ['Root', 'Intermediate', 'Intermediate', 'Leaf']);
    assert.deepEqual(await shown.locator('.validity span').allTextContents(), [
      'Valid now',
      'Expired',
      'Not yet valid',
      'Valid now',
    ]);
    const elapsed = await shown.locator('.elapsed').evaluateAll((all) => all.map((one) => one.getAttribute('width')));
    assert.deepEqual(elapsed.slice(1, 3), ['100', '0']);
    assert.ok(Math.abs(Number(elapsed[3]) - 100 / 3) < 5, elapsed[3] ?? '');
  });

  it('copies the PCR0, and saves the evidence', async () => {
    const view = await suite.openAt('attestation');
    await view.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await view.button('Copy PCR0').click();
    await view.page.getByText('Copied').waitFor();
    const copied = await view.page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, STATE.state.attestation.image?.pcr0);
    await view.button('Save Evidence…').click();
    assert.deepEqual(await view.actions(), [{ type: 'saveEvidence' }]);
  });

  it('has one line for the checks of a development backend, none of which passed', async () => {
    const view = await suite.open();
    await view.show({ type: 'state', state: developmentState(NOW) }, { type: 'show', section: 'attestation' });
    assert.match(await view.panel(), /None of the 11 checks counts as passed$/);
    assert.equal(await view.page.locator('.group').count(), 0);
    assert.equal(await view.button('Save Evidence…').count(), 0);
    assert.doesNotMatch(await view.panel(), /Certificate Chain|PCR0|Passed/);
    await view.page.locator('summary').click();
    assert.equal(await view.page.getByText('Not checked', { exact: true }).filter({ visible: true }).count(), 11);
  });
});
