// What the files of cases have in common.
import type { Answer, Area, Case, Content, Delivered, Field, Handshake, Part } from '../suite.ts';

/** The clauses: a section of the specification, and its subject. */
export const CLAUSE = {
  reply: '1 Handshake: the reply',
  bindings: '1 Handshake: the three bindings',
  keys: '1 Handshake: keys',
  document: '4 The attestation document',
  outerRequest: '2 Request: outer headers',
  metadata: '2 Request: metadata',
  plaintext: '2 Request: plaintext',
  limits: '2 Request: limits',
  outer: '3 Response: outer status and type',
  frames: '3 Response: frames',
  seal: '3 Response: nonce and additional data',
  start: '3 Response: Start',
  error: '3 Response: Error',
  types: '3 Response: records',
  grammar: '3 Response: grammar',
  failure: '3 Response: a failure after Start',
  resend: '3 The one resend',
  retired: '3 When a session ends early',
} as const;
type Clause = (typeof CLAUSE)[keyof typeof CLAUSE];

export const JSON_TYPE: Field = ['content-type', 'application/json'];
export const RECORD_TYPE: Field = ['content-type', 'application/octet-stream'];

export const FIRST = 'the first chunk, ';
export const SECOND = 'the second chunk';
const ALL: Content = { text: FIRST + SECOND };

export function start(status = 200, headers: readonly Field[] = [JSON_TYPE]): Part {
  return startOf({ status, headers: headers.map(([name, value]) => ({ name, value })) });
}

/** A Start of any JSON. */
export function startOf(value: unknown): Part {
  return { type: 1, text: JSON.stringify(value) };
}

export function chunk(text: string): Part {
  return { type: 2, text };
}

export function error(code: string): Part {
  return { type: 4, text: JSON.stringify({ code }) };
}

export const END: Part = { type: 3 };
/** The records of a correct response. */
export const CORRECT: readonly Part[] = [start(), chunk(FIRST), chunk(SECOND), END];

export function complete(body: Content = ALL, status = 200): Delivered & { readonly outcome: 'complete' } {
  return { outcome: 'complete', status, body };
}

/** @param text what was authentic before the failure */
export function broken(text = '', status = 200): Delivered {
  return { outcome: 'broken', status, body: { text } };
}

export const FAILED: Delivered = { outcome: 'failed', statuses: [502] };
export const TIMED_OUT: Delivered = { outcome: 'failed', statuses: [504] };

export type Facts = Omit<Case, 'id' | 'title' | 'clause' | 'strength'>;

export function make(area: Area, title: string, clause: Clause, facts: Facts): Case {
  return { id: `${area}/${slugOf(title)}`, title, strength: 'required', clause, ...facts };
}

/** The same case, where the clause permits something else too. */
export function profile(one: Case): Case {
  return { ...one, strength: 'profile' };
}

/** One request with one answer. */
export function answered(area: Area, title: string, clause: Clause, answer: Answer, client: Delivered): Case {
  return make(area, title, clause, { answers: [answer], expected: { client: [client], sessions: [0] } });
}

/** A handshake after which a request may be sent. */
export function accepted(area: Area, title: string, clause: Clause, handshake: Handshake): Case {
  return make(area, title, clause, { handshakes: [handshake], expected: { client: [complete()], sessions: [0] } });
}

/** A handshake after which no request may be sent. */
export function refused(area: Area, title: string, clause: Clause, handshake: Handshake): Case {
  return make(area, title, clause, { handshakes: [handshake], expected: { client: [FAILED], sessions: [] } });
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
