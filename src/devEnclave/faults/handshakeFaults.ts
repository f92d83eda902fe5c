// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The lies in the handshake (transport v2, section 1), except those about who signed the document (documents.ts).
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  JSON_MEDIA_TYPE,
  MAX_HANDSHAKE_REPLY,
  PROTOCOL_VERSION,
  PUBLIC_KEY_LENGTH,
  SESSION_SECONDS,
} from '../../session/wire.ts';
import type { Claims } from '../attestation/documents.ts';
import type { HandshakeFault } from './faults.ts';

type Faults = ReadonlySet<HandshakeFault>;

/** What the document shall claim. */
export function falsifyClaims(faults: Faults, claims: Claims): Claims {
  return {
    nonce: faults.has('wrong-nonce') ? randomBytes(claims.nonce.length) : claims.nonce,
    userData: faults.has('wrong-user-data') ? randomBytes(claims.userData.length) : claims.userData,
    publicKey: falsifyKey(faults, claims.publicKey),
  };
}

function falsifyKey(faults: Faults, publicKey: Uint8Array): Uint8Array {
  if (faults.has('wrong-public-key')) return randomBytes(PUBLIC_KEY_LENGTH);
  if (faults.has('low-order-key')) return new Uint8Array(PUBLIC_KEY_LENGTH);
  return faults.has('short-public-key') ? publicKey.subarray(1) : publicKey;
}

/** The reply's JSON, which the honest one is without faults. */
export function encodeReply(faults: Faults, sessionId: string, document: Uint8Array): string {
  const encoded = Buffer.from(faults.has('garbage-document') ? randomBytes(1000) : document).toString('base64');
  const reply = {
    version: faults.has('wrong-version') ? 3 : PROTOCOL_VERSION,
    session_id: faults.has('wrong-session-id') ? randomBytes(16).toString('hex') : sessionId,
    attestation_document: faults.has('bad-base64') ? `${encoded}\n` : encoded,
    ...(faults.has('missing-field')
      ? {}
      : { expires_in_seconds: faults.has('wrong-lifetime') ? 7200 : SESSION_SECONDS }),
    ...(faults.has('extra-field') ? { refresh_token: '' } : {}),
  };
  const json = JSON.stringify(reply);
  return faults.has('handshake-oversize') ? json.padEnd(MAX_HANDSHAKE_REPLY + 1) : json;
}

/** Sends the reply, or does what a fault does in its place. */
export function sendReply(faults: Faults, json: string, request: IncomingMessage, response: ServerResponse): void {
  if (faults.has('handshake-hang')) return;
  if (faults.has('handshake-reset')) response.socket?.resetAndDestroy();
  else if (faults.has('handshake-redirect')) response.writeHead(307, { location: request.url }).end();
  else if (faults.has('handshake-500')) response.writeHead(500, { 'content-type': JSON_MEDIA_TYPE }).end(json);
  else if (faults.has('handshake-cut')) sendHalf(json, response);
  else response.writeHead(200, replyHeaders(faults)).end(json);
}

function replyHeaders(faults: Faults): string[] {
  if (faults.has('double-content-type')) return ['content-type', JSON_MEDIA_TYPE, 'content-type', JSON_MEDIA_TYPE];
  return ['content-type', faults.has('handshake-wrong-type') ? `${JSON_MEDIA_TYPE}; charset=utf-8` : JSON_MEDIA_TYPE];
}

function sendHalf(json: string, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': JSON_MEDIA_TYPE });
  response.write(json.slice(0, json.length >> 1), () => {
    response.destroy();
  });
}
