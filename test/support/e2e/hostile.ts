// Mutated requests and streams, and the checks of what a client gets for them.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { CLAUDE_CODE_REQUEST } from '../messagesRequests.ts';
import { speechEvents } from '../modelSpeech.ts';
import { mutate, pick } from '../mutations.ts';
import { MODEL } from './chat.ts';
import type { DialectUnderTest } from './dialects.ts';
import { sendRequest } from './httpClient.ts';
import type { ClientResponse, RequestOptions } from './httpClient.ts';

type Random = () => number;

const CODEX_REQUEST = {
  model: MODEL,
  instructions: 'Be brief.',
  store: false,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'high', summary: 'auto' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
  include: ['reasoning.encrypted_content'],
  tools: [
    { type: 'function', name: 'run', description: 'Runs.', parameters: { type: 'object' }, strict: false },
    { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
    { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'run' }] },
    { type: 'web_search', external_web_access: false },
  ],
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'a' }] },
    { role: 'user', content: [{ type: 'input_text', text: 'b' }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'c' }], content: null },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'd' }] },
    { type: 'function_call', call_id: '1', name: 'run', namespace: 'agents', arguments: '{}' },
    { type: 'custom_tool_call', call_id: '2', name: 'patch', input: 'x' },
    { type: 'function_call_output', call_id: '1', output: [{ type: 'input_text', text: 'e' }] },
    { type: 'custom_tool_call_output', call_id: '2', output: 'f' },
  ],
};
const REQUESTS = { messages: CLAUDE_CODE_REQUEST, responses: CODEX_REQUEST };

/** A request with changed values, or changed bytes. */
export function mutatedRequest({ name }: Pick<DialectUnderTest, 'name'>, random: Random): Buffer {
  const bytes = Buffer.from(jsonOf(mutate({ ...REQUESTS[name], stream: random() < 0.5 }, random)));
  if (random() < 0.1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return random() < 0.05 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '{"messages":' + '['.repeat(100_000) + ']'.repeat(100_000) + '}'; // nested too deeply to be written
  }
}

const CALLS = [0, 1].map((index) => ({ id: `call_${index}`, name: 'run', input: { path: '"}\\' } }));
const EVENTS = speechEvents(
  [
    { kind: 'reasoning', text: 'Hm. Hm.' },
    { kind: 'text', text: 'Some words.' },
    { kind: 'calls', calls: CALLS, order: [0, 1, 1, 0] },
  ],
  'tool_calls',
  { input: 10, cached: 2, output: 5, reasoning: 1 },
);
const OTHER_EVENTS = ['', '5', 'null', '[]', '{', '{"error":{"message":"No."}}', '[DONE]'];
const TYPES = ['text/event-stream', 'text/event-stream; charset=utf-8', 'application/json', 'text/html', ''];

/** A backend whose streams have mutated events, in chunks that end anywhere. `onMutated` is called for each one. */
export function mutatingBackend(model: ApiHandler, random: Random, onMutated: () => void): ApiHandler {
  const mutateEvent = (json: string) => {
    if (random() < 0.6) return json;
    onMutated();
    if (json === '[DONE]' || random() < 0.2) return pick(random, OTHER_EVENTS);
    return jsonOf(mutate(JSON.parse(json), random));
  };
  return async (request, response) => {
    if (request.target === '/v1/models') {
      await model(request, response);
      return;
    }
    const isStream = random() < 0.9;
    const type = isStream ? (TYPES[0] ?? '') : pick(random, TYPES);
    response.start({ status: random() < 0.97 ? 200 : 429, headers: [{ name: 'content-type', value: type }] });
    const bytes = Buffer.from(EVENTS.map((json) => `data: ${mutateEvent(json)}\n\n`).join(''));
    if (random() < 0.1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    for (let start = 0; start < bytes.length;) {
      const end = start + 1 + Math.floor(random() * 2000);
      response.write(bytes.subarray(start, end));
      start = end;
    }
    if (random() < 0.9) response.end();
    else response.fail('internal_error');
  };
}

/** Sends requests on shared connections, so many at once. */
export async function sendAll(
  url: string,
  requests: Iterable<RequestOptions>,
  onResponse: (response: ClientResponse) => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const waiting = requests[Symbol.iterator]();
  const sendNext = async () => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      onResponse(await sendRequest(url, { ...next.value, agent }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, sendNext));
  agent.destroy();
}

const LAST_EVENTS = { messages: ['message_stop'], responses: ['response.completed', 'response.incomplete'] };

/** Checks a response of any kind: complete, failed in the dialect's form, or an error that the official client reads. */
export function checkResponse(dialect: DialectUnderTest, response: ClientResponse): 'complete' | 'failed' | 'error' {
  const text = response.body.toString();
  assert.equal(response.broken, false, text);
  if (response.status !== 200) {
    checkError(dialect, response);
    return 'error';
  }
  if (response.headers['content-type']?.[0] === 'application/json') {
    assert.ok(response.json());
    return 'complete';
  }
  const events = text
    .split('\n\n')
    .filter((event) => event !== '' && !event.startsWith(':'))
    .map((event) => /^event: (.*)\ndata: (.*)$/.exec(event))
    .map((match) => ({ name: match?.[1] ?? '', data: JSON.parse(match?.[2] ?? '') as Record<string, unknown> }));
  const last = events.at(-1)?.name ?? '';
  const hasFailed = last === dialect.errorEvent;
  assert.ok(hasFailed || LAST_EVENTS[dialect.name].includes(last), text);
  const endings = events.filter(({ name }) => name === dialect.errorEvent || LAST_EVENTS[dialect.name].includes(name));
  assert.equal(endings.length, 1, text);
  for (const [index, { name, data }] of events.entries()) {
    assert.equal(data['type'], name);
    if (dialect.name === 'responses') assert.equal(data['sequence_number'], index);
  }
  return hasFailed ? 'failed' : 'complete';
}

function checkError(dialect: DialectUnderTest, response: ClientResponse): void {
  const { status, body, headers } = response;
  assert.deepEqual(headers['content-type'], ['application/json'], body.toString());
  assert.ok(status >= 400 && status < 600);
  const { message } = dialect.errorOf(response.json());
  assert.ok(message.length > 0 && message.length < 5000 && !/\p{Cc}/u.test(message), message);
  const { APIError } = dialect.name === 'messages' ? Anthropic : OpenAI;
  const error = APIError.generate(status, response.json() as object, undefined, new Headers());
  assert.notEqual(error.constructor, APIError, 'the client has a class for this error');
  const shown = dialect.name === 'messages' ? JSON.stringify(message) : message; // this client shows the JSON text of the body
  assert.ok(error.message.includes(shown), error.message);
}
