// Requests and sums of them, as a proxy reports them.
import type { RequestRecord, UsageSum } from '../../src/shared/activity.ts';

/** A chat that has ended, unless `change` says otherwise. */
export function requestRecord(change: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: 1,
    at: 5,
    caller: 'direct',
    isCheck: false,
    method: 'POST',
    path: '/v1/chat/completions',
    model: 'glm-5',
    requestedModel: 'glm-5',
    status: 200,
    firstByteMs: 50,
    durationMs: 90,
    tokensIn: 10,
    tokensOut: 20,
    tokensCached: 4,
    outcome: 'answered',
    end: 'complete',
    isUnsent: false,
    detail: null,
    ...change,
  };
}

/** Five requests of one client to one model in an hour, unless `change` says otherwise. */
export function usageSum(change: Partial<UsageSum> = {}): UsageSum {
  return {
    hour: 3_600_000,
    caller: '0123456789abcdef',
    model: 'glm-5',
    requests: 5,
    errors: 2,
    cancelled: 1,
    tokensIn: 10,
    tokensOut: 20,
    tokensCached: 4,
    firstByte: { '12': 2 },
    ...change,
  };
}
