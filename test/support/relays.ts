// Relays behind a real HTTP server, with a backend that the test scripts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpSink } from '../../src/proxy/relay/httpSink.ts';
import { Relay } from '../../src/proxy/relay/relay.ts';
import type { Timeouts } from '../../src/proxy/relay/relay.ts';
import { RequestLimits } from '../../src/proxy/relay/requestLimits.ts';
import { RequestEntry } from '../../src/proxy/usage/requestEntry.ts';
import { encodeMetadata } from '../../src/session/envelope.ts';
import { MAX_BODY } from '../../src/session/wire.ts';
import { BODY_LIMITS } from './bodyLimits.ts';
import { EventQueue } from './e2e/eventQueue.ts';
import { RawConnection } from './e2e/rawHttp.ts';
import { FakeBackend, METADATA } from './exchanges.ts';
import { DEADLINE, withTimeout } from './withTimeout.ts';

/** One relayed request. */
interface Relayed {
  readonly entry: RequestEntry;
  /** Settles when the response and the relay are over. */
  readonly over: Promise<void>;
}

export class RelaysUnderTest {
  readonly backend: FakeBackend;
  readonly limits = new RequestLimits(10 * MAX_BODY);
  timeouts: Timeouts = { requestTimeout: 300_000, streamIdleTimeout: 300_000 };
  readTimeout = 300_000;
  readonly #relayed = new EventQueue<Relayed>();
  readonly #server: Server;
  readonly #connections: RawConnection[] = [];

  private constructor(backend: FakeBackend) {
    this.backend = backend;
    this.#server = createServer((req, res) => {
      const announced = req.headers['content-length'];
      const entry = new RequestEntry(req.method ?? '', req.url ?? '');
      const place = this.limits.admit(['client']) ?? assert.fail('There is no place');
      const relay = new Relay(
        { exchange: backend, timeouts: this.timeouts, onOutcome: () => undefined },
        {
          entry,
          metadata: encodeMetadata(METADATA),
          withApiKey: true,
          openSink: (source) => new HttpSink(res, source, [], 'req_1', this.readTimeout),
          onStart: () => {
            place.releaseBody();
          },
          onEnd: () => {
            place.end();
          },
        },
      );
      const over = once(res, 'close').then(() => {
        if (!res.writableFinished) relay.clientGone();
      });
      this.#relayed.add({ entry, over });
      relay.receive({
        req,
        place,
        bodyLength: announced === undefined ? undefined : Number(announced),
        limit: BODY_LIMITS.relayed,
      });
    });
  }

  static async open(backend?: FakeBackend): Promise<RelaysUnderTest> {
    const relays = new RelaysUnderTest(backend ?? (await FakeBackend.ready()));
    relays.#server.listen(0, '127.0.0.1');
    await once(relays.#server, 'listening');
    return relays;
  }

  /** Opens a connection, and sends the head of a request with this body framing. */
  async begin(framing = 'Transfer-Encoding: chunked'): Promise<RawConnection> {
    const connection = await RawConnection.open((this.#server.address() as AddressInfo).port);
    this.#connections.push(connection);
    connection.send(`POST / HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n`);
    return connection;
  }

  /** The entry of the first relay, which has begun. */
  async entry(): Promise<RequestEntry> {
    return (await this.#relayed.find('a relay', () => true)).entry;
  }

  /** Waits for the end of the first relay. */
  async end(): Promise<RequestEntry> {
    const { entry, over } = await this.#relayed.find('a relay', () => true);
    await withTimeout('the end of a relay', DEADLINE, over);
    return entry;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
    await withTimeout('the end of the server', DEADLINE, closed);
  }
}
