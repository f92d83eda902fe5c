// A network that the test scripts.
import assert from 'node:assert/strict';
import type {
  Transport,
  UpstreamCall,
  UpstreamHandler,
  UpstreamHead,
  UpstreamRequest,
} from '../../src/session/transport.ts';
import { concatBytes } from '../../src/shared/bytes.ts';
import { DEADLINE, withTimeout } from './withTimeout.ts';

/** Header fields in order, with repeats. */
export type Fields = readonly (readonly [string, string])[];

/** The head of a response with these fields. */
export function headOf(status: number, fields: Fields): UpstreamHead {
  return { status, values: (name) => fields.filter(([field]) => field === name).map(([, value]) => value) };
}

/** One request that was sent. The test responds to it. */
export class FakeCall implements UpstreamCall {
  readonly request: UpstreamRequest;
  readonly handler: UpstreamHandler;
  readonly flow: ('pause' | 'resume')[] = [];
  #cancelled = false;
  #iterator: AsyncIterator<Uint8Array> | undefined;

  constructor(request: UpstreamRequest, handler: UpstreamHandler) {
    this.request = request;
    this.handler = handler;
  }

  cancel(): void {
    this.#cancelled = true;
  }

  pause(): void {
    this.flow.push('pause');
  }

  resume(): void {
    this.flow.push('resume');
  }

  isCancelled(): boolean {
    return this.#cancelled;
  }

  /** The value of the one request header with this name. */
  header(name: string): string {
    const { headers } = this.request;
    const places = headers.flatMap((text, at) => (at % 2 === 0 && text === name ? [at + 1] : []));
    assert.equal(places.length, 1, `The header ${name}`);
    return headers[places[0] ?? -1] ?? '';
  }

  /** Reads the body of the request to its end. */
  async body(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for (let chunk = await this.draw(); chunk !== undefined; chunk = await this.draw()) chunks.push(chunk);
    return concatBytes(...chunks);
  }

  /** Reads the next chunk of the body, as a connection would; undefined at the end. */
  async draw(): Promise<Uint8Array | undefined> {
    this.#iterator ??= iterate(this.request.body);
    const result = await withTimeout('a chunk of the request', DEADLINE, this.#iterator.next());
    return result.done === true ? undefined : result.value;
  }

  /** Sends a complete response. */
  respond(status: number, fields: Fields, ...chunks: readonly Uint8Array[]): void {
    this.begin(status, fields);
    for (const chunk of chunks) this.handler.onData(chunk);
    if (!this.#cancelled) this.handler.onEnd();
  }

  begin(status: number, fields: Fields): void {
    this.handler.onHead(headOf(status, fields));
  }
}

async function* iterate(body: UpstreamRequest['body']): AsyncGenerator<Uint8Array, undefined> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
  return undefined;
}

export class FakeTransport implements Transport {
  readonly calls: FakeCall[] = [];
  #taken = 0;
  #wake: (() => void) | undefined;

  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall {
    const call = new FakeCall(request, handler);
    this.calls.push(call);
    this.#wake?.();
    return call;
  }

  /** Waits for the next request that the test has not taken yet. */
  async next(label: string): Promise<FakeCall> {
    while (this.#taken === this.calls.length) {
      await withTimeout(
        label,
        DEADLINE,
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
      );
    }
    return this.calls[this.#taken++] ?? assert.fail(label);
  }
}
