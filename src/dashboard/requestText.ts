// What is said about a request. Pure.
import { capitalized } from '../presentation/text.ts';
import type { RequestRecord } from '../shared/activity.ts';
import { failureOf } from './requestFailures.ts';

/** By path, as the proxy's log names it. */
const ROUTES: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'Chat',
  '/v1/embeddings': 'Embeddings',
  '/v1/models': 'Models',
  '/anthropic/v1/messages': 'Messages',
  '/anthropic/v1/messages/count_tokens': 'Messages: token count',
  '/anthropic/v1/models': 'Messages: models',
  '/anthropic/v1/models/{id}': 'Messages: model',
  '/responses/v1/responses': 'Responses',
  '/responses/v1/responses/input_tokens': 'Responses: token count',
  '/responses/v1/responses/compact': 'Responses: compaction',
  '/responses/v1/models': 'Responses: models',
  '/responses/v1/models/{id}': 'Responses: model',
};

/** What was requested, in one or two words. */
export function describeRoute({ path }: RequestRecord): string {
  return (Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined) ?? 'Other';
}

/** Of the output, once the first byte has arrived; null for a response that was not streamed. */
export function tokensPerSecond({ tokensOut, firstByteMs, durationMs, outcome }: RequestRecord): number | null {
  if (outcome === null || tokensOut === null || tokensOut === 0 || firstByteMs === null) return null;
  const seconds = (durationMs - firstByteMs) / 1000;
  return seconds < SHORTEST ? null : tokensOut / seconds;
}

/** A response that arrives at once says nothing about the speed of the model, in seconds. */
const SHORTEST = 0.05;

/** How it ended, in a few words; of a failure, the reason, with the models that `failureOf` takes. */
export function describeEnd(record: RequestRecord, models: readonly string[] = []): string {
  switch (record.outcome) {
    case null:
      return record.status === 0 ? 'Waiting for the backend' : 'Running';
    case 'answered':
      return 'Completed';
    case 'cancelled':
      return 'Cancelled by the client';
    case 'failed':
    case 'refused':
    case 'broken':
      return capitalized(failureOf(record, models).reason);
  }
}

/** As `describeEnd`, but a failure says that it is one. */
export function describeResult(record: RequestRecord, models: readonly string[] = []): string {
  return hasFailed(record) ? `Failed: ${failureOf(record, models).reason}` : describeEnd(record);
}

export function hasFailed({ outcome }: RequestRecord): boolean {
  return outcome === 'failed' || outcome === 'refused' || outcome === 'broken';
}
