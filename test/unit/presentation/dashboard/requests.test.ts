import assert from 'node:assert/strict';
import { requestRow } from '../../../../src/presentation/dashboard/requests.ts';
import type { RequestRecord } from '../../../../src/shared/activity.ts';
import { AT } from '../../../support/statuses.ts';

const RECORD: RequestRecord = {
  id: 7,
  at: AT,
  caller: 'abc',
  method: 'POST',
  path: '/v1/chat/completions',
  model: 'glm-5-2',
  status: 200,
  firstByteMs: 500,
  durationMs: 2500,
  tokensIn: 10,
  tokensOut: 100,
  tokensCached: 3,
  outcome: 'answered',
  end: 'complete',
};
const row = (change: Partial<RequestRecord> = {}) =>
  requestRow({ ...RECORD, ...change }, (caller) => `name of ${caller}`);

describe('requestRow()', () => {
  it('shows the client, the route in words, and the tokens per second after the first byte', () => {
    assert.deepEqual(row(), {
      id: 7,
      at: AT,
      client: 'name of abc',
      route: 'Chat',
      model: 'glm-5-2',
      status: 200,
      firstByteMs: 500,
      durationMs: 2500,
      tokensIn: 10,
      tokensOut: 100,
      tokensCached: 3,
      tokensPerSecond: 50,
      end: 'Completed',
      tone: 'good',
      running: false,
    });
  });

  it('names each route, and a path that the proxy does not serve', () => {
    for (const [path, route] of [
      ['/v1/embeddings', 'Embeddings'],
      ['/v1/models', 'Models'],
      ['/anthropic/v1/messages', 'Messages'],
      ['/responses/v1/responses', 'Responses'],
      ['other', 'Other'],
      ['constructor', 'Other'],
    ] as const) {
      assert.equal(row({ path }).route, route);
    }
  });

  it('shows no speed without tokens or times, while the request runs, or if the response came at once', () => {
    for (const change of [
      { tokensOut: null },
      { tokensOut: 0 },
      { firstByteMs: null },
      { firstByteMs: 2490 },
      { outcome: null, end: '' },
    ] as const) {
      assert.equal(row(change).tokensPerSecond, null);
    }
  });

  it('says how each request ended', () => {
    for (const [change, end, tone] of [
      [{ outcome: null, end: '', status: 0 }, 'Waiting for the backend', 'neutral'],
      [{ outcome: null, end: '' }, 'Running', 'neutral'],
      [{ outcome: 'cancelled', end: 'client-gone' }, 'Cancelled by the client', 'neutral'],
      [{ outcome: 'failed', status: 404 }, 'Unknown model or path', 'error'],
      [{ outcome: 'failed', status: 418 }, 'Failed with status 418', 'error'],
      [{ outcome: 'refused', status: 401 }, 'Key missing or invalid', 'error'],
      [{ outcome: 'refused', status: 503, end: 'busy' }, 'Too many requests at once', 'error'],
      [{ outcome: 'refused', status: 502, end: 'network' }, 'Backend unreachable', 'error'],
      [{ outcome: 'refused', status: 502, end: 'image_unconfirmed' }, 'New image not accepted', 'error'],
      [{ outcome: 'refused', status: 502, end: 'image_refused' }, 'Image refused by you', 'error'],
      [{ outcome: 'broken', end: 'truncated' }, 'Response damaged or cut off', 'error'],
      [{ outcome: 'broken', end: 'some_new_code' }, 'Interrupted: some_new_code', 'error'],
    ] as const) {
      const shown = row(change);
      assert.deepEqual([shown.end, shown.tone], [end, tone]);
      assert.equal(shown.running, change.outcome === null);
    }
  });

  it('shows a hostile model as one short line of visible characters', () => {
    const { model } = row({ model: `<b>\u202e\u001b[0m${'y'.repeat(10_000)}` });
    assert.ok(model.startsWith('<b>\ufffd\ufffd[0myy') && model.length <= 200, model);
  });
});
