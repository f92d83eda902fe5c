// The main job, seen working: the development enclave, the proxy, and one streamed chat with the official client.
import { fork, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { on, once } from 'node:events';
import { createInterface } from 'node:readline';
import OpenAI from 'openai';

const [argument] = process.argv.slice(2);
if (argument !== undefined && argument !== '--once' && argument !== '--vscode') {
  console.error(
    `npm start knows --once (ends after the chat) and --vscode (a real VS Code in the browser); not ${argument}`,
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

/** Until Ctrl-C. */
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

Open the editor's address in a browser, click the key in its status bar, and enter dev-demo: the development enclave takes
any key that begins with dev-. Ctrl-C ends everything.
`);
  await once(enclave.child, 'exit');
}

async function startEnclave() {
  const child = spawn(process.execPath, ['dist/dev-enclave.js', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWith(child, 'development enclave');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, url: line.replace('enclave listening on ', '') };
}

/** Hosted by message, so that no key is in an argument or an environment variable. */
async function startProxy(backendUrl, key, port = 14114) {
  const child = fork('dist/proxy.js', [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send({
    type: 'start',
    settings: { backendUrl, port, logLevel: 'warn' },
    secrets: { apiKey: `dev-${randomBytes(16).toString('hex')}`, accessKeys: [key] },
    cacheNamespaceRoot: randomBytes(32).toString('base64'),
    network: {},
  });
  endWith(child, 'proxy');
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

function endWith(child, name) {
  child.once('exit', (code) => {
    if (code === 0 || code === null) return;
    console.error(`The ${name} ended with code ${code}.`);
    process.exit(1);
  });
}

async function chat() {
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: accessKey });
  const question = 'What happens to my words on their way?';
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
