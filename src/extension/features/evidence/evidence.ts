// Saves the evidence of the attestation, so that someone else can verify it again.
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { shellOf, word } from '../../../assistants/shell.ts';
import { isAttested } from '../../../settings/rules.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { asNotice } from '../../../shared/escape.ts';
import type { Evidence } from '../../../shared/evidence.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands } from '../../core/runCommand.ts';

export function registerEvidence(core: Core) {
  return { commands: { saveEvidence: () => saveEvidence(core) } satisfies Commands };
}

async function saveEvidence({ supervisor, context }: Core): Promise<void> {
  const { status } = supervisor;
  const warn = vscode.window.showWarningMessage;
  if (status.kind !== 'running') {
    await offerCommands(warn, 'There is no evidence, because the proxy is not running in this window.', 'start');
    return;
  }
  if (!isAttested(status.backendUrl)) {
    await warn('There is no evidence: a development backend is not attested.');
    return;
  }
  let evidence: Evidence | null;
  try {
    evidence = await supervisor.withConnection((proxy) => proxy.evidence());
  } catch {
    await warn('The proxy did not send its evidence. Try again in a moment.');
    return;
  }
  if (evidence === null) {
    const message = 'There is no evidence yet: the proxy has not received an attestation document since it started.';
    await offerCommands(warn, message, 'checkConnection');
    return;
  }
  await save(evidence, context.extensionPath);
}

async function save(evidence: Evidence, extensionPath: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const name = `sealed-proxy-evidence-${evidence.verifiedAt.slice(0, 10)}.json`;
  const uri = await vscode.window.showSaveDialog({
    title: 'Save Attestation Evidence',
    defaultUri: vscode.Uri.joinPath(folder, name),
    filters: { JSON: ['json'] },
  });
  if (uri === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(`${JSON.stringify(evidence, null, 2)}\n`));
  } catch (error) {
    const message = `The evidence could not be saved: ${errorMessage(error)}. Choose another folder.`;
    await vscode.window.showErrorMessage(asNotice(message));
    return;
  }
  const refused = evidence.checks.find(({ result }) => result !== 'pass');
  const message =
    refused === undefined
      ? 'The evidence is saved. All of its checks passed.'
      : `The evidence is saved. It is about an enclave that was refused: the check ${refused.id} failed.`;
  const [show, copy] = ['Show File', 'Copy Command to Verify'];
  const buttons = uri.scheme === 'file' ? [show, copy] : [show];
  const answer = await vscode.window.showInformationMessage(message, ...buttons);
  if (answer === show) await vscode.window.showTextDocument(uri);
  if (answer !== copy) return;
  // The program that verifies is part of the extension, and needs no network.
  const words = ['node', join(extensionPath, 'dist', 'proxy.js'), 'verify', uri.fsPath];
  // An image that only a setting approves is trusted by those who say so.
  if (evidence.approval?.by === 'setting' && evidence.pcr0 !== null) words.push('--pcr0', evidence.pcr0);
  await vscode.env.clipboard.writeText(words.map((each) => word(each, shellOf(process.platform))).join(' '));
  void vscode.window.showInformationMessage(
    'The command was copied. Paste it into a terminal. It needs Node 22.19 or later.',
  );
}
