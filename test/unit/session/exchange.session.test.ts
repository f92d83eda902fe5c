// Which outcomes of a request end its session (transport V2, section 3, "When a session ends early").
import assert from 'node:assert/strict';
import { SessionError } from '../../../src/session/errors.ts';
import type { ResponseHalf } from '../../support/enclaveHalf.ts';
import {
  FakeBackend,
  RECORDS,
  makeExchange,
  refusalFields,
  sendExchange,
  startExchange,
} from '../../support/exchanges.ts';
import type { FakeCall, Fields } from '../../support/fakeTransport.ts';
import { isAlive } from '../../support/sessionManagers.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

type Started = Awaited<ReturnType<typeof startExchange>>;

const RESET = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
const JSON_FIELDS: Fields = [['content-type', 'application/json']];
const CLIENT_GONE = new SessionError('cancelled', 'The client closed its connection');
const TIMEOUT = new SessionError('timeout', 'The backend did not answer in time');

/** Outer responses that are not 200 with the type of records. */
const BAD_HEADS: readonly (readonly [string, number, Fields])[] = [
  ...[201, 204, 302, 400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504].map(
    (status) => [`outer status ${status}`, status, RECORDS] as const,
  ),
  ['no content type', 200, []],
  ['another content type', 200, JSON_FIELDS],
  ['a content type with a parameter', 200, [['content-type', 'application/octet-stream; x=1']]],
  ['two content types', 200, [...RECORDS, ...RECORDS]],
];

/** What follows a Start, or replaces it, and breaks the grammar of the records. */
const BAD_RECORDS: readonly (readonly [string, string, (started: Started) => void])[] = [
  [
    'a record that does not open',
    'record_authentication',
    ({ call, response }) => {
      const frame = response.chunk('one');
      frame[10] = (frame[10] ?? 0) ^ 1;
      call.handler.onData(frame);
    },
  ],
  [
    'a record out of sequence',
    'record_authentication',
    ({ call, response }) => {
      response.chunk('lost');
      call.handler.onData(response.chunk('two'));
    },
  ],
  [
    'a frame that is too short',
    'record_length',
    ({ call }) => {
      call.handler.onData(Buffer.of(0, 0, 0, 16));
    },
  ],
  [
    'a frame that is too long',
    'record_length',
    ({ call }) => {
      call.handler.onData(Buffer.of(0, 1, 0, 0x12));
    },
  ],
  [
    'a second Start',
    'record_order',
    ({ call, response }) => {
      call.handler.onData(response.start());
    },
  ],
  [
    'a record of an unknown type',
    'record_malformed',
    ({ call, response }) => {
      call.handler.onData(response.frame(9, ''));
    },
  ],
  [
    'an End with content',
    'record_malformed',
    ({ call, response }) => {
      call.handler.onData(response.frame(3, 'x'));
    },
  ],
  [
    'bytes behind the End',
    'record_order',
    ({ call, response }) => {
      call.handler.onData(Buffer.concat([response.end(), Buffer.of(0)]));
    },
  ],
  [
    'an end without an End record',
    'truncated',
    ({ call, response }) => {
      call.handler.onData(response.chunk('one'));
      call.handler.onEnd();
    },
  ],
  [
    'an end inside a record',
    'truncated',
    ({ call, response }) => {
      call.handler.onData(response.chunk('one').subarray(0, 9));
      call.handler.onEnd();
    },
  ],
  [
    'a connection that breaks during the response',
    'network',
    ({ call, response }) => {
      call.handler.onData(response.chunk('one'));
      call.handler.onError(RESET);
    },
  ],
  [
    'a response that stops in the middle',
    'timeout',
    ({ exchange }) => {
      exchange.abort(TIMEOUT);
    },
  ],
];

describe('Exchange retires its session', () => {
  let backend: FakeBackend;

  beforeEach(async () => {
    backend = await FakeBackend.ready();
  });

  /** Checks that the session is gone, that nothing was sent again, and that the next request makes one new session. */
  async function assertRetired(calls = 1): Promise<void> {
    assert.deepEqual(backend.losses, ['bad_response']);
    assert.equal(backend.sessions.current(), undefined);
    assert.equal(backend.transport.calls.length, calls);
    assert.equal(backend.enclaves.length, 1, 'no handshake before the next request');
    const { call, sink } = await sendExchange(backend);
    assert.equal(backend.enclaveOf(call), backend.enclaves[1]);
    const response = await backend.respond(call);
    call.respond(200, RECORDS, response.start(), response.end());
    assert.deepEqual(sink.received, ['start 200', 'end']);
    assert.deepEqual([backend.enclaves.length, backend.transport.calls.length], [2, calls + 1]);
  }

  for (const [what, status, fields] of BAD_HEADS) {
    it(`after ${what}`, async () => {
      const { call, sink } = await sendExchange(backend);
      call.respond(status, fields);
      assert.match(sink.received.join(), /^fail response_(status|content_type)$/);
      await assertRetired();
    });
  }

  for (const [what, code, play] of BAD_RECORDS) {
    it(`after ${what}`, async () => {
      const started = await startExchange(backend);
      play(started);
      assert.equal(started.sink.received.at(-1), `fail ${code}`);
      await assertRetired();
    });
  }

  for (const [what, code, play] of [
    [
      'a response without any record',
      'truncated',
      ({ call }) => {
        call.handler.onEnd();
      },
    ],
    [
      'a Chunk instead of a Start',
      'record_order',
      ({ call, response }) => {
        call.handler.onData(response.chunk('one'));
      },
    ],
    [
      'an Error instead of a Start',
      'record_order',
      ({ call, response }) => {
        call.handler.onData(response.error('upstream_timeout'));
      },
    ],
    [
      'a connection that breaks between the head and the Start',
      'network',
      ({ call }) => {
        call.handler.onError(RESET);
      },
    ],
  ] satisfies readonly (readonly [string, string, (started: Started) => void])[]) {
    it(`after ${what}`, async () => {
      const sent = await sendExchange(backend);
      const response = await backend.respond(sent.call);
      sent.call.begin(200, RECORDS);
      play({ ...sent, response });
      assert.deepEqual(sent.sink.received, [`fail ${code}`]);
      await assertRetired();
    });
  }

  it('while its body still arrives', async () => {
    const { exchange, sink } = makeExchange(backend, 'the first part');
    exchange.begin();
    const call = await backend.transport.next('the request');
    await call.draw();
    call.respond(502, JSON_FIELDS);
    assert.deepEqual(sink.received, ['fail response_status']);
    await assertRetired();
  });

  it('and leaves running requests their keys', async () => {
    const streaming = await startExchange(backend);
    const waiting = await sendExchange(backend);
    const uploading = makeExchange(backend, 'a'.repeat(5000));
    uploading.exchange.begin();
    const upload = await backend.transport.next('the upload');
    const session = backend.sessions.current() ?? assert.fail();

    const failing = await startExchange(backend);
    failing.call.handler.onData(Buffer.of(0, 0, 0, 16));
    assert.equal(isAlive(session), false);

    streaming.call.handler.onData(Buffer.concat([streaming.response.chunk('one'), streaming.response.end()]));
    streaming.call.handler.onEnd();
    assert.deepEqual(streaming.sink.received, ['start 200', 'chunk one', 'end']);
    const response = await backend.respond(waiting.call);
    waiting.call.respond(200, RECORDS, response.start(), response.end());
    assert.deepEqual(waiting.sink.received, ['start 200', 'end']);
    uploading.body.push(Buffer.from('b'.repeat(5000)));
    uploading.body.finish();
    const opened = await backend.open(upload);
    assert.equal(opened.body.length, 10_000);
    const answer = backend.enclaveOf(upload).respond(opened.requestId);
    upload.respond(200, RECORDS, answer.start(), answer.end());
    assert.deepEqual(uploading.sink.received, ['start 200', 'end']);
    await assertRetired(4);
  });

  it('once for many failures, and keeps the successor when late ones arrive', async () => {
    const sent = await Promise.all(Array.from({ length: 50 }, () => sendExchange(backend)));
    const [early, late] = [sent.slice(0, 25), sent.slice(25)];
    for (const { call } of early) call.respond(502, JSON_FIELDS);
    assert.deepEqual([backend.losses, backend.enclaves.length], [[], 1], 'the others may still be answered');
    const { call: next } = await sendExchange(backend);
    assert.equal(backend.enclaveOf(next), backend.enclaves[1]);
    const successor = backend.sessions.current();
    for (const { call, sink } of late) {
      call.respond(502, JSON_FIELDS);
      assert.deepEqual(sink.received, ['fail response_status']);
    }
    assert.equal(backend.sessions.current(), successor);
    assert.deepEqual([backend.enclaves.length, backend.losses], [2, ['bad_response']]);
  });

  it('at most once a second while every session gets bad answers', async () => {
    const begun: number[] = [];
    backend.connect = () => {
      begun.push(backend.clock.monotonic());
      return Promise.resolve(backend.makeSession());
    };
    const from = backend.clock.monotonic();
    let requests = 0;
    const { transport } = backend;
    /** Sends one request after another, as a client that repeats failed requests at once. */
    const hammer = () => {
      const { exchange, body, sink } = makeExchange(backend, '{}');
      body.finish();
      sink.during = hammer;
      exchange.begin();
      requests++;
    };
    hammer();
    for (let step = 0; step < 100; step++) {
      for (const call of transport.calls.splice(0)) call.respond(502, JSON_FIELDS);
      await backend.clock.advance(100);
    }
    assert.ok(requests >= 10, `${requests} requests`);
    assert.deepEqual(
      begun.map((at) => at - from),
      begun.map((_, index) => index * 1000 + ((begun[0] ?? NaN) - from)),
    );
    assert.ok(begun.length >= 9 && begun.length <= 11, `${begun.length} handshakes in 10 seconds`);
  });
});

describe('Exchange goes on using a session that answers others', () => {
  let backend: FakeBackend;
  let finishHandshake: () => void;

  beforeEach(async () => {
    backend = await FakeBackend.ready();
    backend.connect = () =>
      new Promise((resolve) => {
        finishHandshake = () => {
          resolve(backend.makeSession());
        };
      });
  });

  const answer = async ({ call, sink }: Awaited<ReturnType<typeof sendExchange>>) => {
    const response = await backend.respond(call);
    call.respond(200, RECORDS, response.start(), response.end());
    assert.deepEqual(sink.received, ['start 200', 'end']);
  };
  const sessionOf = (call: FakeCall) => backend.enclaves.indexOf(backend.enclaveOf(call));
  /** Begins a request that may have to wait for a session. */
  const begin = async () => {
    const started = makeExchange(backend, '{}');
    started.body.finish();
    started.exchange.begin();
    await flushEventLoop();
    return started;
  };

  /** Ways in which the outer answer to a request is bad, at any moment. */
  const bad: readonly (readonly [string, (started: Awaited<ReturnType<typeof sendExchange>>) => void])[] = [
    [
      'a bad status',
      ({ call }) => {
        call.respond(502, JSON_FIELDS);
      },
    ],
    [
      'a bad content type',
      ({ call }) => {
        call.respond(200, JSON_FIELDS);
      },
    ],
    [
      'an empty answer',
      ({ call }) => {
        call.respond(200, RECORDS);
      },
    ],
    [
      'a connection that breaks after the head',
      ({ call }) => {
        call.begin(200, RECORDS);
        call.handler.onError(RESET);
      },
    ],
  ];

  for (const [what, fail] of bad) {
    it(`until its successor is there, after ${what}`, async () => {
      const failing = await sendExchange(backend);
      await answer(await sendExchange(backend));
      fail(failing);
      for (let count = 0; count < 3; count++) {
        const next = await sendExchange(backend);
        assert.equal(sessionOf(next.call), 0, 'while the handshake runs');
        await answer(next);
      }
      finishHandshake();
      await flushEventLoop();
      assert.deepEqual(backend.losses, ['bad_response']);
      assert.equal(sessionOf((await sendExchange(backend)).call), 1);
    });
  }

  it('after a response that broke off, if another one began later', async () => {
    const broken = await startExchange(backend);
    await answer(await sendExchange(backend));
    broken.call.handler.onData(broken.response.chunk('one'));
    await answer(await sendExchange(backend));
    broken.call.handler.onError(RESET);
    assert.equal(sessionOf((await sendExchange(backend)).call), 0);
  });

  it('but not if the last one began before the response that broke off got its last record', async () => {
    const broken = await startExchange(backend);
    await answer(await sendExchange(backend));
    broken.call.handler.onData(broken.response.chunk('one'));
    broken.call.handler.onError(RESET);
    assert.deepEqual(backend.losses, ['bad_response']);
  });

  it('as soon as one of those that wait is answered, with the requests that came meanwhile', async () => {
    const [failing, waiting] = [await sendExchange(backend), await sendExchange(backend)];
    failing.call.respond(502, JSON_FIELDS);
    const held = await begin();
    assert.equal(backend.transport.calls.length, 2, 'no request begins before there is an answer');
    await answer(waiting);
    const call = await backend.transport.next('the request that was held');
    assert.equal(sessionOf(call), 0);
    await answer({ ...held, call });
    finishHandshake();
    await flushEventLoop();
    assert.deepEqual([backend.losses, backend.enclaves.length], [['bad_response'], 2]);
  });

  const ends: readonly (readonly [string, (response: ResponseHalf) => Uint8Array])[] = [
    ['breaks off with the same bytes', (response) => response.start()],
    ['is followed by a bad record', (response) => Buffer.concat([response.start(), Buffer.of(0, 0, 0, 16)])],
  ];

  for (const [what, bytes] of ends) {
    it(`but not if the first answer ${what}: what was held waits for the successor`, async () => {
      const [failing, waiting] = [await sendExchange(backend), await sendExchange(backend)];
      failing.call.respond(502, JSON_FIELDS);
      const held = await begin();
      const response = await backend.respond(waiting.call);
      waiting.call.respond(200, RECORDS, bytes(response));
      await flushEventLoop();
      assert.deepEqual([backend.losses, held.sink.received], [['bad_response'], []]);
      finishHandshake();
      const call = await backend.transport.next('the request that was held');
      assert.equal(sessionOf(call), 1);
      await answer({ ...held, call });
    });
  }

  it('but not for what was held, if it was retired before the first answer', async () => {
    const [failing, waiting] = [await sendExchange(backend), await sendExchange(backend)];
    failing.call.respond(502, JSON_FIELDS);
    const held = await begin();
    backend.sessions.retire(backend.sessions.current() ?? assert.fail(), 'closed');
    await answer(waiting);
    await flushEventLoop();
    finishHandshake();
    const call = await backend.transport.next('the request that was held');
    assert.equal(sessionOf(call), 1);
    await answer({ ...held, call });
  });

  it('and makes one successor for any number of bad answers', async () => {
    for (let count = 0; count < 20; count++) {
      const failing = await sendExchange(backend);
      await answer(await sendExchange(backend));
      failing.call.respond(502, JSON_FIELDS);
      await backend.clock.advance(10);
    }
    await answer(await sendExchange(backend));
    finishHandshake();
    await flushEventLoop();
    assert.deepEqual([backend.losses, backend.enclaves.length], [['bad_response'], 2]);
  });

  it('but no longer when the last of those that waited has failed as well', async () => {
    const [one, two, gone] = [await sendExchange(backend), await sendExchange(backend), await sendExchange(backend)];
    one.call.respond(502, JSON_FIELDS);
    const session = backend.sessions.current() ?? assert.fail();
    gone.exchange.abort(CLIENT_GONE);
    assert.deepEqual(backend.losses, []);
    two.call.respond(502, JSON_FIELDS);
    assert.deepEqual([backend.losses, backend.sessions.current()], [['bad_response'], undefined]);
    assert.equal(isAlive(session), false);
  });

  it('but not after a record that does not open', async () => {
    const broken = await startExchange(backend);
    await answer(await sendExchange(backend));
    const frame = broken.response.chunk('one');
    frame[10] = (frame[10] ?? 0) ^ 1;
    broken.call.handler.onData(frame);
    assert.deepEqual([backend.losses, backend.sessions.current()], [['bad_response'], undefined]);
  });

  it('but sends a request again only on another one', async () => {
    const rejected = await sendExchange(backend);
    await answer(await sendExchange(backend));
    rejected.call.respond(400, refusalFields('session_not_found'));
    const next = await sendExchange(backend);
    assert.equal(sessionOf(next.call), 0);
    finishHandshake();
    const again = await backend.transport.next('the second request');
    assert.equal(sessionOf(again), 1);
    assert.deepEqual(backend.losses, ['rejected']);
    await answer(next);
  });

  it('also if that one rejects the request as well', async () => {
    const rejected = await sendExchange(backend);
    rejected.call.respond(400, refusalFields('session_not_found'));
    await flushEventLoop();
    finishHandshake();
    const again = await backend.transport.next('the second request');
    await answer(await sendExchange(backend));
    again.respond(400, refusalFields('session_not_found'));
    assert.deepEqual(rejected.sink.received, ['fail session_rejected']);
    assert.deepEqual(backend.losses, ['rejected'], 'nothing else was lost');
    assert.equal(sessionOf((await sendExchange(backend)).call), 1);
  });
});

describe('Exchange keeps its session', () => {
  const keepers: readonly (readonly [string, (backend: FakeBackend) => Promise<string[]>])[] = [
    [
      'after a complete response of any logical status',
      async (backend) => {
        const { call, sink } = await sendExchange(backend);
        const response = await backend.respond(call);
        call.respond(200, RECORDS, response.start(500), response.chunk('{}'), response.end());
        return sink.received;
      },
    ],
    [
      'after an authenticated Error record',
      async (backend) => {
        const { call, response, sink } = await startExchange(backend);
        call.respond(200, RECORDS, response.error('upstream_timeout'));
        return sink.received;
      },
    ],
    [
      'after a network error before any answer',
      async (backend) => {
        const { call, sink } = await sendExchange(backend);
        call.handler.onError(RESET);
        return sink.received;
      },
    ],
    [
      'after a timeout before any answer',
      async (backend) => {
        const { exchange, sink } = await sendExchange(backend);
        exchange.abort(TIMEOUT);
        return sink.received;
      },
    ],
    [
      'if the client cancels before the answer',
      async (backend) => {
        const { exchange, sink } = await sendExchange(backend);
        exchange.abort(CLIENT_GONE);
        return sink.received;
      },
    ],
    [
      'if the client cancels during the answer',
      async (backend) => {
        const { exchange, sink } = await startExchange(backend);
        exchange.abort(CLIENT_GONE);
        return sink.received;
      },
    ],
    [
      'if the request exceeds a limit',
      async (backend) => {
        const { call, sink } = await sendExchange(backend);
        call.begin(200, RECORDS);
        call.handler.onError(new SessionError('request_too_large', 'The request has a body of more than 50 MiB'));
        return sink.received;
      },
    ],
  ];

  for (const [what, play] of keepers) {
    it(what, async () => {
      const backend = await FakeBackend.ready();
      const session = backend.sessions.current();
      assert.match((await play(backend)).at(-1) ?? '', /^(end|fail )/);
      assert.equal(backend.sessions.current(), session);
      assert.deepEqual([backend.losses, backend.enclaves.length, backend.transport.calls.length], [[], 1, 1]);
    });
  }
});
