// Injects faults into the handshake (transport V2, section 1). documentSigner.ts injects those of the signature.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  JSON_MEDIA_TYPE,
  MAX_HANDSHAKE_REPLY,
  PROTOCOL_VERSION,
  PUBLIC_KEY_LENGTH,
  SESSION_SECONDS,
} from '../../session/wire.ts';
import type { HandshakeBindings } from './documentSigner.ts';
import type { HandshakeFault } from './faults.ts';

type Faults = ReadonlySet<HandshakeFault>;

/** The bindings for the document. */
export function injectBindingFaults(faults: Faults, bindings: HandshakeBindings): HandshakeBindings {
  const { nonce, publicKey, userData } = bindings;
  return {
    nonce: faults.has('wrong-nonce') ? randomBytes(nonce.length) : nonce,
    userData: faults.has('wrong-user-data') ? randomBytes(userData.length) : userData,
    publicKey: injectKeyFault(faults, publicKey),
  };
}

function injectKeyFault(faults: Faults, publicKey: Uint8Array): Uint8Array {
  if (faults.has('wrong-public-key')) return randomBytes(PUBLIC_KEY_LENGTH);
  if (faults.has('low-order-key')) return new Uint8Array(PUBLIC_KEY_LENGTH);
  return faults.has('short-public-key') ? publicKey.subarray(1) : publicKey;
}

/** The JSON of the reply. */
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

/** Sends the reply, unless a fault replaces it. */
export function sendReply(faults: Faults, json: string, request: IncomingMessage, response: ServerResponse): void {
  if (faults.has('handshake-hang')) return;
  if (faults.has('handshake-reset')) response.socket?.resetAndDestroy();
  else if (faults.has('handshake-redirect')) response.writeHead(307, { location: request.url }).end();
  else if (faults.has('handshake-500')) response.writeHead(500, { 'content-type': JSON_MEDIA_TYPE }).end(json);
  else if (faults.has('handshake-cut')) sendFirstHalf(json, response);
  else response.writeHead(200, replyHeaders(faults)).end(json);
}

function replyHeaders(faults: Faults): string[] {
  if (faults.has('double-content-type')) return ['content-type', JSON_MEDIA_TYPE, 'content-type', JSON_MEDIA_TYPE];
  return ['content-type', faults.has('handshake-wrong-type') ? `${JSON_MEDIA_TYPE}; charset=utf-8` : JSON_MEDIA_TYPE];
}

function sendFirstHalf(json: string, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': JSON_MEDIA_TYPE });
  response.write(json.slice(0, json.length >> 1), () => {
    response.destroy();
  });
}
