// Encrypted requests (transport V2, sections 2 and 3).
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  CHALLENGE_LENGTH,
  MAX_RECORD,
  RECORD_MEDIA_TYPE,
  REQUEST_ID_LENGTH,
  ROUTING_KEY_HEADER,
  SESSION_ID,
  SESSION_ID_HEADER,
} from '../../session/wire.ts';
import { fromBase64 } from '../../shared/bytes.ts';
import type { RequestFault } from '../faults/faults.ts';
import { injectOuterFault, responseHead } from '../faults/outerFaults.ts';
import { applyDeliveryFaults, createFaultyRecordWriter } from '../faults/recordFaults.ts';
import { runHandler } from '../model/apiHandler.ts';
import type { ApiHandler } from '../model/apiHandler.ts';
import { parseDecryptedRequest } from '../transport/decryptedRequest.ts';
import type { EnclaveSession } from '../transport/enclaveSession.ts';
import { EncryptedResponse, createRecordWriter } from '../transport/encryptedResponse.ts';
import { HttpError } from '../transport/httpError.ts';
import { describeRequest } from '../transport/journal.ts';
import type { RequestListener } from '../transport/journal.ts';
import { checkOuterRequest, collectBody, soleHeader } from '../transport/outerRequest.ts';
import { ResponseTracker } from '../transport/responseTracker.ts';
import type { SessionTable } from '../transport/sessionTable.ts';

export interface RequestRouteContext {
  readonly sessions: SessionTable;
  readonly handler: ApiHandler;
  readonly listeners: readonly RequestListener[];
}

/**
 * Answers `POST /v2/request`, with the given faults. Checks the headers before it reads the body.
 * @throws HttpError 400 or 413, ClientDisconnected
 */
export async function answerRequest(
  { sessions, handler, listeners }: RequestRouteContext,
  faults: ReadonlySet<RequestFault>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (await injectOuterFault(faults, request, response)) return;
  const session = findSession(sessions, request);
  const { requestId, plaintext } = session.open(await collectBody(request, MAX_RECORD, 413));
  const decrypted = parseDecryptedRequest(plaintext);
  const tracker = new ResponseTracker(response);
  for (const listen of listeners) listen(describeRequest(request, session.id, requestId, decrypted, tracker));
  await runHandler(handler, decrypted, startResponse(session, requestId, response, tracker, faults));
}

function findSession(sessions: SessionTable, request: IncomingMessage): EnclaveSession {
  checkOuterRequest(request, RECORD_MEDIA_TYPE);
  const id = soleHeader(request, SESSION_ID_HEADER);
  const routingKey = soleHeader(request, ROUTING_KEY_HEADER);
  if (id === undefined || !SESSION_ID.test(id)) throw new HttpError(400, 'the session id must be 32 hex digits');
  if (routingKey === undefined || fromBase64(routingKey)?.length !== CHALLENGE_LENGTH) {
    throw new HttpError(400, 'the routing key must be the Base64 of 32 bytes');
  }
  const session = sessions.get(id);
  if (session.routingKey !== routingKey) throw new HttpError(400, 'the routing key belongs to a different session');
  return session;
}

function startResponse(
  session: EnclaveSession,
  requestId: Uint8Array,
  response: ServerResponse,
  tracker: ResponseTracker,
  faults: ReadonlySet<RequestFault>,
): EncryptedResponse {
  const { status, headers } = responseHead(faults);
  response.writeHead(status, [...headers]);
  const output = applyDeliveryFaults(response, faults);
  const sealer = session.respond(faults.has('another-request-id') ? randomBytes(REQUEST_ID_LENGTH) : requestId);
  const records = createFaultyRecordWriter(output, sealer, tracker, faults) ?? createRecordWriter(output, sealer);
  return new EncryptedResponse(records, tracker);
}
