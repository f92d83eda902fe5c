import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import * as vscode from 'vscode';
import { api, connection, restartedBy, state } from './surroundings.ts';

const { executeCommand } = vscode.commands;

/** A program that listens on the port, answers every request in the same way, and keeps everything that it receives. */
async function foreignProgram(
  port: number,
  answer: string,
): Promise<{ received: () => string; close: () => Promise<void> }> {
  let received = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      if (received.endsWith('\r\n\r\n')) socket.end(answer);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { received: () => received, close };
}

const ANSWERS = {
  'a web server': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok',
  'a foreign proxy': `HTTP/1.1 200 OK\r\nx-sealed-proxy-proof: e30.${'A'.repeat(43)}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
  'not a web server': '220 ready\r\n',
};

describe('A foreign program on the port', () => {
  let program: Awaited<ReturnType<typeof foreignProgram>>;

  afterEach(() => program.close());

  for (const [name, answer] of Object.entries(ANSWERS)) {
    it(`is not used, and receives no key: ${name}`, async () => {
      const { apiKey } = await connection();
      const port = Number(new URL((await api()).baseUrl ?? '').port);
      await executeCommand('sealedProxy.stop');
      program = await foreignProgram(port, answer);
      await executeCommand('sealedProxy.start');
      assert.equal((await api()).status.state, 'portTaken');
      await assert.rejects(async () => executeCommand('sealedProxy.getBaseUrl'));
      await assert.rejects(connection());

      const received = program.received();
      assert.match(received, /^GET \/health HTTP\/1\.1\r\n/);
      assert.doesNotMatch(received, /authorization|api-key|bearer|cookie/i);
      assert.doesNotMatch(received, /sealed-[A-Za-z0-9_-]{43}|dev-/);
      assert.ok(!received.includes(apiKey));
      const names = received
        .split('\r\n')
        .flatMap((line) => (line.includes(': ') ? [line.split(': ')[0]?.toLowerCase()] : []));
      const own = ['x-sealed-proxy-challenge', 'x-sealed-proxy-window'];
      assert.deepEqual([...new Set(names)].sort(), ['connection', 'host', ...own]);

      await program.close();
      await executeCommand('sealedProxy.start');
      await state('connected');
    });
  }

  it('can be avoided with a free port', async () => {
    const section = vscode.workspace.getConfiguration('sealedProxy');
    const port = section.get<number>('port') ?? 0;
    await executeCommand('sealedProxy.stop');
    program = await foreignProgram(port, ANSWERS['a web server']);
    await executeCommand('sealedProxy.start');
    await state('portTaken');
    const { baseUrl } = await restartedBy(async () => executeCommand('sealedProxy.useFreePort'));
    assert.notEqual(baseUrl, `http://127.0.0.1:${port}/v1`);
    await program.close();
    await restartedBy(async () => section.update('port', port, vscode.ConfigurationTarget.Global));
  });
});
