import assert from 'node:assert/strict';
import {
  describeEnd,
  describeResult,
  describeRoute,
  hasFailed,
  tokensPerSecond,
} from '../../../src/dashboard/requestText.ts';
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
  it('says how each request ended, and describeResult() that a failure is one', () => {
    for (const [change, end, result = end] of [
      [{}, 'Completed'],
      [{ outcome: null, end: '', status: 0 }, 'Waiting for the backend'],
      [{ outcome: null, end: '' }, 'Running'],
      [{ outcome: 'cancelled', end: 'client-gone' }, 'Cancelled by the client'],
      [{ outcome: 'failed', status: 418 }, 'Status 418', 'Failed: status 418'],
      [{ outcome: 'refused', status: 401 }, 'Key missing or invalid', 'Failed: key missing or invalid'],
      [{ outcome: 'broken', end: 'network' }, 'Backend unreachable', 'Failed: backend unreachable'],
    ] as const) {
      const record = requestRecord(change);
      const isFailure = result !== end;
      assert.deepEqual([describeEnd(record), describeResult(record), hasFailed(record)], [end, result, isFailure]);
    }
  });
});
