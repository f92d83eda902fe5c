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

/** A status line and header fields: name, value, name, value ... */
export interface OuterHead {
  readonly status: number;
  readonly headers: readonly string[];
}

/** Either another head for correct records, or an answer in their place. */
interface OuterFault {
  readonly summary: string;
  readonly head?: OuterHead;
  readonly answer?: (response: ServerResponse, request: IncomingMessage) => void;
  /** Answers before the body of the request has arrived. */
  readonly isEarly?: true;
}

const CORRECT_HEAD: OuterHead = { status: 200, headers: ['content-type', RECORD_MEDIA_TYPE] };
const CONTRACT = [ERROR_CONTRACT_HEADER, '1'];
const NOT_FOUND = [ERROR_CODE_HEADER, 'session_not_found'];
const NOT_DECRYPTED = [ERROR_CODE_HEADER, 'request_decryption_failed'];

/** Faults of the outer response. */
export const OUTER_FAULTS = {
  'marked-session-not-found': error('status 400 that allows a resend: session_not_found', 400, CONTRACT, NOT_FOUND),
  'marked-decryption-failed': error(
    'status 400 that allows a resend: request_decryption_failed',
    400,
    CONTRACT,
    NOT_DECRYPTED,
  ),
  'unmarked-400': error('status 400 without error contract headers', 400),
  'double-marked': error('status 400 session_not_found with two contract headers', 400, CONTRACT, CONTRACT, NOT_FOUND),
  'double-code': error('status 400 with both error codes', 400, CONTRACT, NOT_FOUND, NOT_DECRYPTED),
  'marked-unknown-code': error('status 400 with an error code that allows no resend', 400, CONTRACT, [
    ERROR_CODE_HEADER,
    'inference_capacity',
  ]),
  'marked-contract-2': error(
    'status 400 session_not_found with contract 2',
    400,
    [ERROR_CONTRACT_HEADER, '2'],
    NOT_FOUND,
  ),
  'marked-503': error('status 503 with the headers of session_not_found', 503, CONTRACT, NOT_FOUND),
  'outer-413': error('status 413 in plain text', 413),
  'outer-415': error('status 415 in plain text', 415),
  'outer-503': error('status 503 in plain text', 503, ['retry-after', '1']),
  redirect: {
    summary: 'status 307 to the same path',
    answer: (response, request) => response.writeHead(307, { location: request.url }).end(),
  },
  'wrong-outer-status': { summary: 'correct records with status 201', head: { ...CORRECT_HEAD, status: 201 } },
  'wrong-outer-type': records('correct records as application/json', ['content-type', JSON_MEDIA_TYPE]),
  'parameter-outer-type': records('correct records as application/octet-stream; charset=binary', [
    'content-type',
    `${RECORD_MEDIA_TYPE}; charset=binary`,
  ]),
  'no-outer-type': records('correct records without content type', []),
  'double-outer-type': records('correct records with two content types', [
    ...CORRECT_HEAD.headers,
    ...CORRECT_HEAD.headers,
  ]),
  'reset-before-response': {
    summary: 'the connection is reset before the response',
    answer: (response) => response.socket?.resetAndDestroy(),
  },
  'close-before-response': {
    summary: 'the connection is closed before the response',
    answer: (response) => response.destroy(),
  },
  'hang-before-response': { summary: 'no response', answer: () => undefined },
  'answer-before-body': {
    summary: 'session_not_found at once; the body is never read',
    isEarly: true,
    answer: (response) => {
      // Not `end`, because Node would then read the rest of the request.
      response.writeHead(400, ['content-length', '0', ...CONTRACT, ...NOT_FOUND]).flushHeaders();
    },
  },
} as const satisfies Readonly<Record<string, OuterFault>>;

function error(summary: string, status: number, ...headers: readonly (readonly string[])[]): OuterFault {
  return { summary, answer: (response) => response.writeHead(status, headers.flat()).end('injected fault') };
}

function records(summary: string, headers: readonly string[]): OuterFault {
  return { summary, head: { status: 200, headers } };
}

/** The head of a response with records, with a fault if `faults` has one for it. */
export function responseHead(faults: ReadonlySet<string>): OuterHead {
  return outerFaults(faults).find(({ head }) => head !== undefined)?.head ?? CORRECT_HEAD;
}

/**
 * Answers the request if one of the faults replaces the complete response.
 * @returns false if none does; then nothing was read or written
 * @throws HttpError 413, ClientDisconnected
 */
export async function injectOuterFault(
  faults: ReadonlySet<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const fault = outerFaults(faults).find(({ answer }) => answer !== undefined);
  if (fault?.answer === undefined) return false;
  if (!fault.isEarly) await collectBody(request, MAX_RECORD, 413);
  fault.answer(response, request);
  return true;
}

function outerFaults(faults: ReadonlySet<string>): OuterFault[] {
  return Object.entries(OUTER_FAULTS).flatMap(([name, fault]) => (faults.has(name) ? [fault] : []));
}
