// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The lies around the records of a response, and in their place: outer statuses, types, and broken connections.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_CODE_HEADER, ERROR_CONTRACT_HEADER, JSON_MEDIA_TYPE, MAX_RECORD, RECORD_MEDIA_TYPE } from '../../session/wire.ts';
import type { OuterFault, RequestFault } from './faults.ts';
import { collectBody } from '../transport/outerRequest.ts';

/** A status line and header fields: name, value, name, value ... */
export interface OuterHead {
  readonly status: number;
  readonly headers: readonly string[];
}

const HONEST_HEAD: OuterHead = { status: 200, headers: ['content-type', RECORD_MEDIA_TYPE] };

const FALSE_HEADS = new Map<RequestFault, OuterHead>([
  ['wrong-outer-status', { ...HONEST_HEAD, status: 201 }],
  ['wrong-outer-type', { status: 200, headers: ['content-type', JSON_MEDIA_TYPE] }],
  ['parameter-outer-type', { status: 200, headers: ['content-type', `${RECORD_MEDIA_TYPE}; charset=binary`] }],
  ['no-outer-type', { status: 200, headers: [] }],
  ['double-outer-type', { status: 200, headers: [...HONEST_HEAD.headers, ...HONEST_HEAD.headers] }],
]);

const CONTRACT = [ERROR_CONTRACT_HEADER, '1'];
const NOT_FOUND = [ERROR_CODE_HEADER, 'session_not_found'];
const NOT_DECRYPTED = [ERROR_CODE_HEADER, 'request_decryption_failed'];

const REFUSALS = new Map<RequestFault, OuterHead>([
  ['marked-session-not-found', { status: 400, headers: [...CONTRACT, ...NOT_FOUND] }],
  ['marked-decryption-failed', { status: 400, headers: [...CONTRACT, ...NOT_DECRYPTED] }],
  ['unmarked-400', { status: 400, headers: [] }],
  ['double-marked', { status: 400, headers: [...CONTRACT, ...CONTRACT, ...NOT_FOUND] }],
  ['double-code', { status: 400, headers: [...CONTRACT, ...NOT_FOUND, ...NOT_DECRYPTED] }],
  ['marked-unknown-code', { status: 400, headers: [...CONTRACT, ERROR_CODE_HEADER, 'inference_capacity'] }],
  ['marked-contract-2', { status: 400, headers: [ERROR_CONTRACT_HEADER, '2', ...NOT_FOUND] }],
  ['marked-503', { status: 503, headers: [...CONTRACT, ...NOT_FOUND] }],
  ['outer-413', { status: 413, headers: [] }],
  ['outer-415', { status: 415, headers: [] }],
  ['outer-503', { status: 503, headers: ['retry-after', '1'] }],
]);

/** The head in front of the records: the honest one, or the one of a lie. */
export function recordHead(faults: ReadonlySet<RequestFault>): OuterHead {
  return findFirst(FALSE_HEADS, faults) ?? HONEST_HEAD;
}

/**
 * Answers in the enclave's place, if one of the faults does.
 * @returns false if none does and nothing has happened
 * @throws Refusal 413, ClientGone
 */
export async function injectFault(
  faults: ReadonlySet<RequestFault>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (faults.has('answer-before-body')) {
    answerAndReadNothing(response);
    return true;
  }
  const act = falseAnswer(faults, request, response);
  if (act === undefined) return false;
  await collectBody(request, MAX_RECORD, 413);
  act();
  return true;
}

function falseAnswer(
  faults: ReadonlySet<RequestFault>,
  request: IncomingMessage,
  response: ServerResponse,
): (() => void) | undefined {
  const has = (name: OuterFault) => faults.has(name);
  if (has('hang-before-response')) return () => undefined;
  if (has('reset-before-response')) return () => response.socket?.resetAndDestroy();
  if (has('close-before-response')) return () => response.destroy();
  if (has('redirect')) return () => response.writeHead(307, { location: request.url }).end();
  const refusal = findFirst(REFUSALS, faults);
  return refusal && (() => response.writeHead(refusal.status, [...refusal.headers]).end('refused on purpose'));
}

/** All of an answer but its end, as this side counts it: so the rest of the request is never read. */
function answerAndReadNothing(response: ServerResponse): void {
  response.writeHead(400, ['content-length', '0', ...CONTRACT, ...NOT_FOUND]);
  response.flushHeaders();
}

function findFirst<T>(table: ReadonlyMap<RequestFault, T>, faults: ReadonlySet<RequestFault>): T | undefined {
  for (const fault of faults) {
    const found = table.get(fault);
    if (found !== undefined) return found;
  }
  return undefined;
}
