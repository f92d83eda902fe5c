// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The handshake: transport v2, section 1.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { concatBytes, fromBase64 } from '../../shared/bytes.ts';
import type { Primitives } from '../../session/session.ts';
import {
  CHALLENGE_LENGTH,
  JSON_MEDIA_TYPE,
  MAX_HANDSHAKE_REQUEST,
  PROTOCOL_VERSION,
  PUBLIC_KEY_LENGTH,
  ROUTING_KEY_HEADER,
} from '../../session/wire.ts';
import type { DocumentMaker } from '../attestation/documents.ts';
import { acceptHandshake } from '../transport/enclaveSession.ts';
import type { ClientHello } from '../transport/enclaveSession.ts';
import { exactFields, parseJson } from '../../shared/json.ts';
import type { HandshakeFault } from '../faults/faults.ts';
import { encodeReply, falsifyClaims, sendReply } from '../faults/handshakeFaults.ts';
import { collectBody, requireOuterForm, soleHeader } from '../transport/outerRequest.ts';
import { Refusal } from '../transport/refusal.ts';
import type { SessionTable } from '../transport/sessionTable.ts';

const CLIENT_PUBLIC_KEY_LABEL = Buffer.from('opensecret/transport-v2/session/v1/client-public-key\0', 'ascii');

export interface SessionRouteContext {
  readonly primitives: Primitives;
  readonly sessions: SessionTable;
  readonly makeDocument: DocumentMaker;
}

/**
 * Answers `POST /v2/session`, with the lies in `faults`.
 * @throws Refusal 400, ClientGone
 */
export async function answerSession(
  { primitives, sessions, makeDocument }: SessionRouteContext,
  faults: ReadonlySet<HandshakeFault>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  requireOuterForm(request, JSON_MEDIA_TYPE);
  const body = await collectBody(request, MAX_HANDSHAKE_REQUEST, 400);
  const hello = parseClientHello(body, soleHeader(request, ROUTING_KEY_HEADER));
  const { session, serverPublicKey } = accept(primitives, hello);
  sessions.add(session);
  const claims = {
    nonce: hello.challenge,
    publicKey: serverPublicKey,
    userData: concatBytes(CLIENT_PUBLIC_KEY_LABEL, hello.clientPublicKey),
  };
  const document = makeDocument(falsifyClaims(faults, claims), faults);
  sendReply(faults, encodeReply(faults, session.id, document), request, response);
}

function parseClientHello(body: Uint8Array, routingKey: string | undefined): ClientHello {
  const fields = exactFields(parseJson(body), 'version', 'challenge', 'client_public_key');
  if (fields === undefined) throw new Refusal(400, 'the body is not a JSON object of exactly the three fields');
  if (fields.version !== PROTOCOL_VERSION) throw new Refusal(400, 'only version 2 is spoken here');
  const challenge = bytesOf(fields.challenge, CHALLENGE_LENGTH);
  const clientPublicKey = bytesOf(fields.client_public_key, PUBLIC_KEY_LENGTH);
  if (challenge === undefined || clientPublicKey === undefined) {
    throw new Refusal(400, 'the challenge and the client public key must be the Base64 of 32 bytes each');
  }
  if (routingKey !== fields.challenge) throw new Refusal(400, 'the routing key is not the challenge');
  return { challenge, clientPublicKey };
}

function bytesOf(value: unknown, length: number): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? fromBase64(value) : undefined;
  return bytes?.length === length ? bytes : undefined;
}

function accept(primitives: Primitives, hello: ClientHello): ReturnType<typeof acceptHandshake> {
  try {
    return acceptHandshake(primitives, hello);
  } catch {
    throw new Refusal(400, 'the client public key is a low-order point');
  }
}
