// A client of the development enclave: the cryptography of src/session over plain sockets, so that tests can also send
// invalid requests.
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { nativeAead } from '../../../src/session/aead.ts';
import { encodeMetadata } from '../../../src/session/envelope.ts';
import type { RequestMetadata } from '../../../src/session/envelope.ts';
import { performHandshake } from '../../../src/session/handshake.ts';
import type { Trust } from '../../../src/session/handshake.ts';
import { hkdfSha256 } from '../../../src/session/hkdf.ts';
import type { RecordOpener } from '../../../src/session/record.ts';
import { RecordStream } from '../../../src/session/recordStream.ts';
import type { Session } from '../../../src/session/session.ts';
import type { Clock, Transport } from '../../../src/session/transport.ts';
import type { ResponseStart } from '../../../src/session/wire.ts';
import { DEADLINE, withTimeout } from '../withTimeout.ts';

/** The outer HTTP response. */
export interface OuterAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string[]>;
  readonly body: Buffer;
}

/** The decrypted response. */
export interface DecryptedAnswer extends ResponseStart {
  readonly body: Buffer;
  /** The content of each Chunk. */
  readonly chunks: readonly Buffer[];
  header(name: string): readonly string[];
  json(): unknown;
}

/** Sends one HTTP request and resolves with the head of its response. Does not verify https certificates. */
export function send(
  url: string,
  options: { readonly method?: string; readonly headers?: OutgoingHttpHeaders; readonly body?: Uint8Array | string },
): Promise<IncomingMessage> {
  const { method = 'POST', headers = {}, body } = options;
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const sent = new Promise<IncomingMessage>((resolve, reject) => {
    const request = open(url, { method, headers, agent: false, rejectUnauthorized: false } as object, resolve);
    request.on('error', reject);
    request.end(body);
  });
  return withTimeout(`the head of ${method} ${url}`, DEADLINE, sent);
}

/** Reads the complete response. Rejects if it breaks. */
export async function collect(message: IncomingMessage): Promise<OuterAnswer> {
  const body = await withTimeout('the rest of an answer', DEADLINE, message.toArray() as Promise<Buffer[]>);
  return { status: message.statusCode ?? 0, headers: message.headersDistinct, body: Buffer.concat(body) };
}

/** A transport for handshakes. */
export function handshakeTransport(url: string): Transport {
  return {
    send({ path, headers, body }, handler) {
      const pairs = Object.fromEntries(
        Array.from({ length: headers.length / 2 }, (_, index) => [headers[2 * index], headers[2 * index + 1]]),
      ) as Record<string, string>;
      send(url + path, { headers: pairs, body: body as Uint8Array })
        .then(async (message) => {
          handler.onHead({
            status: message.statusCode ?? 0,
            values: (name) => message.headersDistinct[name] ?? [],
          });
          const answer = await collect(message);
          handler.onData(answer.body);
          handler.onEnd();
        })
        .catch((error: unknown) => {
          handler.onError(error);
        });
      return { cancel: () => undefined, pause: () => undefined, resume: () => undefined };
    },
  };
}

const clock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Performs the handshake of src/session. */
export function connect(url: string, trust: Trust = { kind: 'development' }, timeoutMs = DEADLINE): Promise<Session> {
  const primitives = { aead: nativeAead, hkdf: hkdfSha256 };
  const transport = handshakeTransport(url);
  return performHandshake({ transport, primitives, trust, clock, timeout: () => timeoutMs });
}

/** The default metadata of requests. */
export const METADATA: RequestMetadata = {
  credential: 'dev-test',
  cacheNamespaceRoot: new Uint8Array(32).fill(7),
  method: 'POST',
  target: '/v1/chat/completions',
  headers: [{ name: 'content-type', value: 'application/json' }],
  bodyPresent: true,
};

/** A sealed record, and the opener for its response. */
export interface SealedCall {
  readonly record: Uint8Array;
  readonly opener: RecordOpener;
}

/** Seals a correct request. */
export function seal(session: Session, metadata: Partial<RequestMetadata>, body: Uint8Array): SealedCall {
  return sealPlaintext(session, Buffer.concat([encodeMetadata({ ...METADATA, ...metadata }), body]));
}

/** Seals any plaintext under the session's keys. */
export function sealPlaintext(
  session: Session,
  plaintext: Uint8Array,
  requestId: Uint8Array = randomBytes(16),
): SealedCall {
  const { sealer, opener } = session.beginCall(requestId);
  return { record: sealer.seal(plaintext, []), opener };
}

/** The outer headers of a correct request. */
export function outerHeaders(session: Session): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    'x-session-id': session.id,
    'x-opensecret-routing-key': session.routingKey,
  };
}

/** Sends a record and resolves with the head of the outer response. */
export function sendRecord(
  url: string,
  session: Session,
  record: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<IncomingMessage> {
  return send(`${url}/v2/request`, { headers: { ...outerHeaders(session), ...headers }, body: record });
}

/**
 * Decrypts a response with the RecordStream of src/session.
 * @throws SessionError
 */
export function openAnswer(opener: RecordOpener, outer: Uint8Array): DecryptedAnswer {
  let start: ResponseStart | undefined;
  const chunks: Buffer[] = [];
  const stream = new RecordStream(opener, {
    start: (value) => {
      start = value;
    },
    chunk: (bytes) => {
      chunks.push(Buffer.from(bytes));
    },
  });
  stream.push(outer);
  stream.finish();
  const { status, headers } = start ?? { status: 0, headers: [] };
  const body = Buffer.concat(chunks);
  return {
    status,
    headers,
    body,
    chunks,
    header: (name) => headers.filter((field) => field.name === name).map(({ value }) => value),
    json: () => JSON.parse(body.toString()) as unknown,
  };
}

/** Sends a request with a JSON body (or none), by default to chat completions, and decrypts the response. */
export async function call(
  url: string,
  session: Session,
  body: unknown,
  metadata: Partial<RequestMetadata> = {},
): Promise<DecryptedAnswer> {
  const bytes = body === undefined ? new Uint8Array(0) : Buffer.from(JSON.stringify(body));
  const { record, opener } = seal(session, { bodyPresent: body !== undefined, ...metadata }, bytes);
  const outer = await collect(await sendRecord(url, session, record));
  if (outer.status !== 200) throw new Error(`outer status ${outer.status}: ${outer.body.toString()}`);
  return openAnswer(opener, outer.body);
}
