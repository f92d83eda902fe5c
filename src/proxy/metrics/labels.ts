// The labels of the metrics. Each has a closed set of values, so that nothing that a client writes can become one.
import type { SessionErrorCode } from '../../session/errors.ts';
import type { RequestRecord } from '../../shared/activity.ts';
import { MODEL_ID } from '../../shared/modelList.ts';
import { DIRECT } from '../../shared/usage.ts';
import type { Outcome } from '../../shared/usage.ts';
import {
  DIALECT_ERRORS,
  MODEL_NOT_ALLOWED,
  PROXY_ERRORS,
  accessKeyExpired,
  limitReached,
} from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import { findRoute } from '../server/routes.ts';
import type { RequestEntry } from '../usage/requestEntry.ts';

/** What is not known. */
export const OTHER = 'other';
/** No key that is accepted, or no model that is named. */
export const NONE = 'none';

/** The codes of handshakes and exchanges that fail. A new code of the session layer does not compile without a line here. */
const SESSION_CODES: Readonly<Record<SessionErrorCode, 'handshake' | 'exchange'>> = {
  network: 'handshake',
  timeout: 'handshake',
  cancelled: 'exchange',
  handshake_status: 'handshake',
  handshake_unavailable: 'handshake',
  handshake_malformed: 'handshake',
  attestation_refused: 'handshake',
  history_unavailable: 'handshake',
  image_unconfirmed: 'handshake',
  image_refused: 'handshake',
  weak_public_key: 'handshake',
  session_id_mismatch: 'handshake',
  session_rejected: 'exchange',
  response_status: 'exchange',
  response_content_type: 'exchange',
  record_length: 'exchange',
  record_authentication: 'exchange',
  record_malformed: 'exchange',
  record_order: 'exchange',
  truncated: 'exchange',
  enclave_error: 'exchange',
  request_too_large: 'exchange',
};

/** How a handshake can end. */
export const HANDSHAKE_RESULTS: readonly string[] = [
  'success',
  ...Object.entries(SESSION_CODES).flatMap(([code, phase]) => (phase === 'handshake' ? code : [])),
  OTHER,
];

/** The end of a request whose body had no place any more. */
const BUSY = 'busy';

/** Ends of requests that are not codes of the session layer. */
const OTHER_ENDS: readonly string[] = [
  'shutdown',
  BUSY,
  'body_too_large',
  'upload_timeout',
  'read_timeout',
  MODEL_NOT_ALLOWED,
  'translation_failed',
  'invalid_response',
];

const ERRORS: readonly ClientError[] = [
  ...Object.values(PROXY_ERRORS),
  ...Object.values(DIALECT_ERRORS),
  accessKeyExpired(''),
  limitReached(1, 'requests', 1),
  limitReached(1, 'tokens', 1),
];

/** Why the proxy refuses a client. */
const REASONS: readonly string[] = ERRORS.flatMap(({ reason }) => reason ?? []);

/** Refusals that are known before they occur: those by the proxy, and that of its API key by the backend. */
export const REFUSALS: readonly ReturnType<typeof refusal>[] = [
  ...ERRORS.map(({ status, reason = String(status) }) => refusal('refused', status, reason)),
  refusal('refused', PROXY_ERRORS.busy.status, BUSY),
  refusal('failed', 401, '401'),
];

function refusal(outcome: Outcome, status: number, error: string) {
  return { outcome, http_response_status_code: String(status), error_type: error };
}

const EMBEDDINGS = '/v1/embeddings';

export function handshakeResult(code: string): string {
  return HANDSHAKE_RESULTS.includes(code) ? code : OTHER;
}

/** @param names of the clients that have an access key now */
export function clientLabel(client: string, names: ReadonlySet<string>): string {
  return client === DIRECT || client === NONE || names.has(client) ? client : OTHER;
}

/**
 * The model that answered, if the backend lists it under that name; otherwise the one that the client asked for.
 * @param isKnown whether a list of the backend has this model
 */
export function modelLabel(
  { model, requestedModel }: Pick<RequestRecord, 'model' | 'requestedModel'>,
  isKnown: (model: string) => boolean,
): string {
  const named = [model, requestedModel].filter((name) => name !== null);
  if (named.length === 0) return NONE;
  return named.find((name) => MODEL_ID.test(name) && isKnown(name)) ?? OTHER;
}

/** The status of the response, if there was one. */
export function statusLabel(status: number): string | undefined {
  if (status === 0) return undefined;
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : OTHER;
}

/** Why a request failed, as OpenTelemetry's `error.type`; undefined for one that did not. */
export function errorLabel({ outcome, reason, end, status }: ErrorFacts): string | undefined {
  switch (outcome) {
    case 'answered':
    case 'cancelled':
      return undefined;
    case 'failed':
      return statusLabel(status);
    case 'broken':
      return endLabel(end) ?? statusLabel(status);
    case 'refused':
      if (reason !== null && REASONS.includes(reason)) return reason;
      return endLabel(end) ?? statusLabel(status);
  }
}

type ErrorFacts = Pick<RequestEntry, 'outcome' | 'reason' | 'end' | 'status'>;

function endLabel(end: string): string | undefined {
  if (end === 'complete') return undefined;
  return Object.hasOwn(SESSION_CODES, end) || OTHER_ENDS.includes(end) ? end : OTHER;
}

/** OpenTelemetry's `gen_ai.operation.name`; undefined for a route that does not ask a model. */
export function operationOf(route: string): 'chat' | 'embeddings' | undefined {
  if (route === EMBEDDINGS) return 'embeddings';
  const { route: found } = findRoute(route);
  return 'isChat' in found && found.isChat ? 'chat' : undefined;
}
