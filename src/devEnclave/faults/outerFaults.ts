// Injects faults outside the records of a response: outer statuses, content types and broken connections.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ERROR_CODE_HEADER,
  ERROR_CONTRACT_HEADER,
  JSON_MEDIA_TYPE,
  MAX_RECORD,
  RECORD_MEDIA_TYPE,
} from '../../session/wire.ts';
import { collectBody } from '../transport/outerRequest.ts';
import type { OuterFault, RequestFault } from './faults.ts';

/** A status line and header fields: name, value, name, value ... */
export interface OuterHead {
  readonly status: number;
  readonly headers: readonly string[];
}

const CORRECT_HEAD: OuterHead = { status: 200, headers: ['content-type', RECORD_MEDIA_TYPE] };

const FAULTY_HEADS = new Map<RequestFault, OuterHead>([
  ['wrong-outer-status', { ...CORRECT_HEAD, status: 201 }],
  ['wrong-outer-type', { status: 200, headers: ['content-type', JSON_MEDIA_TYPE] }],
  ['parameter-outer-type', { status: 200, headers: ['content-type', `${RECORD_MEDIA_TYPE}; charset=binary`] }],
  ['no-outer-type', { status: 200, headers: [] }],
  ['double-outer-type', { status: 200, headers: [...CORRECT_HEAD.headers, ...CORRECT_HEAD.headers] }],
]);

const CONTRACT = [ERROR_CONTRACT_HEADER, '1'];
const NOT_FOUND = [ERROR_CODE_HEADER, 'session_not_found'];
const NOT_DECRYPTED = [ERROR_CODE_HEADER, 'request_decryption_failed'];

const ERROR_RESPONSES = new Map<RequestFault, OuterHead>([
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

/** The head of a response with records, with a fault if `faults` has one for it. */
export function responseHead(faults: ReadonlySet<RequestFault>): OuterHead {
  return findFirst(FAULTY_HEADS, faults) ?? CORRECT_HEAD;
}

/**
 * Answers the request if one of the faults replaces the complete response.
 * @returns false if none does; then nothing was read or written
 * @throws HttpError 413, ClientDisconnected
 */
export async function injectOuterFault(
  faults: ReadonlySet<RequestFault>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (faults.has('answer-before-body')) {
    // Not `end`, because Node would then read the rest of the request.
    response.writeHead(400, ['content-length', '0', ...CONTRACT, ...NOT_FOUND]).flushHeaders();
    return true;
  }
  const answer = faultyAnswer(faults, request, response);
  if (answer === undefined) return false;
  await collectBody(request, MAX_RECORD, 413);
  answer();
  return true;
}

function faultyAnswer(
  faults: ReadonlySet<RequestFault>,
  request: IncomingMessage,
  response: ServerResponse,
): (() => void) | undefined {
  const has = (name: OuterFault) => faults.has(name);
  if (has('hang-before-response')) return () => undefined;
  if (has('reset-before-response')) return () => response.socket?.resetAndDestroy();
  if (has('close-before-response')) return () => response.destroy();
  if (has('redirect')) return () => response.writeHead(307, { location: request.url }).end();
  const error = findFirst(ERROR_RESPONSES, faults);
  return error && (() => response.writeHead(error.status, [...error.headers]).end('injected fault'));
}

function findFirst<T>(table: ReadonlyMap<RequestFault, T>, faults: ReadonlySet<RequestFault>): T | undefined {
  return [...faults].map((fault) => table.get(fault)).find((found) => found !== undefined);
}
