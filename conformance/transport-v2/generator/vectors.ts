// Requests and responses as bytes, under the keys of the specification's vectors.
import { type RequestMetadata, encodeMetadata } from '../../../src/session/envelope.ts';
import { vectorSessionPair } from '../../../test/support/sessions.ts';
import { TRANSPORT_V2 } from '../../../test/support/vectors.ts';
import { sealParts } from '../seal.ts';
import { type Case, type SealedRequest, type Stream, type Vectors, areaOf } from '../suite.ts';

const { session: CLIENT, enclave: ENCLAVE } = vectorSessionPair();
/** Bytes: what is longer differs only in its length. */
const LONGEST = 10_000;
/** The areas in which the records alone decide: for HTTP, their responses are complete. */
const AREAS = ['start', 'records', 'framing'];

const METADATA: RequestMetadata = {
  credential: 'key-of-the-vectors',
  cacheNamespaceRoot: new Uint8Array(32).fill(0x77),
  method: 'POST',
  target: '/v1/chat/completions?x=1',
  headers: [
    { name: 'content-type', value: 'application/json' },
    { name: 'x-repeated', value: 'one' },
    { name: 'x-repeated', value: 'two' },
  ],
  bodyPresent: true,
};

export function makeVectors(cases: readonly Case[]): Vectors {
  const { challenge, client_public_key, server_public_key, x25519_shared, session_id } = TRANSPORT_V2.handshake;
  const { request, response } = TRANSPORT_V2;
  return {
    session: { challenge, client_public_key, server_public_key, x25519_shared, session_id },
    requests: [
      seal('that of the specification', request.request_id, Buffer.from(request.plaintext)),
      seal('a chat request', '01'.repeat(16), plaintextOf(METADATA, '{"model":"model","messages":[]}')),
      seal('an empty body', '02'.repeat(16), plaintextOf(METADATA, '')),
      seal(
        'a request without a body, and without a cache namespace',
        '03'.repeat(16),
        plaintextOf(
          {
            ...METADATA,
            method: 'GET',
            target: '/v1/models',
            headers: [],
            cacheNamespaceRoot: null,
            bodyPresent: false,
          },
          '',
        ),
      ),
    ],
    stream_request_id: response.request_id,
    streams: cases.filter((one) => AREAS.includes(areaOf(one))).flatMap((one) => streamOf(one, response.request_id)),
  };
}

function plaintextOf(metadata: RequestMetadata, body: string): Buffer {
  return Buffer.concat([encodeMetadata(metadata), Buffer.from(body)]);
}

function seal(title: string, requestId: string, plaintext: Buffer): SealedRequest {
  const record = CLIENT.beginCall(Buffer.from(requestId, 'hex')).sealer.seal(plaintext, []);
  return {
    title,
    request_id: requestId,
    plaintext: plaintext.toString('base64'),
    record: Buffer.from(record).toString('base64'),
  };
}

function streamOf({ id, title, answers, expected }: Case, requestId: string): readonly Stream[] {
  const body = Buffer.concat(sealParts(answers?.[0]?.body ?? [], ENCLAVE, Buffer.from(requestId, 'hex')));
  const [client] = expected.client;
  if (client === undefined || body.length > LONGEST) return [];
  const outcome = client.outcome === 'failed' ? ({ outcome: 'failed' } as const) : client;
  return [{ id, title, body: body.toString('base64'), expected: outcome }];
}
