// The doctor in the editor: what it looks at, and where the result is shown.
import * as vscode from 'vscode';
import { VERSION } from '../../shared/version.ts';
import type { DiagnosticsContext } from '../../diagnostics/check.ts';
import type { AssistantService } from '../../assistants/assistantService.ts';
import { CHECK_LIMIT, diagnose } from '../../diagnostics/diagnose.ts';
import { diagnosticsReport } from '../../diagnostics/report.ts';
import type { HostInfo } from '../../diagnostics/report.ts';
import type { Settings } from '../../settings/editorSettings.ts';
import { probe } from '../../supervisor/localProxy.ts';
import type { Secrets } from '../../keys/secrets.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';

export interface DiagnosisContext {
  readonly supervisor: Supervisor;
  readonly secrets: Secrets;
  readonly settings: () => Settings;
  readonly connect: { readonly assistants: AssistantService };
  readonly documents: { show(path: string, markdown: string): Promise<void> };
}

/** Looks at everything as it is, starts nothing, and shows what was found. */
export async function showDiagnosis(context: DiagnosisContext): Promise<void> {
  const { secrets, documents } = context;
  const title = vscode.l10n.t('Sealed Proxy is looking at everything');
  const before = await knownSecrets(secrets);
  const results = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
    diagnose(diagnosticsContext(context)),
  );
  const known = [...before, ...(await knownSecrets(secrets))]; // one may have been changed meanwhile
  await documents.show('Diagnosis.md', diagnosticsReport(results, hostInfo(), known));
}

function diagnosticsContext({ supervisor, secrets, settings, connect }: DiagnosisContext): DiagnosticsContext {
  return {
    status: () => supervisor.status,
    crashes: () => supervisor.crashes,
    settings: () => settings().proxy,
    network: () => settings().network,
    modelOverrides: () => settings().modelOverrides,
    environment: process.env,
    probe: async (port) => probe(port, Buffer.from((await secrets.forProxy()).ownership, 'base64')),
    connect: () => supervisor.connect(),
    refresh: () => supervisor.check(),
    keys: async () => {
      const { apiKey, accessKeys } = await secrets.forProxy();
      return { hasApiKey: apiKey !== null, accessKeys: accessKeys.length };
    },
    assistants: async () =>
      (await connect.assistants.list()).map(({ assistant, configState }) => ({
        name: assistant.name,
        configState,
      })),
    clock: () => performance.now(),
    limit: CHECK_LIMIT,
  };
}

function hostInfo(): HostInfo {
  return {
    version: VERSION,
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    editor: `${vscode.env.appName} ${vscode.version}`,
    remote: vscode.env.remoteName,
    at: Date.now(),
  };
}

/** What must not be in the document. Where the storage cannot be read, no check can use one of them either. */
async function knownSecrets(secrets: Secrets): Promise<readonly string[]> {
  try {
    const { apiKey, accessKeys, ownership, cacheNamespaceRoot } = await secrets.forProxy();
    return [...(apiKey === null ? [] : [apiKey]), ...accessKeys, ownership, cacheNamespaceRoot];
  } catch {
    return [];
  }
}
