// Someone between the proxy and the enclave cuts responses off. The outer HTTP is theirs to write, so they can also make a
// part of a response look like a complete HTTP message.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { Scope } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const QUICK_TIMERS = ['--import', new URL('../support/quickTimers.mjs', import.meta.url).href];
/** Requests at once: a proxy whose responses are cut makes one session a second, which all of them share. */
const AT_ONCE = 100;
const HEAD_END = '\r\n\r\n';

/** What the client of the cut connection sees. */
type Ending = 'closed' | 'reset' | 'complete by its length' | 'complete by its last chunk';
const ENDINGS: readonly Ending[] = ['closed', 'reset', 'complete by its length', 'complete by its last chunk'];

interface Cut {
  /** How many bytes of the records pass. */
  readonly at: number;
  readonly ending: Ending;
}

/** A relay that lets handshakes through, and cuts the responses to requests. */
class CuttingRelay {
  /** For the next responses. Undefined: they pass unchanged. */
  cuts: Cut[] | undefined;
  /** The lengths of all responses so far, in bytes of their records. */
  readonly lengths: number[] = [];
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => {
    this.#relay(client);
  });

  constructor(target: number) {
    this.#target = target;
  }

  async listen(): Promise<{ readonly url: string }> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return { url: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` };
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** One connection for each request: the enclave is told to close it. */
  #relay(client: Socket): void {
    const target = connect(this.#target, '127.0.0.1');
    for (const socket of [client, target]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    }
    const sent: Buffer[] = [];
    const received: Buffer[] = [];
    client.on('data', (chunk: Buffer) => {
      const isFirst = sent.length === 0;
      sent.push(chunk);
      const text = chunk.toString('latin1');
      target.write(
        isFirst ? Buffer.from(text.replace(/\r\nconnection: [^\r]*/i, '\r\nconnection: close'), 'latin1') : chunk,
      );
    });
    target.on('data', (chunk: Buffer) => received.push(chunk));
    target.once('end', () => {
      const isRequest = Buffer.concat(sent).includes('POST /v2/request ');
      this.#answer(client, Buffer.concat(received).toString('latin1'), isRequest);
    });
  }

  #answer(client: Socket, response: string, isRequest: boolean): void {
    const end = response.indexOf(HEAD_END);
    const [head, body] = [response.slice(0, end), response.slice(end + HEAD_END.length)];
    const records = /^transfer-encoding: chunked$/im.test(head) ? decodeChunks(body) : body;
    if (isRequest) this.lengths.push(records.length);
    const cut = isRequest ? this.cuts?.shift() : undefined;
    const { at, ending } = cut ?? { at: records.length, ending: 'complete by its length' };
    const part = records.slice(0, at);
    const kept = head.replace(/\r\n(?:transfer-encoding|content-length|connection|keep-alive): [^\r]*/gi, '');
    const isChunked = ending === 'complete by its last chunk';
    const framing = isChunked ? 'transfer-encoding: chunked' : `content-length: ${isComplete(ending) ? at : at + 1}`;
    const framed = isChunked ? `${at > 0 ? `${at.toString(16)}\r\n${part}\r\n` : ''}0\r\n\r\n` : part;
    client.write(Buffer.from(`${kept}\r\n${framing}\r\nconnection: close${HEAD_END}${framed}`, 'latin1'), () => {
      if (ending === 'reset') client.resetAndDestroy();
      else client.end();
    });
  }
}

function isComplete(ending: Ending): boolean {
  return ending.startsWith('complete');
}

function decodeChunks(body: string): string {
  let rest = body;
  let decoded = '';
  for (;;) {
    const [line = ''] = rest.split('\r\n', 1);
    const length = parseInt(line, 16);
    if (!(length > 0)) return decoded;
    decoded += rest.slice(line.length + 2, line.length + 2 + length);
    rest = rest.slice(line.length + length + 4);
  }
}

describe('A response that is cut off on its way', () => {
  const scope = new Scope();
  let relay: CuttingRelay;
  let proxy: ServerProcess;

  before(async () => {
    const enclave = await scope.enclave();
    relay = new CuttingRelay(enclave.port);
    const backend = await relay.listen();
    scope.onClose(() => relay.close());
    proxy = await scope.proxy(backend, {}, { nodeArgs: QUICK_TIMERS });
    await proxy.logged('session');
  });
  after(() => scope.close());

  for (const stream of [false, true]) {
    const body = chatBody('Hi', { stream });

    it(`is never complete for the client, wherever and however it is cut: ${stream ? 'a stream' : 'no stream'}`, async () => {
      relay.cuts = undefined;
      const whole = await sendRequest(proxy.url, { body });
      assert.deepEqual([whole.status, whole.broken], [200, false]);
      const length = relay.lengths.at(-1) ?? 0;
      assert.ok(length > 300, `${length} bytes`);
      // Each position once, each time with another ending; the last ones with every ending.
      const cuts = Array.from({ length }, (_, at): Cut => ({ at, ending: ENDINGS[at % ENDINGS.length] ?? 'closed' }));
      for (const ending of ENDINGS) for (let back = 1; back <= 24; back++) cuts.push({ at: length - back, ending });

      const statuses = new Set<number>();
      for (let begin = 0; begin < cuts.length; begin += AT_ONCE) {
        const batch = cuts.slice(begin, begin + AT_ONCE);
        relay.cuts = [...batch];
        const responses = await Promise.all(batch.map(() => sendRequest(proxy.url, { body })));
        for (const { status, broken, body: received } of responses) {
          statuses.add(status);
          assert.ok(status === 502 || (status === 200 && broken), `${status}: ${received.toString()}`);
        }
        assert.deepEqual(relay.cuts, [], 'each cut was made');
      }
      assert.deepEqual([...statuses].toSorted(), [200, 502]);
    });
  }
});
