// The handshake (transport V2, section 1).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { userDataFor } from '../../attestation/document.ts';
import type { Primitives } from '../../session/session.ts';
import {
  CHALLENGE_LENGTH,
  JSON_MEDIA_TYPE,
  MAX_HANDSHAKE_REQUEST,
  PROTOCOL_VERSION,
  PUBLIC_KEY_LENGTH,
  ROUTING_KEY_HEADER,
} from '../../session/wire.ts';
import { fromBase64 } from '../../shared/bytes.ts';
import { exactFields, parseJson } from '../../shared/json.ts';
import type { DocumentMaker } from '../faults/documentSigner.ts';
import type { HandshakeFault } from '../faults/faults.ts';
import { encodeReply, injectBindingFaults, sendReply } from '../faults/handshakeFaults.ts';
import { acceptHandshake } from '../transport/enclaveSession.ts';
import type { ClientOffer } from '../transport/enclaveSession.ts';
import { HttpError } from '../transport/httpError.ts';
import { checkOuterRequest, collectBody, soleHeader } from '../transport/outerRequest.ts';
import type { SessionTable } from '../transport/sessionTable.ts';

export interface SessionRouteContext {
  readonly primitives: Primitives;
  readonly sessions: SessionTable;
  readonly makeDocument: DocumentMaker;
}

/**
 * Answers `POST /v2/session`, with the given faults.
 * @throws HttpError 400, ClientDisconnected
 */
export async function answerSession(
  { primitives, sessions, makeDocument }: SessionRouteContext,
  faults: ReadonlySet<HandshakeFault>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  checkOuterRequest(request, JSON_MEDIA_TYPE);
  const body = await collectBody(request, MAX_HANDSHAKE_REQUEST, 400);
  const offer = parseOffer(body, soleHeader(request, ROUTING_KEY_HEADER));
  const { session, serverPublicKey } = acceptHandshake(primitives, offer);
  sessions.add(session);
  const bindings = {
    nonce: offer.challenge,
    publicKey: serverPublicKey,
    userData: userDataFor(offer.clientPublicKey),
  };
  const document = makeDocument(injectBindingFaults(faults, bindings), faults);
  sendReply(faults, encodeReply(faults, session.id, document), request, response);
}

function parseOffer(body: Uint8Array, routingKey: string | undefined): ClientOffer {
  const fields = exactFields(parseJson(body), 'version', 'challenge', 'client_public_key');
  if (fields === undefined) throw new HttpError(400, 'the body is not a JSON object with exactly the three fields');
  if (fields.version !== PROTOCOL_VERSION) throw new HttpError(400, 'the version must be 2');
  const challenge = decodeBytes(fields.challenge, CHALLENGE_LENGTH);
  const clientPublicKey = decodeBytes(fields.client_public_key, PUBLIC_KEY_LENGTH);
  if (challenge === undefined || clientPublicKey === undefined) {
    throw new HttpError(400, 'the challenge and the client public key must be the Base64 of 32 bytes each');
  }
  if (routingKey !== fields.challenge) throw new HttpError(400, 'the routing key is not the challenge');
  return { challenge, clientPublicKey };
}

function decodeBytes(value: unknown, length: number): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? fromBase64(value) : undefined;
  return bytes?.length === length ? bytes : undefined;
}
