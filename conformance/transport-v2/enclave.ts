// An enclave that plays cases: it does what a case scripts, and checks each byte that the client under test sends.
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { EnclaveHalf, type Offer, type OpenedRequest, readOffer } from '../../test/support/enclaveHalf.ts';
import { makeDocument, makeReply } from './documents.ts';
import { sealParts } from './seal.ts';
import { type Answer, type Case, type Handshake, type Part, keyOf, promptOf } from './suite.ts';
import { Closed, type Head, RequestReader, partsOf, valuesOf, writeMessage } from './wire.ts';
import { checkHandshake, checkRecord, checkRequestHead } from './wireChecks.ts';

const CORRECT_RECORDS: readonly Part[] = [
  { type: 1, text: '{"status":200,"headers":[{"name":"content-type","value":"application/json"}]}' },
  { type: 2, text: 'the first chunk, ' },
  { type: 2, text: 'the second chunk' },
  { type: 3 },
];
const RECORDS_HEAD = [['content-type', 'application/octet-stream']] as const;
const REPLY_HEAD = [['content-type', 'application/json']] as const;
const CORRECT: Answer = { body: CORRECT_RECORDS };
/** Ends the session of the client: outer status 503. */
const RETIRING: Answer = { status: 503, framing: 'content-length' };

interface EnclaveSession {
  readonly half: EnclaveHalf;
  readonly routingKey: string;
  readonly requestIds: Set<string>;
}

/** A request that the enclave has got in a case. */
export interface SeenRequest {
  /** The value of `x-session-id`. */
  readonly session: string;
  /** Missing if it was answered before its body had arrived. */
  opened?: OpenedRequest;
}

/** What has happened in a case. */
export class Play {
  readonly one: Case;
  readonly requests: SeenRequest[] = [];
  /** What the client must never do. */
  readonly violations: string[] = [];
  handshakes = 0;
  /** Where the answers are split that are sent in two HTTP chunks. */
  boundary = 1;
  /** Before the case begins: the next request is answered so that the client gives up its session. */
  isPrelude: boolean;
  readonly received: Buffer[] = [];
  readonly sockets = new Set<Socket>();
  /** An answer waits for the end of further requests. */
  readonly holding = Promise.withResolvers<undefined>();
  /** They have ended. */
  readonly released = Promise.withResolvers<undefined>();

  constructor(one: Case, isPrelude: boolean) {
    this.one = one;
    this.isPrelude = isPrelude;
  }

  nextHandshake(): Handshake {
    if (this.isPrelude) return {};
    const scripts = this.one.handshakes ?? [];
    return scripts[Math.min(this.handshakes++, scripts.length - 1)] ?? {};
  }

  nextAnswer(): Answer {
    if (!this.isPrelude) return this.one.answers?.[this.requests.length - 1] ?? CORRECT;
    this.isPrelude = false;
    return RETIRING;
  }

  /** What of the local client is in the bytes that have arrived. */
  leaks(): string[] {
    const received = Buffer.concat(this.received);
    return [keyOf(this.one), promptOf(this.one)].filter((secret) => received.includes(secret));
  }
}

export class ScriptedEnclave {
  readonly url: string;
  readonly #server: Server;
  readonly #sessions = new Map<string, EnclaveSession>();
  /** What no client may use twice: challenges and public keys. */
  readonly #offered = new Set<string>();
  readonly #sockets = new Set<Socket>();
  #play: Play | undefined;
  /** Requests between two cases. */
  #late = 0;

  static async listen(): Promise<ScriptedEnclave> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedEnclave(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined); // the client may reset a connection at any time
      socket.on('close', () => this.#sockets.delete(socket));
      void this.#serve(socket);
    });
  }

  /** Plays this case from now on. */
  play(one: Case, isPrelude: boolean): Play {
    const play = new Play(one, isPrelude);
    if (this.#late > 0) play.violations.push('a request has arrived after the end of the case before');
    this.#late = 0;
    this.#play = play;
    return play;
  }

  /** Ends the case, and the connections that it has left unanswered. */
  end(play: Play): void {
    this.#play = undefined;
    for (const socket of play.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(socket: Socket): Promise<void> {
    const reader = new RequestReader(socket, (chunk) => this.#play?.received.push(chunk));
    try {
      for (;;) {
        const head = await reader.head();
        // Between two cases, a client may renew its session.
        const play = this.#play;
        if (!(await this.#answer(socket, reader, head, play))) return;
      }
    } catch (error) {
      if (error instanceof Closed) return;
      this.#play?.violations.push(`the enclave could not read a request: ${String(error)}`);
      socket.destroy();
    }
  }

  /** Resolves to whether the connection may carry another request. */
  async #answer(socket: Socket, reader: RequestReader, head: Head, play: Play | undefined): Promise<boolean> {
    switch (`${head.method} ${head.target}`) {
      case 'POST /v2/session':
        return this.#handshake(socket, play, head, await reader.body(head));
      case 'POST /v2/request':
        return this.#request(socket, reader, head, play);
      default:
        play?.violations.push(`an unexpected request: ${head.method} ${head.target}`);
        socket.destroy();
        return false;
    }
  }

  #handshake(socket: Socket, play: Play | undefined, head: Head, body: Buffer): Promise<boolean> {
    const violations = checkHandshake(head, body);
    play?.violations.push(...violations);
    const offer = readOffer(body);
    for (const bytes of [offer.challenge, offer.clientPublicKey]) {
      const text = bytes.toString('hex');
      if (this.#offered.has(text)) play?.violations.push('a challenge or a public key was used before');
      this.#offered.add(text);
    }
    const script = play?.nextHandshake() ?? {};
    const half = accept(offer, script);
    this.#sessions.set(half.sessionId, {
      half,
      routingKey: offer.challenge.toString('base64'),
      requestIds: new Set(),
    });
    const document = makeDocument(script.document ?? {}, offer, half.publicKey);
    const reply = makeReply(script, half.sessionId, document);
    // What ends early ends in the middle.
    const part = script.end === undefined ? reply : reply.subarray(0, reply.length >> 1);
    if (script.end === 'silence') play?.sockets.add(socket);
    const contentLength = script.framing === 'content-length' ? { contentLength: reply.length } : {};
    const parts = script.status === 0 ? [] : partsOf(script, [part], 1);
    return writeMessage(socket, { headers: REPLY_HEAD, ...contentLength, ...script }, parts);
  }

  async #request(socket: Socket, reader: RequestReader, head: Head, play: Play | undefined): Promise<boolean> {
    const [session = ''] = valuesOf(head, 'x-session-id');
    const known = this.#sessions.get(session);
    if (play === undefined) this.#late++;
    if (known === undefined || play === undefined) {
      play?.violations.push('a request in a session that does not exist');
      socket.destroy();
      return false;
    }
    const seen: SeenRequest = { session };
    if (!play.isPrelude) play.requests.push(seen);
    const answer = play.nextAnswer();
    play.violations.push(...checkRequestHead(head, known.routingKey));
    if (answer.early) {
      const reusable = await writeMessage(socket, { headers: RECORDS_HEAD, ...answer }, sealRaw(answer));
      if (reusable) await reader.body(head); // the client sends the rest, or closes the connection
      return reusable;
    }
    const record = await reader.body(head);
    const opened = this.#open(record, known, play);
    if (opened === undefined) {
      socket.destroy();
      return false;
    }
    seen.opened = opened;
    if (answer.end === 'silence') play.sockets.add(socket);
    const parts = sealParts(answer.body ?? [], known.half, opened.requestId);
    const delivered = partsOf(answer, parts, play.boundary);
    return writeMessage(socket, { headers: RECORDS_HEAD, ...answer }, delivered, async (part) => {
      if (part !== answer.heldAfter) return;
      play.holding.resolve(undefined);
      await play.released.promise;
    });
  }

  #open(record: Buffer, { half, requestIds }: EnclaveSession, play: Play): OpenedRequest | undefined {
    try {
      const opened = half.open(record);
      const id = opened.requestId.toString('hex');
      if (requestIds.has(id)) play.violations.push('a request id was used before');
      requestIds.add(id);
      play.violations.push(...checkRecord(opened, keyOf(play.one)));
      return opened;
    } catch {
      play.violations.push('the record of a request does not open');
      return undefined;
    }
  }
}

/** Of an early answer, whose request has no id yet. */
function sealRaw({ body = [] }: Answer): Buffer[] {
  return sealParts(
    body.filter(({ raw }) => raw),
    new EnclaveHalf(
      { challenge: Buffer.alloc(32), clientPublicKey: Buffer.alloc(32) },
      Buffer.alloc(32),
      Buffer.alloc(32),
    ),
    Buffer.alloc(16),
  );
}

/** With a public key of low order, the shared secret is zero: only the check of that refuses the handshake. */
function accept(offer: Offer, { document }: Handshake): EnclaveHalf {
  const script = document?.publicKey;
  if (typeof script !== 'object') return EnclaveHalf.accept(offer);
  return new EnclaveHalf(offer, Buffer.from(script.hex, 'hex'), Buffer.alloc(32));
}
