import assert from 'node:assert/strict';
import OpenAI from 'openai';
import * as vscode from 'vscode';
import type { SealedProxyConnection, SealedProxyStatus } from '../../../src/extension/features/api/apiTypes.ts';
import { api, connection, facts, state } from './surroundings.ts';

const { executeCommand } = vscode.commands;

describe('Another extension', () => {
  it('chats through getConnection with the official client', async () => {
    await state('connected');
    const { baseUrl, apiKey } = await connection();
    assert.match(baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    assert.match(apiKey, /^sealed-[A-Za-z0-9_-]{43}$/);
    const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'glm-5-2',
      messages: [{ role: 'user', content: '/repeat 20 sealed' }],
      stream: true,
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    assert.equal(text.match(/sealed/g)?.length, 20);
  });

  it('gets the same from commands, which work across hosts', async () => {
    const { status, baseUrl } = await api();
    const { client } = facts();
    assert.equal(await executeCommand('sealedProxy.getBaseUrl'), baseUrl);
    assert.deepEqual(await executeCommand<SealedProxyStatus>('sealedProxy.getStatus'), status);
    assert.deepEqual(
      await executeCommand<SealedProxyConnection>('sealedProxy.getConnection', { client }),
      await connection(),
    );
  });

  it('gets no connection without a name, or without permission from the user', async () => {
    const exports = await api();
    const getConnection = (client: string) => exports.getConnection(client);
    for (const client of ['', ' ', 'x'.repeat(65), 'a\nb']) await assert.rejects(getConnection(client), TypeError);
    await assert.rejects(async () => executeCommand('sealedProxy.getConnection'), TypeError);
    await assert.rejects(getConnection('An unknown client')); // VS Code shows no dialog to a test
  });

  it("does not get the extension's own key by its name", async () => {
    const exports = await api();
    await assert.rejects(exports.getConnection('Sealed Proxy'));
  });

  it('is refused without an access key, and with a wrong one', async () => {
    const { baseUrl } = await connection();
    for (const headers of [{}, { authorization: `Bearer sealed-${'x'.repeat(43)}` }] as Record<string, string>[]) {
      const { status } = await fetch(`${baseUrl}/models`, { headers });
      assert.equal(status, 401);
    }
  });
});
