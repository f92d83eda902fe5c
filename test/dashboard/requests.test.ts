import assert from 'node:assert/strict';
import type { NamedRequest } from '../../src/dashboard/model.ts';
import { endedRequest, requests, runningRequest } from './support/samples.ts';
import { NOW, dashboardSuite, trimmed } from './support/suite.ts';

const SAVED = {
  section: 'requests',
  client: undefined,
  shown: 'all',
  ownChecks: false,
  details: false,
  range: 'day',
  by: 'client',
};

/** A message with these requests alone. */
function only(...rows: readonly NamedRequest[]) {
  return { type: 'requests', reset: true, requests: rows } as const;
}

const BROKEN = {
  outcome: 'broken',
  status: 502,
  end: 'network',
  model: null,
  tokensIn: null,
  tokensOut: null,
} as const;

describe('The section Requests', () => {
  const suite = dashboardSuite();
  const openWith = async (...rows: readonly NamedRequest[]) => {
    const view = await suite.openAt('requests');
    await view.show(only(...rows));
    return { view, items: view.page.locator('.requests > li'), results: view.page.locator('.result') };
  };

  it('has a sentence in place of an empty list', async () => {
    const view = await suite.openAt('requests');
    assert.equal(await view.panel(), 'Requests No requests yet. They appear here as soon as a client sends one.');
  });

  it('shows running requests first, then the latest ones', async () => {
    const ended = [1, 2, 3, 5].map((id) => endedRequest(id, NOW, { outcome: 'failed', status: 430 + id }));
    const { results } = await openWith(...ended, runningRequest(4, NOW, 0), runningRequest(6, NOW, 0));
    assert.deepEqual(trimmed(await results.allTextContents()), [
      ...['Running', 'Running'],
      ...[5, 3, 2, 1].map((id) => `Failed: status ${430 + id}`),
    ]);
  });

  it('begins each row with its result in words, and a failure looks like none of the others', async () => {
    const { items } = await openWith(
      endedRequest(1, NOW),
      endedRequest(2, NOW, { outcome: 'cancelled', end: 'client-gone' }),
      endedRequest(3, NOW, BROKEN),
      runningRequest(4, NOW, 0),
      { ...runningRequest(5, NOW, 0), status: 0 },
    );
    const looks = await items.evaluateAll((rows) =>
      rows.map((row) => {
        const [result, icon] = [row.querySelector('.result'), row.querySelector('.icon')];
        const color = result === null ? '' : getComputedStyle(result).color;
        return { text: row.textContent.trim(), color, icon: icon?.innerHTML ?? '' };
      }),
    );
    const words = ['Waiting for the backend', 'Running', 'Failed: backend unreachable', 'Cancelled by the client'];
    for (const [index, word] of [...words, 'Completed'].entries()) assert.ok(looks[index]?.text.startsWith(word), word);
    const [failed, ...others] = [looks[2], looks[0], looks[1], looks[3], looks[4]];
    for (const other of others) assert.ok(other?.color !== failed?.color && other?.icon !== failed?.icon, other?.text);
  });

  it('shows every number of a request with words, and leaves out what is unknown', async () => {
    const known = endedRequest(1, NOW, {
      ...{ client: 'Codex', path: '/responses/v1/responses', model: 'gpt-oss-120b', status: 200, firstByteMs: 1234 },
      ...{ durationMs: 83_000, tokensIn: 12_345, tokensOut: 3410, tokensCached: 1024, requestedModel: 'gpt-oss-120b' },
    });
    const { items, view } = await openWith(known);
    const text = async () =>
      (await items.first().innerText())
        .replaceAll(/\s+/g, ' ')
        .replace(/ \d\d:\d\d:\d\d/, '')
        .trim();
    assert.equal(
      await text(),
      'Completed gpt-oss-120b Codex Responses 12,345 tokens in (1,024 cached) 3,410 tokens out first byte after 1.2 s ' +
        'took 1 min 23 s 42 tokens per second',
    );
    const unknown = { model: null, requestedModel: null, tokensIn: null, tokensOut: null, tokensCached: null };
    await view.show(only({ ...known, ...unknown, firstByteMs: null }));
    assert.equal(await text(), 'Completed Codex Responses took 1 min 23 s');
  });

  it('names the model that the client asked for where another one answered', async () => {
    const models = { model: 'gpt-oss-120b', requestedModel: 'claude-sonnet-4-5' };
    const { items } = await openWith(
      endedRequest(1, NOW, models),
      endedRequest(2, NOW, { ...models, requestedModel: models.model }),
      endedRequest(3, NOW, { ...models, ...BROKEN }),
    );
    const [failed = '', same = '', other = ''] = (await items.allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, ' '),
    );
    assert.match(other, /gpt-oss-120b instead of claude-sonnet-4-5/);
    assert.doesNotMatch(same, /instead of/);
    assert.match(failed, /unreachable claude-sonnet-4-5/);
    assert.doesNotMatch(failed, /instead of/);
  });

  it('says what to do about a failure, with a button', async () => {
    const { items, view } = await openWith(
      endedRequest(1, NOW, BROKEN),
      endedRequest(2, NOW, { outcome: 'failed', status: 401, caller: 'x' }),
    );
    const [refused = '', broken = ''] = await items.allInnerTexts();
    assert.match(refused, /Failed: the backend refused the API key[^]*Set a new one\.[^]*status 401/);
    assert.match(broken, /Check your network[^]*status 502/);
    await view.button('Set API Key').click();
    await view.button('Run Diagnostics').focus();
    await view.page.keyboard.press('Enter');
    assert.deepEqual(await view.actions(), [
      { type: 'command', name: 'setApiKey' },
      { type: 'command', name: 'diagnose' },
    ]);
  });

  it('has the singular for one token', async () => {
    const { items } = await openWith(endedRequest(1, NOW, { tokensIn: 1, tokensOut: 1, tokensCached: null }));
    assert.match(await items.innerText(), /\b1 token in\b[^]*\b1 token out\b/);
  });

  it('names a model that the backend does not offer, with a button that opens the list of models', async () => {
    const request = endedRequest(1, NOW, { outcome: 'failed', status: 400, model: null, requestedModel: 'gpt-4o' });
    const { items, view } = await openWith(request);
    assert.match(await items.innerText(), /Failed: the backend does not know the model gpt-4o[^]*Select one that/);
    await view.button('Show Models').click();
    await view.page.waitForFunction(() => document.activeElement?.ariaLabel === 'Models');
    await view.show();
    assert.ok(await view.page.getByRole('region', { name: 'Models' }).isVisible());
    assert.deepEqual(await view.saved(), { ...SAVED, section: 'overview', details: true });
  });

  it('replaces a row by the one with its ID, and counts the duration of a running one', async () => {
    const { view } = await openWith(runningRequest(1, NOW, 61_000));
    const duration = view.page.locator('.duration');
    assert.match((await duration.textContent()) ?? '', /^running for 1 min \d s$/);
    await view.page.waitForFunction(() => document.querySelector('.duration')?.textContent.endsWith('1 min 2 s'));
    await view.show({ type: 'requests', reset: false, requests: [endedRequest(1, NOW, { durationMs: 65_000 })] });
    assert.deepEqual(await duration.allTextContents(), ['took 1 min 5 s']);
  });

  it('shows the last 500, and those of one client on demand', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 700));
    const items = view.page.locator('.requests > li');
    assert.equal(await items.count(), 500);
    await view.page.getByLabel('Client').selectOption('Codex');
    await view.show();
    assert.equal(await items.count(), await items.filter({ hasText: 'Codex' }).count());
    assert.deepEqual(await view.saved(), { ...SAVED, client: 'Codex' });
    await view.show(only(endedRequest(1, NOW, { client: 'Cline' })));
    assert.match(await view.panel(), /This client has sent no requests\.$/);
  });

  it('filters by result, with counts, by keyboard, and keeps the filter', async () => {
    const { view, results } = await openWith(
      endedRequest(1, NOW),
      endedRequest(2, NOW, BROKEN),
      endedRequest(3, NOW, BROKEN),
      runningRequest(4, NOW, 0),
    );
    const shown = async () => trimmed(await results.allTextContents());
    const failure = 'Failed: backend unreachable';
    assert.deepEqual(await shown(), ['Running', failure, failure, 'Completed']);
    await view.page.getByRole('radio', { name: 'All 4' }).focus();
    await view.page.keyboard.press('ArrowRight');
    await view.show();
    assert.ok(await view.page.getByRole('radio', { name: 'Failed 2' }).isChecked());
    assert.deepEqual(await shown(), [failure, failure]);
    await view.show({ type: 'requests', reset: false, requests: [endedRequest(5, NOW, BROKEN)] });
    assert.deepEqual(await shown(), [failure, failure, failure]);
    assert.deepEqual(await view.saved(), { ...SAVED, shown: 'failed' });
    await view.page.keyboard.press('ArrowRight');
    await view.show();
    assert.deepEqual(await shown(), ['Running']);
    await view.show({ type: 'requests', reset: false, requests: [endedRequest(4, NOW)] });
    assert.match(await view.panel(), /All 5 Failed 3 Running 0 .*No request is running\.$/);
  });

  it('shows and counts its own checks only on demand', async () => {
    const own = { isCheck: true, client: 'The extension', path: '/v1/models', model: null };
    const { view, items } = await openWith(endedRequest(1, NOW, { ...own, ...BROKEN }), endedRequest(2, NOW, own));
    assert.match(await view.panel(), /All 0 Failed 0 Running 0 .*No requests yet/);
    await view.show({ type: 'requests', reset: false, requests: [endedRequest(3, NOW)] });
    assert.equal(await items.count(), 1);
    assert.deepEqual(await view.page.locator('#client option').count(), 2);
    await view.page.getByLabel('Show own checks').press('Space');
    await view.show();
    assert.match(await view.panel(), /All 3 Failed 1 Running 0 /);
    assert.equal(await items.count(), 3);
    assert.deepEqual(await view.saved(), { ...SAVED, ownChecks: true });
  });

  // 320 pixels are 640 at 200 % zoom.
  for (const width of [320, 400, 800, 1440]) {
    it(`never scrolls sideways at ${width} pixels, whatever is in it, and has two lines where there is room`, async () => {
      const view = await suite.openAt('requests', { width });
      const long = 'long'.repeat(50);
      const names = { client: long, model: long, requestedModel: `${long}2` };
      await view.show(requests(NOW, 40));
      const heights = await view.page
        .locator('.requests .line')
        .evaluateAll((all) => all.map((line) => line.clientHeight));
      if (width === 1440) assert.ok(Math.max(...heights) < 60, String(heights));
      await view.show(only(endedRequest(1, NOW, { ...names, ...BROKEN, end: long }), endedRequest(2, NOW, names)));
      const over = await view.page
        .locator('#panel, .requests, .requests *')
        .evaluateAll((all) =>
          all
            .filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollLeft > 0)
            .map(({ outerHTML }) => outerHTML),
        );
      assert.deepEqual(over, []);
      assert.equal(await view.page.locator('#panel').evaluate((panel) => panel.scrollWidth - panel.clientWidth), 0);
    });
  }

  it('has its filters side by side in a tab of 800 pixels', async () => {
    const view = await suite.openAt('requests', { width: 800 });
    await view.show(requests(NOW, 3));
    let end = 0;
    for (const part of ['.filters fieldset', 'label[for=client]', '#client', '.check']) {
      const box = await view.page.locator(part).boundingBox();
      assert.ok(box !== null && box.x >= end, `${part} begins at ${box?.x}, and the one before ends at ${end}`);
      end = box.x + box.width;
    }
  });

  it('keeps the filters in view while the list scrolls', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 200));
    await view.page.locator('#panel').evaluate((panel) => {
      panel.scrollTop = 1500;
    });
    const [panel, filters] = [
      await view.page.locator('#panel').boundingBox(),
      await view.page.locator('.filters').boundingBox(),
    ];
    assert.ok(panel !== null && filters !== null);
    assert.ok(filters.y >= panel.y - 1 && filters.y < panel.y + 20, `${filters.y} in ${panel.y}`);
  });

  it('is a list for a screen reader', async () => {
    const { view } = await openWith(endedRequest(1, NOW), endedRequest(2, NOW, BROKEN));
    const list = view.page.getByRole('list', { name: 'Requests, running ones first' });
    assert.equal(await list.getByRole('listitem').count(), 2);
    assert.equal(await view.page.getByRole('group', { name: 'Requests' }).getByRole('radio').count(), 3);
  });
});
