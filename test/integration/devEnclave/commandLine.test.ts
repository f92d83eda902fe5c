import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { parseCommandLine } from '../../../src/devEnclave/cli.ts';
import { call, connect } from '../../support/devEnclave/client.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

const MAIN = join(import.meta.dirname, '../../src/devEnclave/main.ts');

type Child = ChildProcessByStdio<null, Readable, Readable>;

describe("the development enclave's command line", () => {
  it('listens on any free port, with a pause of 15 ms, unless it is told otherwise', () => {
    const command = parseCommandLine([]);
    assert.ok(command.kind === 'run');
    assert.equal(command.options.port, 0);
    assert.equal(command.options.recordFile, undefined);
  });

  it('takes every option', () => {
    const args = '--port 8080 --pace 0 --forward http://127.0.0.1:1/base --record a.jsonl --faults redirect:1,no-start';
    const command = parseCommandLine(args.split(' '));
    assert.ok(command.kind === 'run');
    const { port, recordFile, faults } = command.options;
    assert.deepEqual(
      { port, recordFile, faults },
      { port: 8080, recordFile: 'a.jsonl', faults: 'redirect:1,no-start' },
    );
  });

  it('explains itself, its faults and its hooks', () => {
    const help = parseCommandLine(['--help']);
    assert.ok(help.kind === 'print');
    for (const word of ['--port', '--forward', '--record', '--faults', '--pace', '/burst'])
      assert.ok(help.text.includes(word));
    const faults = parseCommandLine(['--faults', 'list']);
    assert.ok(faults.kind === 'print' && faults.text.includes('swapped-records'));
  });

  const wrong = [
    '--port',
    '--port -1',
    '--port 65536',
    '--port 1e3',
    '--pace x',
    '--forward',
    '--forward ftp://a',
    '--forward http://user:pass@a',
    '--forward nowhere',
    '--faults nothing',
    '--faults bad-signature',
    '--host 0.0.0.0',
    'something',
  ];
  for (const args of wrong) {
    it(`refuses ${args} in one line`, () => {
      const command = parseCommandLine(args.split(' '));
      assert.ok(command.kind === 'refuse');
      assert.match(command.reason, /^.+$/);
    });
  }
});

describe('the process of the development enclave', () => {
  const children: Child[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  function run(...args: string[]): Child {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return child;
  }

  async function finish(child: Child): Promise<{ code: unknown; stdout: string; stderr: string }> {
    const output = Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
    const [code] = (await withTimeout('the exit', DEADLINE, once(child, 'close'))) as unknown[];
    const [stdout, stderr] = await output;
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`says where it listens, serves, and ends at once on ${signal}`, async () => {
      const child = run('--port', '0', '--pace', '0');
      const [line] = (await withTimeout('its first line', DEADLINE, once(child.stdout, 'data'))) as [Buffer];
      const url = /^enclave listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(line.toString())?.[1];
      assert.ok(url !== undefined, line.toString());
      const session = await connect(url);
      const answer = await call(url, session, undefined, { method: 'GET', target: '/v1/models' });
      assert.equal(answer.status, 200);
      const ended = finish(child);
      child.kill(signal);
      assert.deepEqual(await ended, { code: 0, stdout: '', stderr: '' });
    });
  }

  it('ends with code 2 and one line on a bad argument, and with code 0 behind its help', async () => {
    const [bad, help] = await Promise.all([finish(run('--port', 'x')), finish(run('--help'))]);
    assert.deepEqual(bad, { code: 2, stdout: '', stderr: 'dev-enclave: --port must be a number from 0 to 65535\n' });
    assert.equal(help.code, 0);
    assert.match(help.stdout, /^Usage:/);
  });

  it('ends with code 1 and one line when its port is taken', async () => {
    const first = run('--port', '0');
    const [line] = (await withTimeout('its first line', DEADLINE, once(first.stdout, 'data'))) as [Buffer];
    const port = /:(\d+)\n/.exec(line.toString())?.[1] ?? '';
    const { code, stderr } = await finish(run('--port', port));
    assert.equal(code, 1);
    assert.match(stderr, /^dev-enclave: .*EADDRINUSE.*\n$/);
  });
});
