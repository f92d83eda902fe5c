// Requests of the Responses API, and its replies as the official client library reads them.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import type { Response as ModelResponse, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { ChatDelta } from '../../src/dialects/chatReader.ts';
import type { ReplyIdentity, ReplyOutcome, RequestContext } from '../../src/dialects/dialect.ts';
import { DialectError } from '../../src/dialects/dialectError.ts';
import type { ResponsesPlan } from '../../src/dialects/responses/plan.ts';
import { responses } from '../../src/dialects/responses/responses.ts';

export const CONTEXT: RequestContext = {
  modelList: {
    data: [
      { id: 'thinker', capabilities: { chat: true, reasoning: true } },
      { id: 'talker', capabilities: { chat: true } },
    ],
  },
  replacementModel: undefined,
  open: (sealed) => /^sealed\((.*)\)$/s.exec(sealed)?.[1],
};

export const IDENTITY: ReplyIdentity = {
  id: '0123456789abcdef'.repeat(2),
  createdAt: 1_700_000_000,
  seal: (text) => `sealed(${text})`,
};

const IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' };
/** As Codex sends it, with more of what it may contain. */
export const CODEX_REQUEST = {
  model: 'thinker',
  instructions: 'Be brief.',
  stream: true,
  store: false,
  background: false,
  previous_response_id: null,
  tool_choice: {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [
      { type: 'function', name: 'run' },
      { type: 'namespace', name: 'agents' },
    ],
  },
  parallel_tool_calls: true,
  reasoning: { effort: 'high', summary: 'auto' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
  include: ['reasoning.encrypted_content'],
  max_output_tokens: 100,
  temperature: 0.5,
  metadata: { a: 'b' },
  tools: [
    { type: 'function', name: 'run', description: 'Runs.', parameters: { type: 'object' }, strict: false },
    { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
    { type: 'namespace', name: 'agents', description: 'd', tools: [{ type: 'function', name: 'run' }] },
    { type: 'function', name: 'later', description: 'd', parameters: { type: 'object' }, defer_loading: true },
    { type: 'web_search', external_web_access: false },
    { type: 'tool_search', execution: 'client', parameters: { type: 'object' } },
  ],
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'a' }] },
    { role: 'user', content: [{ type: 'input_text', text: 'b' }, IMAGE] },
    { role: 'user', content: [{ type: 'input_file', file_data: 'QUJD', filename: 'a' }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'c' }], content: null, encrypted_content: null },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'd' }] },
    { type: 'function_call', call_id: '1', name: 'run', namespace: 'agents', arguments: '{}' },
    { type: 'custom_tool_call', call_id: '2', name: 'patch', input: 'x' },
    { type: 'tool_search_call', call_id: '3', execution: 'client', arguments: { query: 'x' } },
    { type: 'tool_search_output', call_id: '3', execution: 'client', tools: [{ type: 'function', name: 'found' }] },
    { type: 'function_call_output', call_id: '1', output: [{ type: 'input_text', text: 'e' }, IMAGE] },
    { type: 'custom_tool_call_output', call_id: '2', output: 'f' },
  ],
};

/** Translates a request to the model `thinker`, with one short message unless the fields say otherwise. */
export function translate(fields: object) {
  return responses.translateRequest({ model: 'thinker', input: 'Hello', ...fields }, CONTEXT);
}

/** The translation of these items of the input. */
export function translateItems(...input: readonly object[]) {
  return translate({ input }).chat.messages;
}

/** Checks that a request is rejected, and returns the field and the message. */
export function rejection(fields: object): { param: string | null; message: string } {
  try {
    translate(fields);
  } catch (error) {
    assert.ok(error instanceof DialectError, String(error));
    assert.equal(error.status, 400);
    return { param: error.param, message: error.message };
  }
  throw new assert.AssertionError({ message: 'the request was not rejected' });
}

export const STOPPED: ReplyOutcome = {
  finish: 'stop',
  usage: { input: 50, cached: 20, output: 30, reasoning: 10 },
  completedAt: IDENTITY.createdAt + 7,
};

/** The event stream of a response with these deltas. */
export function streamOf(plan: ResponsesPlan, deltas: readonly ChatDelta[], outcome = STOPPED): string {
  const reply = responses.createReply({ ...plan, stream: true }, IDENTITY);
  return reply.begin() + deltas.map((delta) => reply.delta(delta)).join('') + reply.end(outcome);
}

/** The JSON body of a response with these deltas. */
export function bodyOf(plan: ResponsesPlan, deltas: readonly ChatDelta[], outcome = STOPPED): ModelResponse {
  const reply = responses.createReply({ ...plan, stream: false }, IDENTITY);
  const sent = reply.begin() + deltas.map((delta) => reply.delta(delta)).join('');
  assert.equal(sent, '', 'nothing is sent before the body');
  return JSON.parse(reply.body(outcome)) as ModelResponse;
}

/** The events of a stream; comments are left out. */
export function eventsOf(stream: string): ResponseStreamEvent[] {
  return stream
    .split('\n\n')
    .filter((text) => text !== '' && !text.startsWith(':'))
    .map((text) => {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(text) ?? [];
      const event = JSON.parse(data) as ResponseStreamEvent;
      assert.equal(event.type, name);
      return event;
    });
}

/** A client whose requests get this event stream. */
export function clientOf(stream: string | ReadableStream): OpenAI {
  const headers = { 'content-type': 'text/event-stream' };
  return new OpenAI({
    apiKey: 'test',
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(stream, { headers })),
  });
}

/** The response as the official library puts it together from this event stream. */
export async function accumulate(stream: string | ReadableStream): Promise<ModelResponse> {
  return clientOf(stream).responses.stream({ model: 'thinker', input: 'Hello' }).finalResponse();
}
