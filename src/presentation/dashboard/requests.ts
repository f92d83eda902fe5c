// The latest requests as rows of the dashboard. Pure.
import type { RequestRow, Tone } from '../../dashboard/model.ts';
import type { RequestRecord } from '../../shared/activity.ts';
import { LONGEST_NAME, asPlain } from '../../shared/escape.ts';

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

/** What ended a request, by the code in the log; docs/troubleshooting.md explains the codes. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^network$/, 'the backend could not be reached'],
  [/^timeout$/, 'the backend did not respond in time'],
  [/^(attestation_refused|weak_public_key|session_id_mismatch)$/, 'the enclave could not be verified'],
  [/^history_unavailable$/, 'the list of images could not be downloaded'],
  [/^(handshake_|response_)/, 'the server is not a working enclave'],
  [/^session_rejected$/, 'the enclave rejected the session'],
  [/^(record_|truncated$)/, 'the response was damaged or cut off'],
  [/^enclave_error$/, 'the enclave reported an error'],
  [/^request_too_large$/, 'the headers are too large'],
  [/^body_too_large$/, 'the body is too large'],
  [/^busy$/, 'too many requests at once'],
  [/^upload_timeout$/, 'the client stopped sending'],
  [/^read_timeout$/, 'the client stopped reading'],
  [/^invalid_response$/, 'the response cannot be translated, or reports an error'],
  [/^translation_failed$/, 'the translation failed'],
];

/** @param nameOf the name of a caller */
export function requestRow(record: RequestRecord, nameOf: (caller: string) => string): RequestRow {
  const { id, at, caller, path, model, status, firstByteMs, durationMs, outcome } = record;
  const { tokensIn, tokensOut, tokensCached } = record;
  return {
    id,
    at,
    client: nameOf(caller),
    route: (Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined) ?? 'Other',
    model: asPlain(model ?? '', LONGEST_NAME),
    status,
    firstByteMs,
    durationMs,
    tokensIn,
    tokensOut,
    tokensCached,
    tokensPerSecond: tokensPerSecond(record),
    end: describeEnd(record),
    tone: toneOf(record),
    running: outcome === null,
  };
}

/** Of the output, once the first byte has arrived; null for a response that was not streamed. */
function tokensPerSecond({ tokensOut, firstByteMs, durationMs, outcome }: RequestRecord): number | null {
  if (outcome === null || tokensOut === null || tokensOut === 0 || firstByteMs === null) return null;
  const seconds = (durationMs - firstByteMs) / 1000;
  return seconds < SHORTEST ? null : tokensOut / seconds;
}

/** A response that arrives at once says nothing about the speed of the model, in seconds. */
const SHORTEST = 0.05;

function describeEnd(record: RequestRecord): string {
  const { outcome, status, end } = record;
  switch (outcome) {
    case null:
      return status === 0 ? 'waiting for the backend' : 'running';
    case 'answered':
      return 'complete';
    case 'cancelled':
      return 'cancelled by the client';
    case 'failed':
      return `failed: ${reasonOfStatus(status) ?? `status ${status}`}`;
    case 'refused':
      return `refused: ${reasonOf(end) ?? reasonOfStatus(status) ?? `status ${status}`}`;
    case 'broken':
      return `interrupted: ${reasonOf(end) ?? asPlain(end)}`;
  }
}

function reasonOf(end: string): string | undefined {
  return REASONS.find(([code]) => code.test(end))?.[1];
}

const STATUSES: Readonly<Record<number, string>> = {
  401: 'the key is missing or invalid',
  403: 'not allowed',
  404: 'the model or path does not exist',
  405: 'the path does not support this method',
  408: 'the client stopped sending',
  413: 'the body is too large',
  415: 'the body is compressed',
  429: 'too many requests, or the quota is used up',
  503: 'no capacity',
};

function reasonOfStatus(status: number): string | undefined {
  return STATUSES[status];
}

function toneOf({ outcome }: RequestRecord): Tone {
  switch (outcome) {
    case null:
    case 'cancelled':
      return 'neutral';
    case 'answered':
      return 'good';
    case 'failed':
    case 'refused':
    case 'broken':
      return 'error';
  }
}
