// Shows the proxy at work: starts a development enclave and the proxy, and streams one chat with the OpenAI client.
import { fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { on, once } from 'node:events';
import OpenAI from 'openai';
import { exitWith, startEnclave } from './enclave.mjs';

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
if (argument === '--vscode') await serveEditor();
const accessKey = `sealed-${randomBytes(32).toString('base64url')}`;
const proxy = await startProxy(enclave.url, accessKey);
const stop = async (code) => {
  proxy.child.send({ type: 'stop' });
  await once(proxy.child, 'exit');
  enclave.child.kill();
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop(0));

console.log(`
  enclave     ${enclave.url}   a development enclave on this computer: encrypted like a real one, but not verified
  base URL    ${proxy.url}/v1
  access key  ${accessKey}
`);
try {
  await chat();
} catch (error) {
  console.error(`\nThe chat failed: ${error.message}`);
  await stop(1);
}
if (argument === '--once') await stop(0);
console.log(`Serving until Ctrl-C. Try:

  curl ${proxy.url}/v1/chat/completions -H 'Authorization: Bearer ${accessKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model":"glm-5-2","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
`);

/** Opens VS Code in the browser, until Ctrl-C. */
async function serveEditor() {
  const { openEditor } = await import('./vscode/open.mjs');
  const editor = await openEditor(enclave.url);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      editor.stop();
      enclave.child.kill();
      process.exit(0);
    });
  }
  console.log(`
  enclave  ${enclave.url}   a development enclave on this computer: encrypted like a real one, but not verified
  editor   ${editor.url}

Open the editor's address in a browser, click the key in the status bar, and enter dev-demo: the development enclave
accepts every key that starts with dev-. Press Ctrl-C to stop.
`);
  await once(enclave.child, 'exit');
}

/** Passes the keys in a message, so that they are neither in an argument nor in an environment variable. */
async function startProxy(backendUrl, key, port = 14114) {
  const child = fork('dist/proxy.js', [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send({
    type: 'start',
    settings: { backendUrl, port, logLevel: 'warn' },
    secrets: { apiKey: `dev-${randomBytes(16).toString('hex')}`, accessKeys: [key] },
    cacheNamespaceRoot: randomBytes(32).toString('base64'),
    network: {},
  });
  exitWith(child, 'proxy');
  for await (const [message] of on(child, 'message')) {
    if (message.type === 'ready') {
      return { child, url: message.url };
    }
    if (message.type !== 'failed') continue;
    child.removeAllListeners('exit').kill();
    if (message.code === 'port_taken' && port !== 0) return startProxy(backendUrl, key, 0);
    console.error(message.message);
    process.exit(1);
  }
}

async function chat() {
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: accessKey });
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
