// Programs for libraries that speak a dialect. Each prints one line of JSON.

const TASK = 'Read fact.txt and tell me the word in it.';

/** Reads the file with a tool that the library loads by a search before it accepts calls of it. */
export const WITH_SEARCH = `
import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool, toolSearchTool } from '@openai/agents';
setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: RESPONSES, apiKey: KEY, maxRetries: 0 }));
const readFileTool = tool({
  name: 'read_file',
  description: 'Reads a file',
  deferLoading: true,
  strict: false,
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: true,
  },
  execute: ({ path }) => readFile(path, 'utf8'),
});
const agent = new Agent({ name: 'Reader', model: MODEL, tools: [readFileTool, toolSearchTool()] });
const results = [];
for (const stream of [false, true]) {
  const result = await run(agent, '${TASK}', { stream });
  if (stream) {
    for await (const event of result) void event;
    await result.completed;
  }
  results.push({ text: result.finalOutput, items: result.newItems.map(({ type }) => type) });
}
console.log(JSON.stringify(results));`;

const PROVIDERS = `
import { readFile } from 'node:fs/promises';
import { isStepCount, jsonSchema, streamText, tool } from 'ai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
globalThis.AI_SDK_LOG_WARNINGS = false;
const models = [
  createOpenAI({ baseURL: RESPONSES, apiKey: KEY }).responses(MODEL),
  createAnthropic({ baseURL: MESSAGES + '/v1', apiKey: KEY })(MODEL),
];
const providerOptions = {
  openai: { store: false, forceReasoning: true },
  anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } },
};
const read_file = tool({
  description: 'Reads a file',
  inputSchema: jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
  execute: ({ path }) => readFile(path, 'utf8'),
});
const results = [];
async function stream(model, options) {
  const parts = [];
  const errors = [];
  const onError = ({ error }) => errors.push(error.message ?? JSON.stringify(error));
  const common = { model, maxRetries: 0, maxOutputTokens: 2000, providerOptions, onError };
  for await (const part of streamText({ ...common, ...options }).fullStream) parts.push(part);
  const text = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
  results.push({ text, errors, finish: parts.findLast(({ type }) => type === 'finish')?.finishReason });
}`;

/** Reads the file in two steps, through both dialects. */
export const IN_STEPS = `${PROVIDERS}
for (const model of models) await stream(model, { prompt: '${TASK}', tools: { read_file }, stopWhen: isStepCount(3) });
console.log(JSON.stringify(results));`;

/** Asks for a response that fails after its first words, through both dialects. */
export const FAILING = `${PROVIDERS}
for (const model of models) await stream(model, { prompt: '/broken 3' });
console.log(JSON.stringify(results));`;
