// What is said about a request. Pure.
import type { RequestRecord } from '../shared/activity.ts';

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
  [/^network$/, 'Backend unreachable'],
  [/^timeout$/, 'Backend did not respond'],
  [/^(attestation_refused|weak_public_key|session_id_mismatch)$/, 'Enclave not verified'],
  [/^image_unconfirmed$/, 'New image not accepted'],
  [/^image_refused$/, 'Image refused by you'],
  [/^history_unavailable$/, 'List of images unavailable'],
  [/^(handshake_|response_)/, 'Not a working enclave'],
  [/^session_rejected$/, 'Session rejected'],
  [/^(record_|truncated$)/, 'Response damaged or cut off'],
  [/^enclave_error$/, 'Enclave reported an error'],
  [/^request_too_large$/, 'Headers too large'],
  [/^body_too_large$/, 'Body too large'],
  [/^busy$/, 'Too many requests at once'],
  [/^upload_timeout$/, 'Client stopped sending'],
  [/^read_timeout$/, 'Client stopped reading'],
  [/^invalid_response$/, 'Response cannot be translated, or reports an error'],
  [/^translation_failed$/, 'Translation failed'],
];

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

/** How it ended, in a few words. */
export function describeEnd(record: RequestRecord): string {
  const { outcome, status, end } = record;
  switch (outcome) {
    case null:
      return status === 0 ? 'Waiting for the backend' : 'Running';
    case 'answered':
      return 'Completed';
    case 'cancelled':
      return 'Cancelled by the client';
    case 'failed':
      return reasonOfStatus(status) ?? `Failed with status ${status}`;
    case 'refused':
      return reasonOf(end) ?? reasonOfStatus(status) ?? `Refused with status ${status}`;
    case 'broken':
      return reasonOf(end) ?? `Interrupted: ${end}`;
  }
}

function reasonOf(end: string): string | undefined {
  return REASONS.find(([code]) => code.test(end))?.[1];
}

const STATUSES: Readonly<Record<number, string>> = {
  401: 'Key missing or invalid',
  403: 'Host or origin not allowed',
  404: 'Unknown model or path',
  405: 'Method not supported',
  408: 'Client stopped sending',
  413: 'Body too large',
  415: 'Body is compressed',
  429: 'Rate limit or quota',
  503: 'No capacity',
};

function reasonOfStatus(status: number): string | undefined {
  return STATUSES[status];
}

export function hasFailed({ outcome }: RequestRecord): boolean {
  return outcome === 'failed' || outcome === 'refused' || outcome === 'broken';
}
