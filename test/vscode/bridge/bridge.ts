// An extension only for tests: runs functions that a test sends, in the same extension host as Sealed Proxy. It writes its
// address into the folder that is open in its window.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as vscode from 'vscode';

type Sent = (editor: typeof vscode, argument: unknown) => unknown;

export async function activate(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder === undefined) return;
  await runAtStart(folder);
  const token = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    response.shouldKeepAlive = false; // a request could meet a connection that the server is closing
    if (request.headers['x-token'] !== token) {
      response.writeHead(403).end();
      return;
    }
    void answer(request).then((text) => response.end(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const path = join(folder, 'bridge.json');
  await writeFile(`${path}.new`, JSON.stringify({ port, token, pid: process.pid }));
  await rename(`${path}.new`, path); // atomic: the reader never sees half of it
}

/**
 * Runs what the file `at-start.json` contains, in the form that `answer()` gets, and writes the result to another file.
 * The editor's start-up ends after this.
 */
async function runAtStart(folder: string): Promise<void> {
  const sent = await readFile(join(folder, 'at-start.json'), 'utf8').catch(() => undefined);
  if (sent !== undefined) await writeFile(join(folder, 'at-start-result.json'), await run(sent));
}

async function answer(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return run(body);
}

async function run(sent: string): Promise<string> {
  try {
    const { source, argument } = JSON.parse(sent) as { source: string; argument: unknown };
    const act = (0, eval)(`(${source})`) as Sent;
    return JSON.stringify({ value: await act(vscode, argument) });
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}
