// Plausible replies of a provider that speaks Chat Completions, Responses and Anthropic's Messages: one sentence each.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fieldsOf } from '../../../src/shared/json.ts';

/** Answers whatever an assistant asks a provider for. */
export function writeReply(request: IncomingMessage, body: string, response: ServerResponse, text: string): void {
  const path = URL.parse(request.url ?? '/', 'http://127.0.0.1')?.pathname ?? '/';
  const { model, stream } = fieldsOf(parsed(body));
  const write = DIALECTS.find(([suffix]) => path.endsWith(suffix))?.[1];
  if (request.method !== 'POST') sendJson(response, MODELS);
  else if (path.endsWith('/count_tokens')) sendJson(response, { input_tokens: 10 });
  else if (write === undefined) sendJson(response, {});
  else {
    const { events, complete } = write(text, String(model));
    if (stream === true) sendEvents(response, events);
    else sendJson(response, complete);
  }
}

interface Written {
  readonly events: readonly (object | '[DONE]')[];
  /** The reply to a request that does not stream. */
  readonly complete: object;
}

const DIALECTS: readonly (readonly [suffix: string, write: (text: string, model: string) => Written])[] = [
  ['/completions', completion],
  ['/responses', response],
  ['/messages', message],
];

const MODELS = { object: 'list', data: [{ id: 'observed', object: 'model', created: 1, owned_by: 'observer' }] };

function completion(content: string, model: string): Written {
  const base = { id: 'chatcmpl-1', created: 1, model };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const chunk = (choices: readonly object[], more: object = {}) => ({
    ...{ ...base, object: 'chat.completion.chunk', choices, ...more },
  });
  const delta = { role: 'assistant', content };
  return {
    events: [
      chunk([{ index: 0, delta, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage }),
      '[DONE]',
    ],
    complete: {
      ...{ ...base, object: 'chat.completion', usage },
      choices: [{ index: 0, message: delta, finish_reason: 'stop' }],
    },
  };
}

function response(text: string, model: string): Written {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const content = [{ type: 'output_text', text, annotations: [] }];
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  const base = { id: 'resp_1', object: 'response', created_at: 1, model };
  const complete = { ...base, status: 'completed', output: [item], usage };
  return {
    events: [
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: text },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: complete },
    ],
    complete,
  };
}

function message(text: string, model: string): Written {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const base = { id: 'msg_1', type: 'message', role: 'assistant', model };
  const end = { stop_reason: 'end_turn', stop_sequence: null };
  return {
    events: [
      { type: 'message_start', message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: end, usage },
      { type: 'message_stop' },
    ],
    complete: { ...base, ...end, content: [{ type: 'text', text }], usage },
  };
}

/** An event of Messages or Responses has its type as its name. */
function sendEvents(response: ServerResponse, events: Written['events']): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const { type } = fieldsOf(event);
    if (typeof type === 'string') response.write(`event: ${type}\n`);
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // not a request to a model
  }
}
