import assert from 'node:assert/strict';
import { describeEnd, describeRoute, hasFailed, tokensPerSecond } from '../../../src/dashboard/requestText.ts';
import type { RequestRecord } from '../../../src/shared/activity.ts';
import { requestRecord } from '../../support/requestRecords.ts';

describe('describeRoute()', () => {
  it('names each route, and a path that the proxy does not serve', () => {
    for (const [path, route] of [
      ['/v1/chat/completions', 'Chat'],
      ['/v1/embeddings', 'Embeddings'],
      ['/v1/models', 'Models'],
      ['/anthropic/v1/messages', 'Messages'],
      ['/responses/v1/responses', 'Responses'],
      ['other', 'Other'],
      ['constructor', 'Other'],
    ] as const) {
      assert.equal(describeRoute(requestRecord({ path })), route);
    }
  });
});

describe('tokensPerSecond()', () => {
  const record = (change: Partial<RequestRecord> = {}) =>
    requestRecord({ firstByteMs: 500, durationMs: 2500, tokensOut: 100, ...change });

  it('counts from the first byte', () => {
    assert.equal(tokensPerSecond(record()), 50);
  });

  it('is unknown without tokens or times, while the request runs, or if the response came at once', () => {
    for (const change of [
      { tokensOut: null },
      { tokensOut: 0 },
      { firstByteMs: null },
      { firstByteMs: 2490 },
      { outcome: null, end: '' },
    ] as const) {
      assert.equal(tokensPerSecond(record(change)), null);
    }
  });
});

describe('describeEnd()', () => {
  it('says how each request ended', () => {
    for (const [change, end, failed] of [
      [{}, 'Completed', false],
      [{ outcome: null, end: '', status: 0 }, 'Waiting for the backend', false],
      [{ outcome: null, end: '' }, 'Running', false],
      [{ outcome: 'cancelled', end: 'client-gone' }, 'Cancelled by the client', false],
      [{ outcome: 'failed', status: 404 }, 'Unknown model or path', true],
      [{ outcome: 'failed', status: 418 }, 'Failed with status 418', true],
      [{ outcome: 'refused', status: 401 }, 'Key missing or invalid', true],
      [{ outcome: 'refused', status: 503, end: 'busy' }, 'Too many requests at once', true],
      [{ outcome: 'refused', status: 502, end: 'network' }, 'Backend unreachable', true],
      [{ outcome: 'refused', status: 502, end: 'image_unconfirmed' }, 'New image not accepted', true],
      [{ outcome: 'refused', status: 502, end: 'image_refused' }, 'Image refused by you', true],
      [{ outcome: 'broken', end: 'truncated' }, 'Response damaged or cut off', true],
      [{ outcome: 'broken', end: 'some_new_code' }, 'Interrupted: some_new_code', true],
    ] as const) {
      const record = requestRecord(change);
      assert.deepEqual([describeEnd(record), hasFailed(record)], [end, failed]);
    }
  });
});
