// Runs the diagnostics and shows their results.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { AssistantService } from '../../../assistants/assistantService.ts';
import type { SidePrompt } from '../../../chat/sidePrompts/mark.ts';
import { passed, runCheck } from '../../../diagnostics/check.ts';
import type { DiagnosticsContext } from '../../../diagnostics/check.ts';
import { CHECK_LIMIT, diagnose } from '../../../diagnostics/diagnose.ts';
import { diagnosticsReport } from '../../../diagnostics/report.ts';
import type { HostInfo } from '../../../diagnostics/report.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import { completeVerdictLines } from '../../../promptMap/sender.ts';
import { COMMIT, VERSION, installedPrograms } from '../../../shared/version.ts';
import { probePort } from '../../../supervisor/portProbe.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import type { PromptSources } from '../promptMap/promptSources.ts';
import type { SidePrompts } from '../sidePrompts/sidePrompts.ts';

interface DiagnosisContext {
  readonly core: Core;
  readonly assistants: AssistantService;
  readonly sidePrompts: SidePrompts;
  readonly promptSources: PromptSources;
}

export function registerDiagnosis(context: DiagnosisContext) {
  return { commands: { diagnose: () => runDiagnostics(context) } satisfies Commands };
}

/** Runs all checks, which start and change nothing, and shows the results. */
async function runDiagnostics(context: DiagnosisContext): Promise<void> {
  const { secrets, documents, settings } = context.core;
  const before = await knownSecrets(secrets);
  const results = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Running diagnostics…' },
    async () => ({
      checks: await diagnose(diagnosticsContext(context)),
      sidePrompts: await readSidePrompts(context),
      senders: await readSenders(context),
    }),
  );
  const { proxyAuthorization = [] } = settings().network;
  const known = [...before, ...(await knownSecrets(secrets)), proxyAuthorization].flat(); // a secret may have changed while the checks ran
  const { checks, sidePrompts, senders } = results;
  await documents.show('Diagnostics.md', diagnosticsReport(checks, await hostInfo(), known, sidePrompts, senders));
}

async function readSidePrompts(context: DiagnosisContext): Promise<readonly SidePrompt[] | 'notRead'> {
  let prompts: readonly SidePrompt[] | 'notRead' = 'notRead';
  const read = async () => {
    prompts = await context.sidePrompts.read();
    return passed('');
  };
  await runCheck(read, CHECK_LIMIT);
  return prompts;
}

/** Empty if they cannot be read: the checks say why. */
async function readSenders(context: DiagnosisContext): Promise<ReturnType<typeof completeVerdictLines>> {
  let lines: ReturnType<typeof completeVerdictLines> = [];
  const read = async () => {
    lines = completeVerdictLines((await context.promptSources.read()).senders);
    return passed('');
  };
  await runCheck(read, CHECK_LIMIT);
  return lines;
}

function diagnosticsContext({ core, assistants }: DiagnosisContext): DiagnosticsContext {
  const { supervisor, secrets, settings } = core;
  return {
    status: () => supervisor.status,
    crashes: () => supervisor.crashes,
    settings: () => settings().proxy,
    network: () => settings().network,
    modelOverrides: () => settings().modelOverrides,
    environment: process.env,
    probe: (port) => probePort(port, () => secrets.forProxy()),
    withConnection: (act) => supervisor.withConnection(act),
    refresh: () => supervisor.check(),
    keys: async () => {
      const { apiKey, accessKeys } = await secrets.forProxy();
      return { hasApiKey: apiKey !== null, accessKeys: accessKeys.length };
    },
    assistants: async () =>
      (await assistants.list()).map(({ assistant, configState, judgement }) => ({
        name: assistant.name,
        configState,
        judgement,
      })),
    clock: () => performance.now(),
    limit: CHECK_LIMIT,
  };
}

async function hostInfo(): Promise<HostInfo> {
  const folder = dirname(import.meta.filename); // of the bundle
  return {
    version: VERSION,
    commit: COMMIT,
    programs: await installedPrograms((name) => readFile(join(folder, name)).catch(() => undefined)),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    editor: `${vscode.env.appName} ${vscode.version}`,
    remote: vscode.env.remoteName,
    at: Date.now(),
  };
}

/** What must not appear in the document. If the storage cannot be read, the checks cannot read a secret either. */
async function knownSecrets(secrets: Secrets): Promise<readonly string[]> {
  try {
    const { apiKey, accessKeys, ownership, cacheNamespaceRoot } = await secrets.forProxy();
    return [...(apiKey === null ? [] : [apiKey]), ...accessKeys, ownership, cacheNamespaceRoot];
  } catch {
    return [];
  }
}
