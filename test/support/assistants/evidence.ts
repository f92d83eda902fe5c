// What went over the wire and what the enclave has opened must be the same, apart from the key.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { LogicalRequest } from '../../../src/devEnclave/model/logical.ts';
import { fieldsOf, parseJson } from '../../../src/shared/json.ts';
import { assertNoSecretLeaks } from '../e2e/secretLeaks.ts';
import { API_KEY } from '../e2e/scope.ts';
import type { RunningProcess } from '../e2e/process.ts';
import type { Bench } from './bench.ts';
import type { Tool } from './script.ts';
import { note } from './table.ts';
import { exchangesOn } from './wire.ts';

const CHAT = '/v1/chat/completions';

/** The chat requests as the enclave has opened them. */
function chatsOf({ answers }: Bench): readonly LogicalRequest[] {
  return answers.map(({ request }) => request).filter(({ target }) => target === CHAT);
}

/** Every chat has reached the enclave as it was sent, and every whole answer has come back as it was given. */
export function assertExactBytes(name: string, { tap, answers, word }: Bench): void {
  const wire = tap.connections.items
    .flatMap(({ sent, received }) => exchangesOn(Buffer.concat(sent), Buffer.concat(received)))
    .filter(({ target }) => target === CHAT);
  const opened = answers.filter(({ request }) => request.target === CHAT);
  const requests = wire.map(({ request }) => sha256(request));
  assert.deepEqual(requests.toSorted(), opened.map(({ request }) => sha256(request.body ?? '')).toSorted());
  const given = new Set(
    opened.map(({ request, chunks }) => sha256(request.body ?? '') + sha256(Buffer.concat(chunks))),
  );
  const whole = wire.flatMap(({ request, response }) => (response === undefined ? [] : [{ request, response }]));
  assert.ok(whole.length > 0);
  for (const { request, response } of whole) {
    assert.equal(response.status, 200);
    assert.ok(given.has(sha256(request) + sha256(response.body)), 'an answer came back otherwise than it was given');
  }
  // The one that the assistant has told of is among them.
  assert.equal(
    whole.some(({ response }) => response.body.includes(word)),
    opened.some(({ chunks }) => Buffer.concat(chunks).includes(word)),
  );
  note(name, 'bytes, by SHA-256', `exact: ${count(requests, 'request')}, ${count(whole, 'answer')}`);
}

/** The enclave sees the API key in the key's own place, and the access key nowhere; the assistant never sees the API key. */
export function assertKeys(name: string, { answers, connection, proxy, tap }: Bench, assistant: RunningProcess): void {
  for (const { request } of answers) {
    const { credential, target, headers, body = new Uint8Array(0) } = request;
    assert.equal(credential, API_KEY);
    const all = [target, ...headers.map((field) => `${field.name}: ${field.value}`), Buffer.from(body).toString()];
    assertNoSecretLeaks(
      { 'the access key': connection.key, 'the API key': API_KEY },
      all.join('\n'),
      'what the enclave opened',
    );
  }
  assert.ok(tap.sent.includes(`Bearer ${connection.key}`));
  const printed = [...assistant.stdout.items, ...assistant.stderr.items].join('\n');
  assertNoSecretLeaks({ 'the API key': API_KEY }, tap.received.toString() + printed, 'what the assistant got');
  assertNoSecretLeaks(
    { 'the access key': connection.key, 'the API key': API_KEY },
    proxy.stderr.items.join('\n'),
    "the proxy's log",
  );
  note(name, 'key at the enclave', 'the API key, exchanged');
}

/** What the tool has found has come to the enclave, as the result of a tool. */
export function assertToolResult(name: string, bench: Bench, tool: Tool): void {
  const messages = chatsOf(bench).map(({ body }) => fieldsOf(parseJson(body ?? Buffer.of()))['messages']);
  const results = messages.map((all) => (Array.isArray(all) ? all.map(fieldsOf) : []).filter(isToolResult));
  assert.ok(results.flat().some(({ content }) => JSON.stringify(content).includes(bench.word)));
  note(name, 'did', `streamed, called ${tool.name} and sent its result`);
}

/** What the enclave was asked for: the request with the most tools says it. */
export function noteRequest(name: string, bench: Bench, maxTokens: number | null): void {
  const chats = chatsOf(bench).map((request) => ({ request, body: fieldsOf(parseJson(request.body ?? Buffer.of())) }));
  const toolsIn = ({ tools }: Readonly<Record<string, unknown>>) => (Array.isArray(tools) ? tools.length : 0);
  const [main] = chats.toSorted((one, other) => toolsIn(other.body) - toolsIn(one.body));
  assert.ok(main);
  const { model, stream, max_tokens: limit = null } = main.body;
  assert.equal(model, bench.connection.model.id);
  assert.equal(stream, true);
  assert.equal(limit, maxTokens);
  note(name, 'model', maxTokens === null ? model : `${model}, max_tokens ${maxTokens}`);
  note(name, 'stream', 'yes');
  note(name, 'tools', `${toolsIn(main.body)}`);
  const found = (wanted: string) =>
    main.request.headers.filter((field) => field.name === wanted).map(({ value }) => value);
  assert.deepEqual(found('authorization'), []);
  note(name, 'headers at the enclave', `user-agent: ${found('user-agent').join(', ')}; authorization: none`);
}

function isToolResult({ role }: Readonly<Record<string, unknown>>): boolean {
  return role === 'tool';
}

function count(items: readonly unknown[], what: string): string {
  return `${items.length} ${what}${items.length === 1 ? '' : 's'}`;
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
