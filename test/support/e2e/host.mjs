// The smallest host: forks the proxy, starts it, and prints `ready URL`.
import { Buffer } from 'node:buffer';
import { fork } from 'node:child_process';

const [script, backendUrl] = process.argv.slice(2);
const proxy = fork(script, [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
proxy.on('message', (message) => {
  if (message.type === 'ready') console.log(`ready ${message.url}`);
});
proxy.send({
  type: 'start',
  settings: { backendUrl, port: 0 },
  secrets: { apiKey: null, accessKeys: [] },
  cacheNamespaceRoot: Buffer.alloc(32, 1).toString('base64'),
  network: {},
});
