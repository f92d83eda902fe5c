// Compares what went over the wire with what the enclave received: only the key may differ.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ApiRequest } from '../../../src/devEnclave/model/apiHandler.ts';
import type { DialectName } from '../../../src/dialects/dialect.ts';
import { fieldsOf, parseJson } from '../../../src/shared/json.ts';
import type { RunningProcess } from '../e2e/process.ts';
import { API_KEY } from '../e2e/scope.ts';
import { assertNoSecretLeaks } from '../e2e/secretLeaks.ts';
import type { Bench } from './bench.ts';
import type { Tool } from './script.ts';
import { note } from './table.ts';
import { exchangesOn } from './wire.ts';

const CHAT = '/v1/chat/completions';
/** Without a query. */
const DIALECT_PATHS: Readonly<Record<DialectName, string>> = {
  messages: '/anthropic/v1/messages',
  responses: '/responses/v1/responses',
};

/** The chat requests that the enclave has decrypted. */
function chatsOf({ answers }: Bench): readonly ApiRequest[] {
  return answers.map(({ request }) => request).filter(({ target }) => target === CHAT);
}

/** Every request in a dialect reached the enclave as one chat request, and every response to it is an event stream or JSON. */
export function assertTranslated(name: string, bench: Bench, dialect: DialectName): void {
  const wire = bench.recorder.connections.items
    .flatMap(({ sent, received }) => exchangesOn(Buffer.concat(sent), Buffer.concat(received)))
    .filter(({ method, target }) => method === 'POST' && target.split('?', 1)[0] === DIALECT_PATHS[dialect]);
  assert.equal(chatsOf(bench).length, wire.length);
  const complete = wire.flatMap(({ response }) => (response === undefined ? [] : [response]));
  assert.ok(complete.length > 0);
  for (const { status, body } of complete) assert.equal(status, 200, body.toString());
  note(
    name,
    'bytes, by SHA-256',
    `translated from ${dialect}: ${count(wire, 'request')}, ${count(complete, 'response')}`,
  );
}

/** Every chat request reached the enclave byte by byte, and every complete response came back byte by byte. */
export function assertExactBytes(name: string, { recorder, answers, word }: Bench): void {
  const wire = recorder.connections.items
    .flatMap(({ sent, received }) => exchangesOn(Buffer.concat(sent), Buffer.concat(received)))
    .filter(({ target }) => target === CHAT);
  const decrypted = answers.filter(({ request }) => request.target === CHAT);
  const requests = wire.map(({ request }) => sha256(request));
  assert.deepEqual(requests.toSorted(), decrypted.map(({ request }) => sha256(request.body ?? '')).toSorted());
  const recorded = new Set(
    decrypted.map(({ request, chunks }) => sha256(request.body ?? '') + sha256(Buffer.concat(chunks))),
  );
  const complete = wire.flatMap(({ request, response }) => (response === undefined ? [] : [{ request, response }]));
  assert.ok(complete.length > 0);
  for (const { request, response } of complete) {
    assert.equal(response.status, 200);
    assert.ok(recorded.has(sha256(request) + sha256(response.body)), 'a response was changed on the way');
  }
  // The response with the word is among them.
  assert.equal(
    complete.some(({ response }) => response.body.includes(word)),
    decrypted.some(({ chunks }) => Buffer.concat(chunks).includes(word)),
  );
  note(name, 'bytes, by SHA-256', `exact: ${count(requests, 'request')}, ${count(complete, 'response')}`);
}

/** The enclave gets the API key as the credential and never the access key; the assistant never gets the API key. */
export function assertKeys(
  name: string,
  { answers, endpoint, proxy, recorder }: Bench,
  assistant: RunningProcess,
): void {
  for (const { request } of answers) {
    const { credential, target, headers, body = new Uint8Array(0) } = request;
    assert.equal(credential, API_KEY);
    const all = [target, ...headers.map((field) => `${field.name}: ${field.value}`), Buffer.from(body).toString()];
    assertNoSecretLeaks(
      { 'the access key': endpoint.key, 'the API key': API_KEY },
      all.join('\n'),
      'the decrypted request',
    );
  }
  assert.ok(recorder.sent.includes(endpoint.key));
  const printed = [...assistant.stdout.items, ...assistant.stderr.items].join('\n');
  assertNoSecretLeaks(
    { 'the API key': API_KEY },
    recorder.received.toString() + printed,
    'what the assistant received and printed',
  );
  assertNoSecretLeaks(
    { 'the access key': endpoint.key, 'the API key': API_KEY },
    proxy.stderr.items.join('\n'),
    "the proxy's log",
  );
  note(name, 'key at the enclave', 'the API key, exchanged');
}

/** The enclave received the tool's result with the word in it. */
export function assertToolResult(name: string, bench: Bench, tool: Tool): void {
  const messages = chatsOf(bench).map(({ body }) => fieldsOf(parseJson(body ?? Buffer.of()))['messages']);
  const results = messages.map((all) => (Array.isArray(all) ? all.map(fieldsOf) : []).filter(isToolResult));
  assert.ok(results.flat().some(({ content }) => JSON.stringify(content).includes(bench.word)));
  note(name, 'did', `streamed, called ${tool.name} and sent its result`);
}

/** Asserts and notes the parameters of the assistant's main request, which is the one with the most tools. */
export function noteRequest(name: string, bench: Bench, maxTokens: number | null): void {
  const chats = chatsOf(bench).map((request) => ({ request, body: fieldsOf(parseJson(request.body ?? Buffer.of())) }));
  const toolsIn = ({ tools }: Readonly<Record<string, unknown>>) => (Array.isArray(tools) ? tools.length : 0);
  const [main] = chats.toSorted((one, other) => toolsIn(other.body) - toolsIn(one.body));
  assert.ok(main);
  const { model, stream, max_tokens: limit = null } = main.body;
  assert.equal(model, bench.endpoint.model.id);
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
