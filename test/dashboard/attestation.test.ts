import assert from 'node:assert/strict';
import { developmentState, refusedState } from './support/samples.ts';
import { NOW, STATE, dashboardSuite } from './support/suite.ts';

describe('The section Attestation', () => {
  const suite = dashboardSuite();

  it('shows each step with its result in words, and the examined values on demand', async () => {
    const view = await suite.open();
    const state = refusedState(NOW);
    await view.show({ type: 'state', state }, { type: 'show', section: 'attestation' });
    const steps = view.page.locator('.step');
    assert.deepEqual(await steps.locator('.step-result').allTextContents(), [
      ...Array<string>(7).fill('Passed'),
      ...['Failed', 'Not reached', 'Not reached', 'Not reached'],
    ]);
    const { pcr0 } = state.attestation.image ?? { pcr0: '' };
    const value = steps.nth(7).getByText(pcr0);
    assert.equal(await value.isVisible(), false);
    await steps.nth(7).locator('summary').click();
    await value.waitFor();
  });

  it('keeps the values open when a new state arrives, or another section was shown', async () => {
    const view = await suite.openAt('attestation');
    await view.page.locator('.step summary').first().click();
    await view.show(STATE, { type: 'show', section: 'clients' });
    await view.show(STATE, { type: 'show', section: 'attestation' });
    assert.equal(await view.page.locator('.step details[open]').count(), 1);
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

  it('says what is missing for a development backend', async () => {
    const view = await suite.open();
    await view.show({ type: 'state', state: developmentState(NOW) }, { type: 'show', section: 'attestation' });
    assert.match(await view.panel(), /Not checked/);
    assert.equal(await view.button('Save Evidence…').count(), 0);
    assert.doesNotMatch(await view.panel(), /Certificate Chain|PCR0|Passed/);
  });
});
