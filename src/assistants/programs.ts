// Short programs for libraries. `$URL`, `$KEY` and `$MODEL` stand for a JSON string, which is also a JavaScript and a Python
// string. `$URL` is the base URL of the API that the library speaks.

export const OPENAI_NODE = `import OpenAI from 'openai';

export const client = new OpenAI({ baseURL: $URL, apiKey: $KEY });
export const stream = await client.chat.completions.create({
  model: $MODEL,
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta?.content ?? '');`;
export const OPENAI_PYTHON = `from openai import OpenAI

client = OpenAI(base_url=$URL, api_key=$KEY)
stream = client.chat.completions.create(
    model=$MODEL,
    messages=[{"role": "user", "content": "Hello!"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
export const LANGCHAIN_NODE = `import { ChatOpenAI } from '@langchain/openai';

export const chat = new ChatOpenAI({
  model: $MODEL,
  apiKey: $KEY,
  configuration: { baseURL: $URL },
});
for await (const { text } of await chat.stream('Hello!')) process.stdout.write(text);`;
export const LANGCHAIN_PYTHON = `from langchain_openai import ChatOpenAI

chat = ChatOpenAI(model=$MODEL, base_url=$URL, api_key=$KEY)
for chunk in chat.stream("Hello!"):
    print(chunk.content, end="", flush=True)`;
export const VERCEL = `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

export const proxy = createOpenAICompatible({
  name: 'sealed-proxy',
  baseURL: $URL,
  apiKey: $KEY,
});
export const { textStream } = streamText({ model: proxy($MODEL), prompt: 'Hello!' });
for await (const text of textStream) process.stdout.write(text);`;

export const RESPONSES_NODE = `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: $URL, apiKey: $KEY });
const stream = await client.responses.create({
  model: $MODEL,
  input: 'Hello!',
  store: false,
  stream: true,
});
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
}`;
export const RESPONSES_PYTHON = `from openai import OpenAI

client = OpenAI(base_url=$URL, api_key=$KEY)
stream = client.responses.create(
    model=$MODEL,
    input="Hello!",
    store=False,
    stream=True,
)
for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`;
export const ANTHROPIC_NODE = `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: $URL, apiKey: $KEY });
const stream = client.messages.stream({
  model: $MODEL,
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello!' }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.done();`;
export const ANTHROPIC_PYTHON = `from anthropic import Anthropic

client = Anthropic(base_url=$URL, api_key=$KEY)
with client.messages.stream(
    model=$MODEL,
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello!"}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`;
export const CLAUDE_AGENT = `import { query } from '@anthropic-ai/claude-agent-sdk';

const env = {
  ...process.env,
  ANTHROPIC_BASE_URL: $URL,
  ANTHROPIC_AUTH_TOKEN: $KEY,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: $MODEL, // for small tasks
  CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};
const options = { env, model: $MODEL };
for await (const message of query({ prompt: 'Hello!', options })) {
  if (message.type === 'result') process.stdout.write(message.subtype === 'success' ? message.result : message.subtype);
}`;
export const OPENAI_AGENTS = `import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true); // traces are sent to OpenAI
setDefaultOpenAIClient(new OpenAI({ baseURL: $URL, apiKey: $KEY }));
const agent = new Agent({ name: 'Assistant', model: $MODEL });
const stream = await run(agent, 'Hello!', { stream: true });
for await (const text of stream.toTextStream()) process.stdout.write(text);
await stream.completed;`;
