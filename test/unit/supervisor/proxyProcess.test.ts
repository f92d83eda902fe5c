import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { FromProxy } from '../../../src/shared/messages.ts';
import { NODE_FLAGS, ProxyProcess, childEnvironment } from '../../../src/supervisor/proxyProcess.ts';
import type { ProcessHost } from '../../../src/supervisor/proxyProcess.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../support/withTimeout.ts';

describe('childEnvironment()', () => {
  it('drops the variables for the editor’s own processes, and makes Electron run as Node', () => {
    const kept = {
      PATH: '/bin',
      HOME: '/root',
      https_proxy: 'http://proxy:1',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      LANG: 'C',
    };
    const own = {
      ...kept,
      NODE_OPTIONS: '--inspect',
      Node_Options: '--inspect',
      VSCODE_PID: '1',
      VSCODE_INSPECTOR_OPTIONS: 'x',
      vscode_cwd: 'x',
      ELECTRON_NO_ASAR: '1',
      ELECTRON_RUN_AS_NODE: '0',
    };
    assert.deepEqual(childEnvironment(own), { ...kept, ELECTRON_RUN_AS_NODE: '1' });
    assert.equal(own.NODE_OPTIONS, '--inspect');
  });
});

describe('ProxyProcess', () => {
  let folder: string;
  let log: EventQueue<string>;
  let messages: EventQueue<FromProxy>;
  let exits: number;
  const started: ProxyProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-process-'));
    [log, messages, exits] = [new EventQueue(), new EventQueue(), 0];
  });

  afterEach(async () => {
    for (const process of started.splice(0)) {
      process.kill();
      await process.stop();
    }
    rmSync(folder, { recursive: true });
  });

  /** Runs this code. */
  const run = (source: string, change: Partial<ProcessHost> = {}) => {
    const module = join(folder, 'module.cjs');
    writeFileSync(module, source);
    const onLog = (line: string) => {
      log.add(line);
    };
    const process = new ProxyProcess({ module, cwd: folder, onLog, ...change }, (message) => {
      messages.add(message);
    });
    void process.exited.then(() => exits++);
    started.push(process);
    return process;
  };
  const exit = (process: ProxyProcess) => withTimeout('the end', DEADLINE, process.exited);
  const STUBBORN = `process.on('message', () => {}); process.send({ type: 'accessKeyUsed', id: 'up' });`;
  const up = () => messages.find('its start', ({ type }) => type === 'accessKeyUsed');

  it('passes on the log line by line, the last line too', async () => {
    const process = run(
      `process.stderr.write('one\\ntw'); process.stderr.write('o\\nthree'); process.stdout.write('ignored')`,
    );
    await exit(process);
    await log.find('the last line', (line) => line === 'three');
    assert.deepEqual(log.items, ['one', 'two', 'three']);
  });

  it('runs in the given folder, as Node, without arguments', async () => {
    run(`process.stderr.write(JSON.stringify([process.cwd(), process.argv.length, process.execArgv,
      process.env.ELECTRON_RUN_AS_NODE, process.env.NODE_OPTIONS === undefined]) + '\\n')`);
    const line = await log.find('its answer', () => true);
    const [cwd, ...rest] = JSON.parse(line) as unknown[];
    assert.ok(String(cwd).endsWith(folder));
    assert.deepEqual(rest, [2, NODE_FLAGS, '1', true]);
  });

  it('passes on valid messages only', async () => {
    run(`for (const message of ['x', { type: 'else' }, { type: 'ready' }, { type: 'stopped' }]) process.send(message)`);
    await messages.find('the message', () => true);
    assert.deepEqual(messages.items, [{ type: 'stopped' }]);
  });

  it('ends when asked', async () => {
    const process = run(`process.on('message', ({ type }) => type === 'stop' && process.disconnect()); ${STUBBORN}`);
    await up();
    mock.timers.enable({ apis: ['setTimeout'] }); // it is not killed
    await withTimeout('the end', DEADLINE, process.stop());
    assert.equal(exits, 1);
  });

  it('is released as soon as its port is free, and goes on running', async () => {
    const process = run(`process.on('message', () => process.send({ type: 'stopped' })); ${STUBBORN}`);
    await up();
    mock.timers.enable({ apis: ['setTimeout'] }); // it is not killed
    await withTimeout('the port', DEADLINE, process.release());
    assert.equal(exits, 0);
  });

  it('is not asked to stop twice, which would cut off its responses', async () => {
    const counted = `let count = 0; process.on('message', () => { console.error('asked ' + ++count); process.send({ type: 'stopped' }); if (count > 1) process.exit(); setTimeout(() => process.exit(), 300) });`;
    const process = run(counted + STUBBORN);
    await up();
    await process.release();
    await withTimeout('the end', DEADLINE, process.stop());
    await log.find('the request', () => true);
    assert.deepEqual(log.items, ['asked 1']);
  });

  it('is killed if it does not react for four seconds: the editor gives five', async () => {
    const process = run(STUBBORN);
    await up();
    mock.timers.enable({ apis: ['setTimeout'] });
    const stopping = process.stop();
    mock.timers.tick(3999);
    await flushEventLoop();
    assert.equal(exits, 0);
    mock.timers.tick(1);
    await withTimeout('the end', DEADLINE, stopping);
    assert.equal(exits, 1);
  });

  it('has ended if it cannot be started, and the log gives the reason', async () => {
    const process = run('', { cwd: join(folder, 'nowhere') });
    await exit(process);
    assert.match(log.items[0] ?? '', /cannot be started: .*ENOENT/);
    await withTimeout('the end', DEADLINE, process.stop());
  });

  it('ignores messages after its end', async () => {
    const process = run('process.exit()');
    await exit(process);
    process.send({ type: 'stop' });
    await withTimeout('the end', DEADLINE, Promise.all([process.stop(), process.release()]));
  });
});
