// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// Encrypted requests: transport v2, section 2.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromBase64 } from '../../shared/bytes.ts';
import {
  CHALLENGE_LENGTH,
  MAX_RECORD,
  RECORD_MEDIA_TYPE,
  REQUEST_ID_LENGTH,
  ROUTING_KEY_HEADER,
  SESSION_ID_HEADER,
} from '../../session/wire.ts';
import { ClientWatch } from '../transport/clientWatch.ts';
import type { EnclaveSession } from '../transport/enclaveSession.ts';
import type { RequestFault } from '../faults/faults.ts';
import { describeRequest } from '../transport/journal.ts';
import type { RequestListener } from '../transport/journal.ts';
import type { LogicalHandler } from '../model/logical.ts';
import { injectFault, recordHead } from '../faults/outerFaults.ts';
import { collectBody, requireOuterForm, soleHeader } from '../transport/outerRequest.ts';
import { deliver, faultyRecords } from '../faults/recordFaults.ts';
import { Refusal } from '../transport/refusal.ts';
import { SealedResponse, honestRecords } from '../transport/sealedResponse.ts';
import { parseSealedRequest } from '../transport/sealedRequest.ts';
import type { SessionTable } from '../transport/sessionTable.ts';

const SESSION_ID = /^[0-9a-f]{32}$/;

export interface RequestRouteContext {
  readonly sessions: SessionTable;
  readonly handler: LogicalHandler;
  readonly listeners: readonly RequestListener[];
}

/**
 * Answers `POST /v2/request`, with the lies in `faults`. Everything that can be judged by the headers is judged before
 * the body is read.
 * @throws Refusal 400 or 413, ClientGone
 */
export async function answerRequest(
  { sessions, handler, listeners }: RequestRouteContext,
  faults: ReadonlySet<RequestFault>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const arrival = { request, wallMs: Date.now(), at: performance.now() };
  if (await injectFault(faults, request, response)) return;
  const session = findSession(sessions, request);
  const { requestId, plaintext } = session.open(await collectBody(request, MAX_RECORD, 413));
  const logical = parseSealedRequest(plaintext);
  const watch = new ClientWatch(response);
  for (const listen of listeners) listen(describeRequest(arrival, session.id, requestId, logical, watch));
  const answer = openAnswer(session, requestId, response, watch, faults);
  try {
    await handler(logical, answer);
  } catch (error) {
    if (watch.signal.aborted) return;
    answer.fail('internal_error');
    throw error;
  }
}

/** Judges the headers. */
function findSession(sessions: SessionTable, request: IncomingMessage): EnclaveSession {
  requireOuterForm(request, RECORD_MEDIA_TYPE);
  const id = soleHeader(request, SESSION_ID_HEADER);
  const routingKey = soleHeader(request, ROUTING_KEY_HEADER);
  if (id === undefined || !SESSION_ID.test(id)) throw new Refusal(400, 'the session id must be 32 hex characters');
  if (routingKey === undefined || fromBase64(routingKey)?.length !== CHALLENGE_LENGTH) {
    throw new Refusal(400, 'the routing key must be the Base64 of 32 bytes');
  }
  const session = sessions.get(id);
  if (session.routingKey !== routingKey) throw new Refusal(400, 'the routing key is the one of another session');
  return session;
}

function openAnswer(
  session: EnclaveSession,
  requestId: Uint8Array,
  response: ServerResponse,
  watch: ClientWatch,
  faults: ReadonlySet<RequestFault>,
): SealedResponse {
  const { status, headers } = recordHead(faults);
  response.writeHead(status, [...headers]);
  const socket = { write: (bytes: Uint8Array) => response.write(bytes), end: () => response.end() };
  const wire = deliver(socket, faults);
  const sealer = session.respond(faults.has('another-request-id') ? randomBytes(REQUEST_ID_LENGTH) : requestId);
  const records = faultyRecords(wire, sealer, watch, faults) ?? honestRecords(wire, sealer);
  return new SealedResponse(records, watch);
}
