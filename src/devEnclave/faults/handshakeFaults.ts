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

/** Faults of the handshake. */
export const HANDSHAKE_FAULTS = {
  'wrong-nonce': 'the document is for a different challenge',
  'wrong-user-data': 'the document is for a different client public key',
  'wrong-public-key': 'the document has a different key from the one in use',
  'short-public-key': 'the key in the document has 31 bytes',
  'low-order-key': 'the key in the document is a low-order point',
  'garbage-document': 'the document is not CBOR',
  'bad-base64': 'the document is not canonical Base64',
  'wrong-session-id': 'the session id does not match the keys',
  'wrong-version': 'the version of the reply is 3',
  'wrong-lifetime': 'the lifetime of the session is 7,200 s',
  'extra-field': 'the reply has an additional field',
  'missing-field': 'the reply has no lifetime',
  'handshake-wrong-type': 'the content type is application/json; charset=utf-8',
  'double-content-type': 'the reply has two content types',
  'handshake-redirect': 'status 307 to the same path',
  'handshake-500': 'status 500',
  'handshake-oversize': 'the reply is one byte longer than 64 KiB',
  'handshake-hang': 'no reply',
  'handshake-reset': 'the connection is reset before the reply',
  'handshake-cut': 'the connection closes in the middle of the reply',
} as const;

type Faults = Pick<ReadonlySet<keyof typeof HANDSHAKE_FAULTS>, 'has'>;

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
