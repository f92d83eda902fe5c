// Shows the proxy at work: starts a development enclave and the proxy, and streams one chat with the OpenAI client.
import { fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { on } from 'node:events';
import OpenAI from 'openai';
import { endAll, keep, release } from './children.mjs';
import { startEnclave } from './enclave.mjs';

const [argument] = process.argv.slice(2);
if (argument !== undefined && argument !== '--once' && argument !== '--vscode') {
  console.error(
    `Unknown option ${argument}. npm start takes --once (end after the chat) or --vscode (open VS Code in the browser).`,
  );
  process.exit(2);
}

const { status } = spawnSync(process.execPath, ['esbuild.mjs', '--quiet'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
const enclave = await startEnclave();
const ENCLAVE = `${enclave.url}   a development enclave on this computer: encrypted like a real one, but not verified`;
if (argument === '--vscode') await serveEditor();
else await serveProxy();

/** Opens VS Code in the browser, until Ctrl-C. */
async function serveEditor() {
  const { openEditor } = await import('./vscode/open.mjs');
  let editor;
  try {
    editor = await openEditor(enclave.url);
  } catch (error) {
    console.error(error.message);
    return endAll(1);
  }
  console.log(`
  enclave  ${ENCLAVE}
  editor   ${editor.url}

Open the editor's address in a browser. The chat is ready, with a model of the enclave: press Enter to ask your first
question. The API key is dev-demo; the enclave accepts every key that starts with dev-. Press Ctrl-C to stop.
`);
}

async function serveProxy() {
  const accessKey = `sealed-${randomBytes(32).toString('base64url')}`;
  const url = await startProxy(accessKey);
  console.log(`
  enclave     ${ENCLAVE}
  base URL    ${url}/v1
  access key  ${accessKey}
`);
  try {
    await chat(url, accessKey);
  } catch (error) {
    console.error(`\nThe chat failed: ${error.message}`);
    return endAll(1);
  }
  if (argument === '--once') return endAll(0);
  console.log(`Serving until Ctrl-C. Try:

  curl ${url}/v1/chat/completions -H 'Authorization: Bearer ${accessKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model":"glm-5-2","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
`);
}

/** Passes the keys in a message, so that they are neither in an argument nor in an environment variable. */
async function startProxy(accessKey, port = 14114) {
  const child = fork('dist/proxy.js', [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  keep(child, 'proxy', () => child.connected && child.send({ type: 'stop' }));
  child.send({
    type: 'start',
    settings: { backendUrl: enclave.url, port, logLevel: 'warn' },
    secrets: { apiKey: `dev-${randomBytes(16).toString('hex')}`, accessKeys: [accessKey] },
    cacheNamespaceRoot: randomBytes(32).toString('base64'),
    network: {},
  });
  for await (const [message] of on(child, 'message')) {
    if (message.type === 'ready') return message.url;
    if (message.type !== 'failed') continue;
    release(child);
    child.kill();
    if (message.code === 'port_taken' && port !== 0) return startProxy(accessKey, 0);
    console.error(message.message);
    return endAll(1);
  }
}

async function chat(url, accessKey) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: accessKey });
  const question = 'How is this message protected on its way?';
  console.log(`> ${question}\n`);
  const stream = await client.chat.completions.create({
    model: 'glm-5-2',
    messages: [{ role: 'user', content: question }],
    stream: true,
    stream_options: { include_usage: true },
  });
  let answering = false;
  for await (const { choices, usage } of stream) {
    const delta = choices[0]?.delta;
    if (delta?.reasoning) process.stdout.write(delta.reasoning);
    if (delta?.content) {
      if (!answering) process.stdout.write('\n\n');
      answering = true;
      process.stdout.write(delta.content);
    }
    if (usage) process.stdout.write(`\n\n  ${usage.prompt_tokens} tokens in, ${usage.completion_tokens} out\n\n`);
  }
}
