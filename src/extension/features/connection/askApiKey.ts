// Asks for the backend's API key and tests it before it is stored.
import * as vscode from 'vscode';
import { testApiKey } from '../../../chat/apiKeyTest.ts';
import type { ApiKeyTestResult } from '../../../chat/apiKeyTest.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import { apiKeyProblem, keyPrompt, untestedKey } from '../../../presentation/apiKeyText.ts';
import { describeStatus, summaryOf } from '../../../presentation/statusText.ts';
import { asNotice } from '../../../shared/escape.ts';
import { isConnected } from '../../../shared/status.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands, runCommand } from '../../core/runCommand.ts';

/**
 * Asks for an API key if none is set. Resolves true if one is set then.
 * @param purpose what needs the key: the subject of a sentence
 */
export async function ensureApiKey(context: Core, purpose: string): Promise<boolean> {
  if ((await context.secrets.apiKey()) !== undefined) return true;
  return (await changeApiKey(context, `${purpose} needs an API key.`)) !== 'cancelled';
}

/**
 * Asks for an API key until the user has entered one that can be stored. A key that the backend refuses is not stored. A
 * key that cannot be tested replaces another one only if the user agrees. Once a key is stored, the proxy uses it, and the
 * backend was asked again.
 * @param reason a sentence that says why; may be empty
 * @returns `untested`: a key was stored, and the user was told that it could not be tested
 */
export async function changeApiKey(context: Core, reason: string): Promise<'stored' | 'untested' | 'cancelled'> {
  const { secrets, sharedStop, supervisor } = context;
  for (;;) {
    const key = await enterApiKey(context, reason);
    if (key === undefined || key === '') return 'cancelled';
    secrets.reopen(); // after all data was removed, the proxy starts again only so, and it tests the key
    const isReplacing = (await secrets.apiKey()) !== undefined;
    const result = await runTest(context, key);
    if (result === undefined) return 'cancelled';
    if (result.kind === 'refused') {
      if (await wantsToEnterAnother(isReplacing)) continue;
      return 'cancelled';
    }
    if (result.kind === 'unknown' && isReplacing && !(await wantsToSaveUntested(result.reason))) return 'cancelled';
    await secrets.setApiKey(key);
    await sharedStop.start();
    await supervisor.secretsChanged(true);
    if (result.kind === 'accepted' || isJudged(supervisor.status)) return 'stored';
    const why = summaryOf(describeStatus(supervisor.status));
    void offerCommands(vscode.window.showWarningMessage, asNotice(untestedKey(why)), 'showLog');
    return 'untested';
  }
}

/** Runs the command that sets an API key if there is none, or if the backend refused it. */
export async function requestApiKey(status: ProxyStatus, secrets: Pick<Secrets, 'apiKey'>): Promise<void> {
  if (isRefused(status) || (await secrets.apiKey()) === undefined) await runCommand('setApiKey');
}

/** Whether the backend has accepted or refused the stored key. */
function isJudged(status: ProxyStatus): boolean {
  return isConnected(status) || isRefused(status);
}

function isRefused(status: ProxyStatus): boolean {
  return status.kind === 'running' && status.health.kind === 'keyRejected';
}

async function enterApiKey({ secrets, settings }: Core, reason: string): Promise<string | undefined> {
  const accessKeys = (await secrets.accessKeys()).map(({ key }) => key);
  const typed = await vscode.window.showInputBox({
    title: 'Sealed Proxy: Set API Key',
    prompt: keyPrompt(reason, settings().proxy.backendUrl),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (value === '' ? undefined : apiKeyProblem(value.trim(), accessKeys)),
  });
  return typed?.trim();
}

/** Undefined: the user has cancelled the test. */
async function runTest({ sharedStop, supervisor }: Core, key: string): Promise<ApiKeyTestResult | undefined> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: 'Testing the API key…', cancellable: true };
  return vscode.window.withProgress(options, async (_progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => {
      abort.abort();
    });
    try {
      await sharedStop.start();
      return await supervisor.withConnection((connection) => testApiKey(connection, key, abort.signal));
    } catch {
      if (abort.signal.aborted) return undefined;
      return { kind: 'unknown', reason: summaryOf(describeStatus(supervisor.status)) };
    }
  });
}

async function wantsToEnterAnother(isReplacing: boolean): Promise<boolean> {
  const another = 'Enter Another Key';
  const detail = isReplacing
    ? 'It is invalid or was deleted. It was not saved: your previous key stays in use.'
    : 'It is invalid or was deleted. It was not saved.';
  const message = 'The backend refused this API key.';
  return (await vscode.window.showErrorMessage(message, { modal: true, detail }, another)) === another;
}

async function wantsToSaveUntested(reason: string): Promise<boolean> {
  const save = 'Save Anyway';
  const detail = `${reason} If you save the new key anyway, it replaces your previous key.`;
  const message = 'The new API key could not be tested.';
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, save)) === save;
}
