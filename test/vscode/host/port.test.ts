import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import * as vscode from 'vscode';
import { api, connection, restartedBy, state } from './surroundings.ts';

const { executeCommand } = vscode.commands;

/** A program that has the port, answers every request in the same way, and keeps all that it hears. */
async function stranger(port: number, answer: string): Promise<{ heard: () => string; close: () => Promise<void> }> {
  let heard = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      heard += text;
      if (heard.endsWith('\r\n\r\n')) socket.end(answer);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { heard: () => heard, close };
}

const ANSWERS = {
  'a web server': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok',
  'a proxy of somebody else': `HTTP/1.1 200 OK\r\nx-sealed-proxy-proof: e30.${'A'.repeat(43)}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
  'no web server': '220 ready\r\n',
};

describe('A stranger on the port', () => {
  let program: Awaited<ReturnType<typeof stranger>>;

  afterEach(() => program.close());

  for (const [name, answer] of Object.entries(ANSWERS)) {
    it(`is not taken for ours and hears no key: ${name}`, async () => {
      const { apiKey } = await connection();
      const port = Number(new URL((await api()).baseUrl ?? '').port);
      await executeCommand('sealedProxy.stop');
      program = await stranger(port, answer);
      await executeCommand('sealedProxy.start');
      assert.equal((await api()).status.state, 'portTaken');
      await assert.rejects(async () => executeCommand('sealedProxy.getBaseUrl'));
      await assert.rejects(connection());

      const heard = program.heard();
      assert.match(heard, /^GET \/health HTTP\/1\.1\r\n/);
      assert.doesNotMatch(heard, /authorization|api-key|bearer|cookie/i);
      assert.doesNotMatch(heard, /sealed-[A-Za-z0-9_-]{43}|dev-/);
      assert.ok(!heard.includes(apiKey));
      const names = heard
        .split('\r\n')
        .flatMap((line) => (line.includes(': ') ? [line.split(': ')[0]?.toLowerCase()] : []));
      assert.deepEqual([...new Set(names)].sort(), ['connection', 'host', 'x-sealed-proxy-challenge']);

      await program.close();
      await executeCommand('sealedProxy.start');
      await state('connected');
    });
  }

  it('can be left: a free port is used instead', async () => {
    const section = vscode.workspace.getConfiguration('sealedProxy');
    const port = section.get<number>('port') ?? 0;
    await executeCommand('sealedProxy.stop');
    program = await stranger(port, ANSWERS['a web server']);
    await executeCommand('sealedProxy.start');
    await state('portTaken');
    const { baseUrl } = await restartedBy(async () => executeCommand('sealedProxy.useFreePort'));
    assert.notEqual(baseUrl, `http://127.0.0.1:${port}/v1`);
    await program.close();
    await restartedBy(async () => section.update('port', port, vscode.ConfigurationTarget.Global));
  });
});
