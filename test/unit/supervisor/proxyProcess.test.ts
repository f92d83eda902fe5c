import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProxyProcess, childEnvironment } from '../../../src/supervisor/proxyProcess.ts';
import type { ProcessOptions } from '../../../src/supervisor/proxyProcess.ts';
import type { FromProxy } from '../../../src/shared/messages.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { timed } from '../../support/e2e/stopwatch.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe('The environment of the child', () => {
  it('lacks what is meant for the editor’s own processes, and says to be Node', () => {
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

describe('A process', () => {
  let folder: string;
  let log: EventQueue<string>;
  let messages: EventQueue<FromProxy>;
  let exits: EventQueue<boolean>;
  const started: ProxyProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-process-'));
    [log, messages, exits] = [new EventQueue(), new EventQueue(), new EventQueue()];
  });

  afterEach(async () => {
    for (const process of started.splice(0)) {
      process.kill();
      await process.stop();
    }
    rmSync(folder, { recursive: true });
  });

  /** Runs this text. */
  const run = (source: string, change: Partial<ProcessOptions> = {}) => {
    const module = join(folder, 'module.cjs');
    writeFileSync(module, source);
    const process = new ProxyProcess({
      module,
      cwd: folder,
      onLog: (line) => {
        log.add(line);
      },
      onMessage: (message) => {
        messages.add(message);
      },
      onExit: (asked) => {
        exits.add(asked);
      },
      ...change,
    });
    started.push(process);
    return process;
  };
  const exit = () => exits.find('the end', () => true);
  const STUBBORN = `process.on('message', () => {}); process.send({ type: 'accessKeyUsed', id: 'up' });`;
  const up = () => messages.find('its start', ({ type }) => type === 'accessKeyUsed');

  it('is heard line by line, the last one too, and the end is told once', async () => {
    run(
      `process.stderr.write('one\\ntw'); process.stderr.write('o\\nthree'); process.stdout.write('nobody hears this')`,
    );
    assert.equal(await exit(), false);
    await log.find('the last line', (line) => line === 'three');
    assert.deepEqual(log.items, ['one', 'two', 'three']);
    assert.equal(exits.items.length, 1);
  });

  it('has the folder, the environment and no argument that it was given', async () => {
    run(`process.stderr.write(JSON.stringify([process.cwd(), process.argv.length, process.execArgv,
      process.env.ELECTRON_RUN_AS_NODE, process.env.NODE_OPTIONS === undefined]) + '\\n')`);
    const line = await log.find('its answer', () => true);
    const [cwd, ...rest] = JSON.parse(line) as unknown[];
    assert.ok(String(cwd).endsWith(folder));
    assert.deepEqual(rest, [2, [], '1', true]);
  });

  it('is heard where it says what the proxy says, and only there', async () => {
    run(`for (const message of ['x', { type: 'else' }, { type: 'ready' }, { type: 'stopped' }]) process.send(message)`);
    await messages.find('the message', () => true);
    assert.deepEqual(messages.items, [{ type: 'stopped' }]);
  });

  it('ends when asked, and says that it was', async () => {
    const process = run(`process.on('message', ({ type }) => type === 'stop' && process.disconnect()); ${STUBBORN}`);
    await up();
    await withTimeout('the end', DEADLINE, process.stop());
    assert.deepEqual(exits.items, [true]);
  });

  it('is released as soon as its port is free, and goes on', async () => {
    const process = run(`process.on('message', () => process.send({ type: 'stopped' })); ${STUBBORN}`);
    await up();
    await withTimeout('the port', 2000, process.release());
    assert.deepEqual(exits.items, []);
  });

  it('is not asked a second time, which would cut off what it still serves', async () => {
    const counted = `let count = 0; process.on('message', () => { console.error('asked ' + ++count); process.send({ type: 'stopped' }); if (count > 1) process.exit(); setTimeout(() => process.exit(), 300) });`;
    const process = run(counted + STUBBORN);
    await up();
    await process.release();
    await withTimeout('the end', DEADLINE, process.stop());
    assert.deepEqual(log.items, ['asked 1']);
  });

  it('is made to end where it does not listen, within the five seconds that the editor gives', async () => {
    const process = run(STUBBORN);
    await up();
    const { milliseconds } = await timed(() => process.stop());
    assert.ok(milliseconds > 3000 && milliseconds < 5000, `${milliseconds} ms`);
    assert.deepEqual(exits.items, [true]);
  });

  it('that ends by itself was not asked', async () => {
    run('process.exit(3)');
    assert.equal(await exit(), false);
  });

  it('that cannot be started has ended, and the log says why', async () => {
    const process = run('', { cwd: join(folder, 'nowhere') });
    assert.equal(await exit(), false);
    assert.match(log.items[0] ?? '', /cannot be started: .*ENOENT/);
    await withTimeout('the end', 1000, process.stop());
    assert.equal(exits.items.length, 1);
  });

  it('is sent nothing after its end, without a complaint', async () => {
    const process = run('process.exit()');
    await exit();
    process.send({ type: 'stop' });
    await withTimeout('the end', 1000, Promise.all([process.stop(), process.release()]));
  });
});
