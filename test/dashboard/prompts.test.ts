import assert from 'node:assert/strict';
import { VERDICTS } from '../../src/promptMap/sender.ts';
import {
  DEVELOPMENT_PROMPTS,
  NO_KEY_PROMPTS,
  PROMPTS,
  REFUSED_PROMPTS,
  UNREACHABLE_PROMPTS,
} from './support/promptSamples.ts';
import { STATE, dashboardSuite, trimmed } from './support/suite.ts';

describe('The section Where Prompts Go', () => {
  const suite = dashboardSuite();

  it('says of each sender, in words, where its prompts go', async () => {
    const view = await suite.openAt('prompts');
    const gemini = view.page.locator('.sender', { hasText: 'Gemini Code Assist' });
    assert.match(await gemini.innerText(), /^Not sealed\s+Gemini Code Assist\s+Sends prompts to Google\./);
    assert.deepEqual(
      trimmed(await view.page.locator('.sender-verdict').allInnerTexts()),
      PROMPTS.senders.map(({ verdict }) => VERDICTS[verdict].word),
    );
  });

  it('counts the verdicts above the list', async () => {
    const view = await suite.openAt('prompts');
    const counts = trimmed(await view.page.locator('.counts li').allInnerTexts());
    assert.deepEqual(
      counts.map((text) => text.replaceAll(/\s+/g, ' ')),
      ['3 Not sealed', '1 Partly sealed', '3 Unknown', '1 Depends on the model', '2 Sealed', '1 Sends none'],
    );
  });

  it('names those of each verdict below its sentence, over the width of the banner', async () => {
    const view = await suite.openAt('prompts', { width: 1600 });
    assert.equal(await view.page.locator('.headline').innerText(), 'Only 2 of 10 are sealed.');
    assert.deepEqual(trimmed(await view.page.locator('.verdicts li').allInnerTexts()), [
      'Not sealed: Codex, Gemini Code Assist and Copilot CLI',
      "Partly sealed: VS Code's side prompts",
      'Unknown: Agents built into VS Code, Acme Helper and Aider',
      "Depends on the model: VS Code's chat",
      'Sealed: Claude Code and opencode',
    ]);
    const [banner, lines] = await Promise.all(
      ['.banner', '.verdicts'].map((part) => view.page.locator(part).boundingBox()),
    );
    assert.ok(banner && lines && lines.width > banner.width - 100, JSON.stringify([banner, lines]));
  });

  it('counts as many of each verdict as it lists, in each state', async () => {
    const view = await suite.openAt('prompts');
    for (const prompts of [DEVELOPMENT_PROMPTS, NO_KEY_PROMPTS, REFUSED_PROMPTS, UNREACHABLE_PROMPTS]) {
      await view.show({ type: 'state', state: { ...STATE.state, prompts } });
      const rows = trimmed(await view.page.locator('.sender-verdict').allInnerTexts());
      const counts = trimmed(await view.page.locator('.counts li').allInnerTexts());
      for (const count of counts) {
        const [, number, word] = /^(\d+)\s+(\S.*)$/.exec(count) ?? [];
        assert.equal(rows.filter((row) => row === word).length, Number(number), count);
      }
      assert.equal(await view.page.locator('.counts .tone-good').count(), 0); // nothing is sealed in these states
    }
  });

  it('has a different picture for each verdict', async () => {
    const view = await suite.openAt('prompts');
    const pictures = new Map<string, string>();
    for (const prompts of [PROMPTS, DEVELOPMENT_PROMPTS, UNREACHABLE_PROMPTS]) {
      await view.show({ type: 'state', state: { ...STATE.state, prompts } });
      const found = await view.page
        .locator('.sender-verdict')
        .evaluateAll((all) => all.map((each) => [each.textContent.trim(), each.querySelector('svg')?.innerHTML ?? '']));
      for (const [word = '', picture = ''] of found) pictures.set(word, picture);
    }
    assert.deepEqual(
      [...pictures.keys()].toSorted(),
      Object.values(VERDICTS)
        .map(({ word }) => word)
        .toSorted(),
    );
    assert.equal(new Set(pictures.values()).size, pictures.size);
  });

  it('sends the id of the sender whose button is pressed', async () => {
    const view = await suite.openAt('prompts');
    await view.button('Connect… (Codex)').click();
    await view.button("Seal or Turn Off… (VS Code's side prompts)").press('Enter');
    assert.deepEqual(await view.actions(), [
      { type: 'remedy', id: 'assistant:codex' },
      { type: 'remedy', id: 'sidePrompts' },
    ]);
  });

  it('has no button for a sender without a remedy', async () => {
    const view = await suite.openAt('prompts');
    const claude = view.page.locator('.sender', { hasText: 'Claude Code' });
    assert.equal(await claude.locator('vscode-button').count(), 0);
  });

  it('shows the details of a sender on request', async () => {
    const view = await suite.openAt('prompts');
    const claude = view.page.locator('.sender', { hasText: 'Claude Code' });
    await claude.locator('summary').click();
    assert.match(
      await claude.innerText(),
      /Titles and summaries\s+To Sealed Proxy \(env\.ANTHROPIC_DEFAULT_HAIKU_MODEL/,
    );
  });

  it('announces a new state, offers what helps, and explains an empty group', async () => {
    const view = await suite.openAt('prompts');
    await view.show({ type: 'state', state: { ...STATE.state, prompts: NO_KEY_PROMPTS } });
    assert.match(await view.page.locator('[role=status]').innerText(), /Sealed Proxy needs an API key\./);
    await view.button('Set API Key').click();
    assert.deepEqual(await view.actions(), [{ type: 'command', name: 'setApiKey' }]);
    await view.show({ type: 'state', state: { ...STATE.state, prompts: { ...NO_KEY_PROMPTS, senders: [] } } });
    assert.match(await view.panel(), /No AI extensions are installed\..*No known command-line assistants were found/);
    assert.doesNotMatch(await view.panel(), /This Editor/);
  });
});
