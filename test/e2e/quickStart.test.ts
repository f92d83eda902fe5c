// The first command of a newcomer, in a separate folder.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { itOnLinux, itWithSignals } from '../support/e2e/platforms.ts';
import { RunningProcess, fromRoot, spawnNode } from '../support/e2e/process.ts';
import { allProcesses, isRunning } from '../support/vscode/processes.ts';

const PARTS = ['src', 'scripts', 'esbuild.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'];

describe('npm start', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-e2e-'));
    for (const part of PARTS) cpSync(fromRoot(part), join(folder, part), { recursive: true });
    symlinkSync(fromRoot('node_modules'), join(folder, 'node_modules'), 'junction');
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const start = (...args: readonly string[]) =>
    new RunningProcess(spawnNode(join(folder, 'scripts', 'start.mjs'), { args, cwd: folder }));

  it('--once builds, streams an answer through the proxy, and exits with 0', async () => {
    const demo = start('--once');
    const chunks: string[] = [];
    demo.child.stdout?.on('data', (chunk: string) => chunks.push(chunk));
    assert.deepEqual(await demo.exit(), { code: 0, signal: null });
    const text = demo.stdout.items.join('\n');
    assert.match(text, /base URL +http:\/\/127\.0\.0\.1:\d+\/v1\n/);
    assert.match(text, /access key +sealed-[\w-]{43}\n/);
    const request = /^> (.*)$/m.exec(text)?.[1] ?? assert.fail(text);
    assert.ok(text.includes(`You said: ${request}`));
    assert.match(text, /^ {2}\d+ tokens in, \d+ out$/m);
    assert.ok(chunks.length > 10, 'the answer arrives word by word');
    assert.deepEqual(errorsOf(demo), []);
  });

  itWithSignals('serves until Ctrl-C with the key that it prints', async () => {
    const demo = start();
    try {
      await demo.stdout.find('the last line', (line) => line.startsWith('Serving until Ctrl-C'));
      const text = demo.stdout.items.join('\n');
      const url = /base URL +(http:\S+)\/v1/.exec(text)?.[1] ?? '';
      const key = /access key +(\S+)/.exec(text)?.[1] ?? '';
      assert.equal((await sendRequest(url, { body: chatBody('Hello'), key })).status, 200);
      demo.child.kill('SIGINT');
      assert.deepEqual(await demo.exit(), { code: 0, signal: null });
    } finally {
      demo.child.kill('SIGTERM');
    }
  });

  for (const [name, command] of [
    ['development enclave', 'dev-enclave.js'],
    ['proxy', 'proxy.js'],
  ] as const) {
    itOnLinux(`ends, and leaves no process, when its ${name} dies`, async () => {
      const demo = start();
      try {
        await demo.stdout.find('the last line', (line) => line.startsWith('Serving until Ctrl-C'));
        const children = allProcesses().filter(({ parent }) => parent === demo.pid);
        assert.equal(children.length, 2);
        const dying = children.find((child) => child.command.includes(command)) ?? assert.fail(command);
        process.kill(dying.pid, 'SIGKILL');
        assert.deepEqual(await demo.exit(), { code: 1, signal: null });
        assert.deepEqual(errorsOf(demo), [`The ${name} has ended.`]);
        for (const { pid } of children) assert.ok(!isRunning(pid), command);
      } finally {
        demo.child.kill('SIGTERM');
      }
    });
  }

  it('accepts no other argument', async () => {
    const demo = start('--twice');
    assert.equal((await demo.exit()).code, 2);
    assert.match(demo.stderr.items.join('\n'), /--once/);
  });
});

/** What it prints besides the warning about the project's own Node, until the registry has a newer one. */
function errorsOf({ stderr }: RunningProcess): readonly string[] {
  return stderr.items.filter((line) => !line.includes('"event":"old_node"'));
}
