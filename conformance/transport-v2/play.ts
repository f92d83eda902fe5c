// Plays cases against a client, and says where it does something else than a case expects.
import { EnclaveHalf } from '../../test/support/enclaveHalf.ts';
import { Client, type Command, type Outgoing, type Received } from './client.ts';
import { type Play, ScriptedEnclave, type SeenRequest } from './enclave.ts';
import { sealParts } from './seal.ts';
import {
  type Case,
  DEFAULT_TIMEOUT,
  type Delivered,
  type Field,
  type LocalRequest,
  type Opened,
  bodyOf,
  bytesOf,
  keyOf,
} from './suite.ts';
import { fieldsOf } from './wireChecks.ts';

/**
 * `pass`: as expected. `held back`: a broken response that the client has not passed on in part, or not all of what was
 * authentic, which no rule forbids. `differs`: anything else.
 */
export type Outcome = 'pass' | 'held back' | 'differs';

export interface Result {
  readonly one: Case;
  readonly outcome: Outcome;
  /** What differs. */
  readonly differences: readonly string[];
}

/** Plays the cases, in so many clients at a time for each time limit. The results have the order of the cases. */
export async function playAll(cases: readonly Case[], command: Command, lanes: number): Promise<readonly Result[]> {
  const results = new Map<string, Result>();
  const groups = Map.groupBy(cases, ({ timeoutSeconds = DEFAULT_TIMEOUT }) => timeoutSeconds);
  const running = [...groups].flatMap(([timeout, group]) => {
    const waiting = group.values(); // which the lanes share
    return Array.from({ length: Math.min(lanes, group.length) }, async () => {
      const lane = new Lane(command, timeout);
      try {
        for (const one of waiting) results.set(one.id, await lane.play(one));
      } finally {
        await lane.close();
      }
    });
  });
  // All of them end before an error is thrown, so that no client is left.
  for (const settled of await Promise.allSettled(running)) if (settled.status === 'rejected') throw settled.reason;
  return cases.flatMap(({ id }) => results.get(id) ?? []);
}

/** One client process and its enclave. */
class Lane {
  readonly #command: Command;
  readonly #timeout: number;
  #enclave: ScriptedEnclave | undefined;
  #client: Client | undefined;

  constructor(command: Command, timeout: number) {
    this.#command = command;
    this.#timeout = timeout;
  }

  async play(one: Case): Promise<Result> {
    this.#enclave ??= await ScriptedEnclave.listen();
    if (one.handshakes === undefined) return this.#playOn(this.#enclave, one);
    // The client has a session, which it must give up first.
    const afterPrelude = await this.#playHandshake(this.#enclave, one, true);
    return afterPrelude ?? (await this.#playHandshake(this.#enclave, one, false)) ?? noHandshake(one);
  }

  async close(): Promise<void> {
    await this.#client?.stop();
    await this.#enclave?.close();
  }

  async #started(enclave: ScriptedEnclave): Promise<Client> {
    this.#client ??= await Client.start(this.#command, enclave.url, this.#timeout);
    return this.#client;
  }

  /** @param isPrelude whether a request before makes it give up its session; otherwise it is started again */
  async #playHandshake(enclave: ScriptedEnclave, one: Case, isPrelude: boolean): Promise<Result | undefined> {
    if (!isPrelude) {
      await this.#client?.stop();
      this.#client = undefined;
    }
    const play = enclave.play(one, isPrelude);
    const client = await this.#started(enclave);
    if (isPrelude) await client.send(outgoingOf(one, {}));
    const result = await this.#judge(enclave, client, play);
    return play.handshakes === 0 ? undefined : result;
  }

  async #playOn(enclave: ScriptedEnclave, one: Case): Promise<Result> {
    const client = await this.#started(enclave);
    const results: Result[] = [];
    const boundaries = boundariesOf(one);
    for (const boundary of boundaries) {
      const play = enclave.play(one, false);
      play.boundary = boundary;
      results.push(await this.#judge(enclave, client, play));
    }
    return results.find(({ outcome }) => outcome !== 'pass') ?? { one, outcome: 'pass', differences: [] };
  }

  async #judge(enclave: ScriptedEnclave, client: Client, play: Play): Promise<Result> {
    const { one } = play;
    const [first = {}, ...others] = one.requests ?? [];
    const begun = client.send(outgoingOf(one, first));
    const isHeld = one.answers?.[0]?.heldAfter !== undefined;
    await (isHeld ? Promise.race([begun, play.holding.promise]) : begun);
    const further: Received[] = [];
    for (const request of others) further.push(await client.send(outgoingOf(one, request)));
    play.released.resolve(undefined);
    const received = [await begun, ...further];
    enclave.end(play);
    return judge(play, received);
  }
}

function noHandshake(one: Case): Result {
  return { one, outcome: 'differs', differences: ['the client makes no handshake'] };
}

/** Where the answer is split, if it is sent in two at every boundary. */
function boundariesOf({ answers = [] }: Case): number[] {
  const [answer] = answers;
  if (answer?.delivery !== 'each boundary') return [1];
  const zero = Buffer.alloc(32);
  const half = new EnclaveHalf({ challenge: zero, clientPublicKey: zero }, zero, zero);
  const { length } = Buffer.concat(sealParts(answer.body ?? [], half, Buffer.alloc(16)));
  return Array.from({ length: length - 1 }, (_, index) => index + 1);
}

function outgoingOf(one: Case, request: LocalRequest): Outgoing {
  const { method = 'POST', target = '/v1/chat/completions', headers = [], chunked = false } = request;
  const body = bodyOf(one, request);
  const type: Field[] = body === undefined ? [] : [['content-type', 'application/json']];
  return { method, target, headers: [['authorization', `Bearer ${keyOf(one)}`], ...type, ...headers], body, chunked };
}

function judge(play: Play, received: readonly Received[]): Result {
  const { one, requests, violations } = play;
  const { client, sessions, opened = [] } = one.expected;
  const judged = client.map((expected, index) => compareDelivered(one, expected, received[index]));
  const numbers = [...new Set(requests.map(({ session }) => session))];
  const found = requests.map(({ session }) => numbers.indexOf(session));
  const differences = [
    ...judged.flatMap(({ differs }) => differs ?? []),
    ...(found.join() === sessions.join()
      ? []
      : [`requests in the sessions [${found.join()}], not [${sessions.join()}]`]),
    ...requests.flatMap((seen, index) => compareOpened(one, seen, index, opened[index])),
    ...violations,
    ...play.leaks().map((secret) => `on the wire in the clear: ${secret}`),
  ];
  const held = judged.flatMap(({ heldBack }) => heldBack ?? []);
  if (differences.length > 0) return { one, outcome: 'differs', differences: [...new Set(differences)] };
  return { one, outcome: held.length > 0 ? 'held back' : 'pass', differences: held };
}

interface Comparison {
  readonly differs?: string;
  readonly heldBack?: string;
}

function compareDelivered(one: Case, expected: Delivered, received: Received | undefined): Comparison {
  if (received?.kind === 'closed' && expected.outcome === 'broken') return { heldBack: 'the connection closes' };
  if (received?.kind !== 'response') return { differs: `no response: ${received?.reason ?? ''}` };
  const { status, headers, body, isWhole } = received;
  const shown = `status ${status}, ${body.length} bytes, ${isWhole ? 'complete' : 'broken'}`;
  if (expected.outcome === 'failed') {
    if (!isWhole || status < 400) return { differs: `${shown}, not a failure` };
    if (contentsOf(one).some((content) => body.includes(content)))
      return { differs: `${shown}, with a part of the answer` };
    return expected.statuses.includes(status)
      ? {}
      : { differs: `status ${status}, not ${expected.statuses.join(' or ')}` };
  }
  const wanted = bytesOf(expected.body);
  if (expected.outcome === 'broken') {
    if (isWhole && (status === 502 || status === 504)) return { heldBack: `${shown}, not a broken response` };
    if (isWhole || status !== expected.status) return { differs: `${shown}, not a broken one with ${expected.status}` };
    if (!wanted.subarray(0, body.length).equals(body)) return { differs: `${shown}, and bytes that are not authentic` };
    return body.length === wanted.length ? {} : { heldBack: `${body.length} of ${wanted.length} authentic bytes` };
  }
  if (!isWhole || status !== expected.status)
    return { differs: `${shown}, not a complete one with ${expected.status}` };
  if (!body.equals(wanted)) return { differs: `${shown}, another body` };
  const absent = headers.filter(([name]) => expected.absent?.includes(name));
  if (absent.length > 0) return { differs: `the header ${absent.map(([name]) => name).join()}` };
  return isWithin(expected.headers ?? [], headers) ? {} : { differs: 'headers of the response are missing' };
}

/** What the answers of a case have as a body; short contents could also be in an error of the client. */
function contentsOf({ answers = [] }: Case): Buffer[] {
  const parts = answers.flatMap(({ body = [] }) => body).filter(({ type, raw }) => type === 2 || raw);
  return parts.map(bytesOf).filter(({ length }) => length >= 8);
}

/** Compares what the enclave has opened with what the local client has sent. */
function compareOpened(one: Case, { opened }: SeenRequest, index: number, expected: Opened | undefined): string[] {
  if (opened === undefined) return [];
  const { requests = [{}] } = one;
  // A request that is sent again is the same one.
  const request = requests.length === 1 ? requests[0] : undefined;
  const wanted = bodyOf(one, request ?? requests[index] ?? {});
  const differences: string[] = [];
  if (!opened.body.equals(wanted ?? Buffer.alloc(0))) differences.push('the enclave opens another body');
  if (expected === undefined) return differences;
  const { method, target, body_present: bodyPresent } = opened.metadata;
  const found = { method, target, bodyPresent };
  for (const name of ['method', 'target', 'bodyPresent'] as const) {
    if (expected[name] !== undefined && expected[name] !== found[name]) {
      differences.push(`the enclave opens the ${name} ${String(found[name])}`);
    }
  }
  const fields = fieldsOf(opened);
  if (!isWithin(expected.headers ?? [], fields)) differences.push('the enclave opens other headers');
  const absent = fields.filter(([name]) => expected.absent?.includes(name)).map(([name]) => name);
  return [...differences, ...absent.map((name) => `the enclave opens the header ${name}`)];
}

/** Whether all of these fields are among the others, in their order. */
function isWithin(wanted: readonly Field[], found: readonly Field[]): boolean {
  let next = 0;
  for (const [name, value] of found) {
    const [wantedName, wantedValue] = wanted[next] ?? [];
    if (name === wantedName?.toLowerCase() && value === wantedValue) next++;
  }
  return next === wanted.length;
}
