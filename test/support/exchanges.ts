// Exchanges between a local client and a backend, both simulated by the test.
import assert from 'node:assert/strict';
import { encodeMetadata } from '../../src/session/envelope.ts';
import type { RequestMetadata } from '../../src/session/envelope.ts';
import type { SessionError } from '../../src/session/errors.ts';
import { Exchange } from '../../src/session/exchange.ts';
import type { ResponseSink } from '../../src/session/exchange.ts';
import { ReplayableBody } from '../../src/session/replayableBody.ts';
import type { Session } from '../../src/session/session.ts';
import { SessionManager } from '../../src/session/sessionManager.ts';
import type { ResponseStart } from '../../src/session/wire.ts';
import type { EnclaveHalf, OpenedRequest, ResponseHalf } from './enclaveHalf.ts';
import { FakeClock } from './fakeClock.ts';
import { FakeTransport } from './fakeTransport.ts';
import type { FakeCall, Fields } from './fakeTransport.ts';
import { makeSessionPair } from './sessions.ts';
import { flushEventLoop } from './withTimeout.ts';

export const RECORDS: Fields = [['content-type', 'application/octet-stream']];

/** The outer headers that allow the one resend. */
export function refusalFields(code: string): Fields {
  return [
    ['content-type', 'application/json'],
    ['x-opensecret-error-contract', '1'],
    ['x-opensecret-error-code', code],
  ];
}

export const METADATA: RequestMetadata = {
  credential: 'sk-test',
  cacheNamespaceRoot: new Uint8Array(32).fill(7),
  method: 'POST',
  target: '/v1/chat/completions',
  headers: [{ name: 'content-type', value: 'application/json' }],
  bodyPresent: true,
};

/** Records its calls as `start 200`, `chunk text`, `end`, `fail code`. */
export class RecordingSink implements ResponseSink {
  readonly received: string[] = [];
  failure: SessionError | undefined;
  /** Called with each recorded call. */
  during: (received: string) => void = () => undefined;

  start({ status }: ResponseStart): void {
    this.#receive(`start ${status}`);
  }

  chunk(bytes: Uint8Array): void {
    this.#receive(`chunk ${Buffer.from(bytes).toString()}`);
  }

  end(): void {
    this.#receive('end');
  }

  fail(error: SessionError): void {
    this.failure = error;
    this.#receive(`fail ${error.code}`);
  }

  #receive(words: string): void {
    this.received.push(words);
    this.during(words);
  }
}

/** A backend that makes sessions at once, on a network that the test controls. */
export class FakeBackend {
  readonly clock = new FakeClock();
  readonly transport = new FakeTransport();
  /** The enclave's side of each session, in order. */
  readonly enclaves: EnclaveHalf[] = [];
  readonly losses: string[] = [];
  readonly sessions: SessionManager;
  /** Performs the next handshakes. */
  connect: () => Promise<Session> = () => Promise.resolve(this.makeSession());

  constructor() {
    this.sessions = new SessionManager({
      clock: this.clock,
      connect: () => this.connect(),
      onLost: (loss) => this.losses.push(loss),
    });
  }

  makeSession(): Session {
    const { session, enclave } = makeSessionPair();
    this.enclaves.push(enclave);
    return session;
  }

  /** Creates a backend that already has a session, and may make the next one at once. */
  static async ready(): Promise<FakeBackend> {
    const backend = new FakeBackend();
    await backend.sessions.acquire();
    await backend.clock.advance(1000);
    return backend;
  }

  enclaveOf(call: FakeCall): EnclaveHalf {
    const id = call.header('x-session-id');
    return this.enclaves.find(({ sessionId }) => sessionId === id) ?? assert.fail('An unknown session');
  }

  /** Reads and decrypts the request of a call. */
  async open(call: FakeCall): Promise<OpenedRequest> {
    return this.enclaveOf(call).open(await call.body());
  }

  /** Returns a sealer for the response to a call whose body was not read before. */
  async respond(call: FakeCall): Promise<ResponseHalf> {
    const first = (await call.draw()) ?? assert.fail('An empty request');
    return this.enclaveOf(call).respond(Buffer.from(first.subarray(0, 16)));
  }
}

export interface StartedExchange {
  readonly exchange: Exchange;
  readonly sink: RecordingSink;
  readonly body: ReplayableBody;
  readonly metadata: Uint8Array;
}

/** Creates an exchange that has not begun, with these chunks of its body. */
export function makeExchange(backend: FakeBackend, ...chunks: readonly (string | Uint8Array)[]): StartedExchange {
  const body = new ReplayableBody();
  for (const chunk of chunks) body.push(Buffer.from(chunk));
  const sink = new RecordingSink();
  const metadata = encodeMetadata(METADATA);
  return { exchange: new Exchange(backend, metadata, body, sink), sink, body, metadata };
}

/** Sends the request of an exchange with a short, complete body. */
export async function sendExchange(
  backend: FakeBackend,
  text = '{"model":"m"}',
): Promise<StartedExchange & { readonly call: FakeCall }> {
  const started = makeExchange(backend, text);
  started.body.finish();
  started.exchange.begin();
  const call = await backend.transport.next('the request');
  return { ...started, call };
}

/** The same, and starts its response. */
export async function startExchange(
  backend: FakeBackend,
): Promise<StartedExchange & { readonly call: FakeCall; readonly response: ResponseHalf }> {
  const sent = await sendExchange(backend);
  const response = await backend.respond(sent.call);
  sent.call.begin(200, RECORDS);
  sent.call.handler.onData(response.start());
  await flushEventLoop();
  return { ...sent, response };
}
