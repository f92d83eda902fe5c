// Saves the evidence of the attestation, so that someone else can verify it again.
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { errorMessage } from '../../shared/errorMessage.ts';
import { asNotice } from '../../shared/escape.ts';
import type { Evidence } from '../../shared/evidence.ts';
import { VERSION, compareVersions } from '../../shared/version.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { offerCommands } from './runCommand.ts';

export const evidenceCommands = { saveEvidence } satisfies CommandGroup;

async function saveEvidence({ supervisor }: CommandContext): Promise<void> {
  const { status } = supervisor;
  const warn = vscode.window.showWarningMessage;
  if (status.kind !== 'running') {
    await offerCommands(warn, 'There is no evidence, because the proxy is not running in this window.', 'start');
    return;
  }
  if (status.backendUrl.startsWith('http:')) {
    await warn('There is no evidence: a development backend is not attested.');
    return;
  }
  let evidence: Evidence | null;
  try {
    evidence = await supervisor.withConnection((proxy) => proxy.evidence());
  } catch {
    const isOlder = compareVersions(status.version, VERSION) < 0;
    if (!isOlder) await warn('The proxy did not send its evidence. Try again in a moment.');
    else {
      const message = `The proxy of another window has version ${status.version}, which keeps no evidence. Restart it with this window's version.`;
      await offerCommands(warn, message, 'restart');
    }
    return;
  }
  if (evidence === null) {
    const message = 'There is no evidence yet: the proxy has not received an attestation document since it started.';
    await offerCommands(warn, message, 'checkConnection');
    return;
  }
  await save(evidence);
}

async function save(evidence: Evidence): Promise<void> {
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
  const show = 'Show File';
  if ((await vscode.window.showInformationMessage(message, show)) === show) await vscode.window.showTextDocument(uri);
}
