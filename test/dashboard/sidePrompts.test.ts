import assert from 'node:assert/strict';
import type { SidePromptsSection } from '../../src/dashboard/model.ts';
import type { DashboardView } from './support/browser.ts';
import { NO_KEY_PROMPTS, SEALED_SIDE_PROMPTS, SIDE_PROMPTS, sidePromptsOf } from './support/promptSamples.ts';
import { STATE, dashboardSuite, trimmed } from './support/suite.ts';

const TITLES = 'Titles, summaries, commit messages';

describe('The section Side Prompts', () => {
  const suite = dashboardSuite();

  const show = async (view: DashboardView, sidePrompts: SidePromptsSection | null) =>
    view.show({ type: 'state', state: { ...STATE.state, sidePrompts } });
  const row = (view: DashboardView, title: string) => view.page.getByRole('row').filter({ hasText: title });
  /** The title of a side prompt, where it goes now, and where after sealing. */
  const cells = async (view: DashboardView, title: string) =>
    trimmed(await row(view, title).locator('summary, .place').allInnerTexts());
  const buttons = async (view: DashboardView) =>
    trimmed(await view.page.locator('.buttons vscode-button').allInnerTexts());

  it('has a row for each side prompt: where it goes now, and after sealing', async () => {
    const view = await suite.openAt('sidePrompts');
    assert.equal(await view.page.locator('tbody').getByRole('row').count(), SIDE_PROMPTS.rows.length);
    assert.deepEqual(trimmed(await view.page.getByRole('columnheader').allInnerTexts()), [
      ...['Prompt', 'Goes to now', 'After sealing'],
    ]);
    assert.deepEqual(await cells(view, TITLES), [TITLES, 'Sealed', 'Sealed']);
    assert.deepEqual(await cells(view, 'Inline chat'), ['Inline chat', 'GitHub', 'Sealed']);
    assert.deepEqual(await cells(view, 'Agent host'), ['Agent host', 'GitHub, in part', 'Cannot be sealed']);
    assert.deepEqual(await cells(view, 'Ghost text'), ['Ghost text', 'Off', 'Off']);
  });

  it('has a different picture for each place', async () => {
    const view = await suite.openAt('sidePrompts');
    const pictures = await view.page
      .locator('.place')
      .evaluateAll((places) =>
        places.map((place) => [place.classList.item(1), place.querySelector('svg')?.innerHTML] as const),
      );
    const byKind = new Map(pictures);
    assert.ok(byKind.size >= 5, JSON.stringify([...byKind.keys()]));
    assert.equal(new Set(byKind.values()).size, byKind.size);
  });

  it('seals with one button, by mouse or keyboard, once until that has ended', async () => {
    const view = await suite.openAt('sidePrompts');
    assert.deepEqual(await buttons(view), ['Seal', 'Seal with Other Models…', 'Turn Off What Cannot Be Sealed']);
    const seal = view.page.locator('vscode-button', { hasText: /^\s*Seal\s*$/ });
    await seal.press('Enter');
    await view.show();
    await seal.click({ force: true });
    await show(view, SIDE_PROMPTS);
    const all = view.page.locator('.buttons vscode-button');
    assert.deepEqual(await all.evaluateAll((each) => each.map((button) => [button.ariaDisabled, button.ariaBusy])), [
      ['true', 'true'],
      ['true', 'false'],
      ['true', 'false'],
    ]);
    await view.button('Turn Off What Cannot Be Sealed').click({ force: true });
    assert.deepEqual(await view.actions(), [{ type: 'sealing', action: 'seal' }]);
    await view.show({ type: 'ended', action: { type: 'sealing', action: 'seal' } });
    await seal.click();
    assert.equal((await view.actions()).length, 2);
  });

  it('then says what is sealed, what cannot be and why, also to screen readers, and offers to undo', async () => {
    const view = await suite.openAt('sidePrompts');
    await show(view, SEALED_SIDE_PROMPTS);
    const headline = '6 of 16 side prompts are sealed.';
    assert.equal(await view.page.locator('.headline').innerText(), headline);
    assert.equal(await view.page.getByRole('status').textContent(), headline);
    const lines = trimmed(await view.page.locator('.verdicts li').allInnerTexts());
    assert.match(lines[0] ?? '', /^Sealed: "Titles, summaries, commit messages", .* and Inline chat\.$/);
    assert.match(
      lines.join('\n'),
      /^Cannot be sealed: Dictation and Semantic search .*\. Only services of GitHub can do this\.$/m,
    );
    assert.deepEqual(await buttons(view), ['Seal with Other Models…', 'Turn Off What Cannot Be Sealed', 'Undo']);
    const isSecondary = await view.button('Turn Off What Cannot Be Sealed').getAttribute('secondary');
    assert.equal(isSecondary, null); // what is not sealed can only be turned off
    await view.button('Undo').press('Space');
    assert.deepEqual(await view.actions(), [{ type: 'sealing', action: 'undo' }]);
  });

  it('never leaves the focus on a button that has become another one', async () => {
    const view = await suite.openAt('sidePrompts');
    const before = await buttons(view);
    await show(view, SEALED_SIDE_PROMPTS);
    for (const title of before.filter((one) => one !== 'Seal')) {
      await show(view, SIDE_PROMPTS);
      await view.button(title).focus();
      await show(view, SEALED_SIDE_PROMPTS);
      assert.equal(await view.page.evaluate(() => document.activeElement?.textContent.trim()), title);
    }
    await show(view, SIDE_PROMPTS);
    await view.page.locator('vscode-button', { hasText: /^\s*Seal\s*$/ }).focus();
    await show(view, SEALED_SIDE_PROMPTS);
    assert.equal(await view.page.evaluate(() => document.activeElement?.localName), 'body');
  });

  it('names the settings of a row with their values under its details, and opens them', async () => {
    const view = await suite.openAt('sidePrompts');
    assert.doesNotMatch(await view.panel(), /inlineChat\.defaultModel/);
    await view.page.locator('summary', { hasText: 'Inline chat' }).focus();
    await view.page.keyboard.press('Enter');
    assert.match(
      await row(view, 'Inline chat').innerText(),
      /inlineChat\.defaultModel\s+Now empty\. After sealing "Large 1 \(sealed-proxy\)"\./,
    );
    await view.page.keyboard.press('Tab');
    await view.page.keyboard.press('Enter');
    assert.deepEqual(await view.actions(), [{ type: 'sidePromptSettings', title: 'Inline chat' }]);
  });

  it('keeps its rows and their headings for screen readers in a tab of 400 pixels, and shows them in the cells', async () => {
    const view = await suite.openAt('sidePrompts', { width: 400 });
    assert.equal(await view.page.getByRole('columnheader').count(), 3);
    assert.equal(await view.page.getByRole('rowheader', { name: 'Inline chat', exact: true }).count(), 1);
    assert.match(
      (await row(view, 'Inline chat').innerText()).replaceAll(/\s+/g, ' '),
      /^Inline chat Now GitHub After sealing Sealed$/,
    );
    const [title, now, after] = await Promise.all(
      ['th', 'td:nth-child(2)', 'td:nth-child(3)'].map((cell) => row(view, 'Inline chat').locator(cell).boundingBox()),
    );
    assert.ok(title && now && after);
    assert.ok(now.y >= title.y + title.height - 1 && after.y === now.y && after.x > now.x);
    assert.ok(after.x + after.width <= 400);
  });

  it('offers to set an API key while there are no models, and does not guess', async () => {
    const view = await suite.openAt('sidePrompts');
    const state = { ...STATE.state, prompts: NO_KEY_PROMPTS, sidePrompts: sidePromptsOf({ models: [] }) };
    await view.show({ type: 'state', state });
    assert.match(await view.panel(), /Sealed Proxy offers no models at the moment, so nothing can be sealed\./);
    assert.deepEqual(await cells(view, TITLES), [TITLES, 'GitHub, if you sign in']);
    await view.button('Set API Key').click();
    assert.deepEqual(await view.actions(), [{ type: 'command', name: 'setApiKey' }]);
  });

  it('has one button that stands out: while nothing is sealed, what repairs that', async () => {
    const view = await suite.openAt('sidePrompts');
    const primary = async () =>
      trimmed(await view.page.locator('.buttons vscode-button:not([secondary])').allInnerTexts());
    assert.deepEqual(await primary(), ['Seal']);
    await view.show({ type: 'state', state: { ...STATE.state, prompts: NO_KEY_PROMPTS } });
    assert.deepEqual(await primary(), ['Set API Key']);
  });

  it('waits for the editor', async () => {
    const view = await suite.openAt('sidePrompts');
    await show(view, null);
    assert.match(await view.panel(), /VS Code has not reported its models and settings yet\./);
  });

  it('takes the focus to its tab when a button of another section has opened it', async () => {
    const view = await suite.openAt('prompts');
    await view.button("Seal or Turn Off… (VS Code's side prompts)").focus();
    await view.show({ type: 'show', section: 'sidePrompts' });
    assert.equal(await view.page.evaluate(() => document.activeElement?.id), 'tab-sidePrompts');
  });
});
