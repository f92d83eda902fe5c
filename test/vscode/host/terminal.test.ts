import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually } from '../../support/withTimeout.ts';
import { api, folder, set, state } from './surroundings.ts';

/** The variables for OpenAI clients in the shell of a new terminal. */
async function terminalVariables(): Promise<Record<string, string>> {
  const path = join(folder(), 'variables');
  rmSync(path, { force: true });
  const terminal = vscode.window.createTerminal({ shellPath: '/bin/sh', cwd: folder() });
  try {
    terminal.sendText('env > variables.new && mv variables.new variables');
    await eventually('a terminal to answer', () => existsSync(path));
    const lines = readFileSync(path, 'utf8').split('\n');
    return Object.fromEntries(
      lines.filter((line) => line.startsWith('OPENAI_')).map((line) => line.split('=', 2) as [string, string]),
    );
  } finally {
    rmSync(path, { force: true });
    terminal.dispose();
  }
}

describe('A new terminal', () => {
  it('gets no variables by default', async () => {
    await state('connected');
    assert.deepEqual(await terminalVariables(), {});
  });

  it('gets the base URL and a working access key when the setting is on', async () => {
    await set('terminal.enabled', true);
    const { baseUrl } = await api();
    let variables: Record<string, string> = {};
    await eventually('the variables in a new terminal', async () => {
      variables = await terminalVariables();
      return 'OPENAI_API_KEY' in variables;
    });
    assert.equal(variables['OPENAI_BASE_URL'], baseUrl);
    assert.equal(variables['OPENAI_API_BASE'], baseUrl);
    const headers = { authorization: `Bearer ${variables['OPENAI_API_KEY'] ?? ''}` };
    await eventually(
      'the key to work',
      async () => (await fetch(`${baseUrl ?? ''}/models`, { headers })).status === 200,
    );
  });

  it('gets no variables when the setting is off again', async () => {
    await set('terminal.enabled', undefined);
    await eventually(
      'a terminal without the variables',
      async () => Object.keys(await terminalVariables()).length === 0,
    );
  });
});
