import assert from 'node:assert/strict';
import { endedRequest, requests, runningRequest } from './support/samples.ts';
import { NOW, dashboardSuite, trimmed } from './support/suite.ts';

describe('The section Requests', () => {
  const suite = dashboardSuite();

  it('has a sentence in place of an empty table', async () => {
    const view = await suite.openAt('requests');
    assert.equal(await view.panel(), 'Requests No requests yet. They appear here as soon as a client sends one.');
  });

  it('shows running requests first, then the latest ones', async () => {
    const view = await suite.openAt('requests');
    const ended = [1, 2, 3, 5].map((id) => endedRequest(id, NOW, { outcome: 'failed', status: 430 + id }));
    await view.show({
      type: 'requests',
      reset: true,
      requests: [...ended, runningRequest(4, NOW, 0), runningRequest(6, NOW, 0)],
    });
    assert.deepEqual(trimmed(await view.page.locator('tbody td.end').allTextContents()), [
      ...['Running', 'Running'],
      ...[5, 3, 2, 1].map((id) => `Failed with status ${430 + id}`),
    ]);
    assert.match(await view.panel(), /6 requests, 2 running/);
  });

  it('shows every number of a request, and a dash for what is unknown', async () => {
    const view = await suite.openAt('requests');
    const row = endedRequest(1, NOW, {
      ...{ client: 'Codex', path: '/responses/v1/responses', model: 'gpt-oss-120b', status: 200, firstByteMs: 1234 },
      ...{ durationMs: 83_000, tokensIn: 12_345, tokensOut: 3410, tokensCached: null },
    });
    await view.show({ type: 'requests', reset: true, requests: [row] });
    const cells = trimmed(await view.page.locator('tbody td').allTextContents());
    assert.deepEqual(cells.slice(1), [
      ...[
        'Codex',
        'Responses',
        'gpt-oss-120b',
        '200',
        '1.2 s',
        '1 min 23 s',
        '12,345',
        '3,410',
        '–',
        '42',
        'Completed',
      ],
    ]);
  });

  it('replaces a row by the one with its ID, and counts the duration of a running one', async () => {
    const view = await suite.openAt('requests');
    await view.show({ type: 'requests', reset: true, requests: [runningRequest(1, NOW, 61_000)] });
    const duration = view.page.locator('tbody td:nth-child(7)');
    assert.match((await duration.textContent()) ?? '', /^1 min \d s$/);
    await view.page.waitForFunction(() => document.querySelector('tbody td:nth-child(7)')?.textContent === '1 min 2 s');
    await view.show({ type: 'requests', reset: false, requests: [endedRequest(1, NOW, { durationMs: 65_000 })] });
    assert.deepEqual(await duration.allTextContents(), ['1 min 5 s']);
  });

  it('shows the last 500, and those of one client on demand', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 700));
    assert.equal(await view.page.locator('tbody tr').count(), 500);
    await view.page.getByLabel('Client').selectOption('Codex');
    await view.show();
    const names = new Set(trimmed(await view.page.locator('tbody td:nth-child(2)').allTextContents()));
    assert.deepEqual([...names], ['Codex']);
    assert.deepEqual(await view.saved(), { section: 'requests', client: 'Codex', range: 'day', by: 'client' });
    await view.show({ type: 'requests', reset: true, requests: [endedRequest(1, NOW, { client: 'Cline' })] });
    assert.match(await view.panel(), /This client has sent no requests\.$/);
  });

  it('keeps the header in view while the table scrolls', async () => {
    const view = await suite.openAt('requests');
    await view.show(requests(NOW, 200));
    const header = view.page.locator('thead');
    const before = await header.boundingBox();
    await view.page.locator('.requests').evaluate((scroller) => {
      scroller.scrollTop = 1500;
    });
    assert.ok((await view.page.locator('.requests').evaluate(({ scrollTop }) => scrollTop)) > 1000);
    assert.deepEqual(
      await view.page
        .locator('thead th')
        .first()
        .boundingBox()
        .then((box) => box?.y),
      before?.y,
    );
  });
});
