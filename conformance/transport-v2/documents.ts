// The attestation documents and the replies that a handshake scripts.
import { randomBytes } from 'node:crypto';
import { encode } from 'cborg';
import { encodePayload, payloadFields } from '../../src/devEnclave/attestation/document.ts';
import { type Offer } from '../../test/support/enclaveHalf.ts';
import type { Binding, DocumentScript, Handshake } from './suite.ts';

/** Its length gives the document one that Base64 must pad. */
const MODULE_ID = 'i-scripted0';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LABEL = 'opensecret/transport-v2/session/v1/client-public-key';

/** @param publicKey the enclave's key of the session */
export function makeDocument(script: DocumentScript, offer: Offer, publicKey: Buffer): Buffer {
  const userData = Buffer.concat([Buffer.from(`${LABEL}\0`), offer.clientPublicKey]);
  const certificates = { cabundle: [randomBytes(300), randomBytes(300)], leaf: { der: randomBytes(300) } };
  // As a development backend sends them: only the three bindings mean something.
  const fields = new Map(
    payloadFields(certificates, {
      nonce: offer.challenge,
      publicKey,
      userData,
      moduleId: MODULE_ID,
      timestamp: Math.floor(Date.now() / 1000),
    }),
  );
  bind(fields, 'nonce', offer.challenge, script.nonce);
  bind(fields, 'public_key', publicKey, script.publicKey);
  if (script.userData === 'other label') {
    fields.set('user_data', Buffer.concat([Buffer.from(`${LABEL.replace('v1', 'v2')}\0`), offer.clientPublicKey]));
  } else if (script.userData === 'no zero byte') {
    fields.set('user_data', Buffer.concat([Buffer.from(LABEL), offer.clientPublicKey]));
  } else {
    bind(fields, 'user_data', userData, script.userData);
  }
  return Buffer.from(encodeDocument(fields, script.form));
}

function bind(fields: Map<string, unknown>, name: string, correct: Buffer, binding: Binding | undefined): void {
  switch (binding) {
    case undefined:
      return;
    case 'missing':
      fields.delete(name);
      return;
    case 'null':
      fields.set(name, null);
      return;
    case 'text':
      fields.set(name, correct.toString('hex'));
      return;
    case 'short':
      fields.set(name, correct.subarray(0, -1));
      return;
    case 'long':
      fields.set(name, Buffer.concat([correct, Buffer.of(0)]));
      return;
    case 'other': {
      const other = Buffer.from(correct);
      // Of the first bytes of user data and of the last one of a key, the highest bit is not used.
      const place = other.length - 2;
      other[place] = (other[place] ?? 0) ^ 1;
      fields.set(name, other);
      return;
    }
    default:
      fields.set(name, Buffer.from(binding.hex, 'hex'));
  }
}

function encodeDocument(fields: ReadonlyMap<string, unknown>, form: DocumentScript['form']): Uint8Array {
  const signature = randomBytes(64);
  const withPayload = (payload: unknown) => encode([new Uint8Array(0), new Map(), payload, signature]);
  const correct = withPayload(encode(fields));
  switch (form) {
    case undefined:
      return correct;
    case 'indefinite payload':
      return withPayload(encodePayload(fields));
    case 'not CBOR':
      return Buffer.from('This is not CBOR.');
    case 'three elements':
      return encode([new Uint8Array(0), new Map(), encode(fields)]);
    case 'payload is a map':
      return withPayload(fields);
    case 'payload is a list':
      return withPayload(encode([...fields.values()]));
    case 'byte behind':
      return Buffer.concat([correct, Buffer.of(0)]);
    case 'truncated':
      return correct.subarray(0, -1);
  }
}

/** The body of the reply to a handshake. */
export function makeReply(script: Handshake, sessionId: string, document: Buffer): Buffer {
  const reply: Record<string, unknown> = {
    version: 2,
    session_id: sessionId,
    attestation_document: encodeBase64(document, script.base64),
    expires_in_seconds: 3600,
    ...script.fields,
  };
  const kept = Object.entries(reply).filter(([name]) => name !== script.without);
  const json = script.body ?? JSON.stringify(Object.fromEntries(kept));
  return Buffer.from(json.padEnd(script.paddedTo ?? 0));
}

function encodeBase64(document: Buffer, form: Handshake['base64']): string {
  const correct = document.toString('base64');
  switch (form) {
    case undefined:
      return correct;
    case 'no padding':
      return correct.replaceAll('=', '');
    case 'URL alphabet':
      return correct.replaceAll('+', '-').replaceAll('/', '_');
    case 'line break':
      return `${correct}\n`;
    case 'not canonical': {
      // Of the last character, the lowest bit is no part of a byte.
      const place = correct.indexOf('=') - 1;
      const last = ALPHABET.indexOf(correct.charAt(place));
      return correct.slice(0, place) + ALPHABET.charAt(last ^ 1) + correct.slice(place + 1);
    }
  }
}
