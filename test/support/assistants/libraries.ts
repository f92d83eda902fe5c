// The libraries, with programs that continue the part of the snippet that creates the client.
import type { Tool } from './script.ts';

export interface Library {
  /** The ID of the snippet. */
  readonly id: string;
  /** Where the snippet's own request begins. The lines before it create the client. */
  readonly question: string;
  /** Sends a request with the tool, runs it, sends its result and prints the response. */
  readonly withTool?: string;
  /** The output limit of its requests, in tokens. None by default. */
  readonly maxTokens?: number;
}

/** The tool of the programs below. */
export const READ_FILE: Tool = { name: 'read_file', argumentsFor: (path) => ({ path }) };

const TASK = 'Read fact.txt and tell me the word in it.';
const PARAMETERS = `{ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }`;

export const LIBRARIES: readonly Library[] = [
  {
    id: 'responses-node',
    question: 'const stream =',
    withTool: `
import { readFile } from 'node:fs/promises';
const tools = [{ type: 'function', name: 'read_file', description: 'Reads a file', strict: false, parameters: ${PARAMETERS} }];
const input = [{ role: 'user', content: '${TASK}' }];
for (let calls = undefined; calls === undefined || calls.length > 0; ) {
  const stream = client.responses.stream({ model: MODEL, input, tools, store: false });
  stream.on('response.output_text.delta', ({ delta }) => process.stdout.write(delta));
  const { output } = await stream.finalResponse();
  calls = output.filter(({ type }) => type === 'function_call');
  input.push(...output);
  for (const call of calls) {
    const content = await readFile(JSON.parse(call.arguments).path, 'utf8');
    input.push({ type: 'function_call_output', call_id: call.call_id, output: content });
  }
}`,
  },
  {
    id: 'openai-agents',
    question: 'const agent =',
    withTool: `
import { readFile } from 'node:fs/promises';
import { tool } from '@openai/agents';
const readFileTool = tool({
  name: 'read_file',
  description: 'Reads a file',
  strict: false,
  parameters: { ...${PARAMETERS}, additionalProperties: true },
  execute: ({ path }) => readFile(path, 'utf8'),
});
const reader = new Agent({ name: 'Reader', model: MODEL, tools: [readFileTool] });
const result = await run(reader, '${TASK}', { stream: true });
for await (const text of result.toTextStream()) process.stdout.write(text);
await result.completed;`,
  },
  {
    id: 'anthropic-node',
    maxTokens: 1024,
    question: 'const stream =',
    withTool: `
import { readFile } from 'node:fs/promises';
const tools = [{ name: 'read_file', description: 'Reads a file', input_schema: ${PARAMETERS} }];
const messages = [{ role: 'user', content: '${TASK}' }];
for (let calls = undefined; calls === undefined || calls.length > 0; ) {
  const stream = client.messages.stream({ model: MODEL, max_tokens: 1024, messages, tools });
  stream.on('text', (text) => process.stdout.write(text));
  const { content } = await stream.finalMessage();
  calls = content.filter(({ type }) => type === 'tool_use');
  messages.push({ role: 'assistant', content });
  const results = calls.map(async ({ id, input }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: await readFile(input.path, 'utf8'),
  }));
  if (calls.length > 0) messages.push({ role: 'user', content: await Promise.all(results) });
}`,
  },
  { id: 'claude-agent-sdk', maxTokens: 32_000, question: 'const options =' },
  {
    id: 'openai-node',
    question: 'const stream =',
    withTool: `
import { readFile } from 'node:fs/promises';
const runner = client.chat.completions.runTools({
  model: MODEL,
  messages: [{ role: 'user', content: '${TASK}' }],
  stream: true,
  tools: [
    {
      type: 'function',
      function: {
        name: 'read_file',
        description: 'Reads a file',
        parameters: ${PARAMETERS},
        parse: JSON.parse,
        function: ({ path }) => readFile(path, 'utf8'),
      },
    },
  ],
});
runner.on('content', (text) => process.stdout.write(text));
await runner.done();`,
  },
  {
    id: 'langchain',
    question: 'for await',
    withTool: `
import { readFile } from 'node:fs/promises';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
const readFileTool = tool(({ path }) => readFile(path, 'utf8'), {
  name: 'read_file',
  description: 'Reads a file',
  schema: ${PARAMETERS},
});
const messages = [new HumanMessage('${TASK}')];
for (let calls = undefined; calls === undefined || calls.length > 0; ) {
  let answer;
  for await (const chunk of await chat.bindTools([readFileTool]).stream(messages)) {
    process.stdout.write(chunk.text);
    answer = answer === undefined ? chunk : answer.concat(chunk);
  }
  calls = answer.tool_calls ?? [];
  messages.push(answer);
  for (const { id, args } of calls) {
    messages.push(new ToolMessage({ tool_call_id: id, content: await readFileTool.invoke(args) }));
  }
}`,
  },
  {
    id: 'vercel-ai-sdk',
    question: 'const { textStream }',
    withTool: `
import { readFile } from 'node:fs/promises';
import { isStepCount, jsonSchema, tool } from 'ai';
const answer = streamText({
  model: proxy(MODEL),
  prompt: '${TASK}',
  stopWhen: isStepCount(3),
  tools: {
    read_file: tool({
      description: 'Reads a file',
      inputSchema: jsonSchema(${PARAMETERS}),
      execute: ({ path }) => readFile(path, 'utf8'),
    }),
  },
});
for await (const text of answer.textStream) process.stdout.write(text);`,
  },
];

/** What the program below prints after its stream has ended. */
export const ALIVE = 'Alive';

/** Aborts its stream on a signal, and keeps running. */
export const ABORTING = `
const controller = new AbortController();
process.once('SIGUSR2', () => controller.abort());
setInterval(() => undefined, 60_000);
const stream = await client.chat.completions.create(
  { model: MODEL, messages: [{ role: 'user', content: 'Hello!' }], stream: true },
  { signal: controller.signal },
);
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta?.content ?? '');
console.log(' ${ALIVE}');`;
