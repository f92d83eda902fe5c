// What was used, as the proxy of this window or of another one has counted it.
import * as vscode from 'vscode';
import type { UsageReport } from '../../shared/usage.ts';
import type { Secrets } from '../../keys/secrets.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { usageDocument } from '../../presentation/usageText.ts';

export interface UsageContext {
  readonly supervisor: Supervisor;
  readonly secrets: Secrets;
  readonly documents: { show(path: string, markdown: string): Promise<void> };
}

export async function showUsage({ supervisor, secrets, documents }: UsageContext): Promise<void> {
  let usage: UsageReport | undefined;
  try {
    usage = supervisor.status.kind === 'running' ? await readUsage(supervisor) : undefined;
  } catch {
    void vscode.window.showWarningMessage(vscode.l10n.t('The proxy did not say what was used. Try again in a moment.'));
    return;
  }
  await documents.show('Usage.md', usageDocument(usage, await secrets.accessKeys()));
}

/** @throws Error where the proxy does not answer */
async function readUsage(supervisor: Supervisor): Promise<UsageReport> {
  const { line } = await supervisor.connect();
  try {
    return await line.usage();
  } finally {
    line.end();
  }
}
