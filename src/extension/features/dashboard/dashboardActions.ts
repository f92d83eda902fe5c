// What the buttons of the dashboard do. Its web view is not trusted: a command must be one that the state offers, and an id
// one of a current list.
import * as vscode from 'vscode';
import type { Assistant } from '../../../assistants/adapters/assistant.ts';
import type { DashboardFeed } from '../../../dashboard/feed.ts';
import type { FromDashboard } from '../../../dashboard/messages.ts';
import { ALWAYS_OFFERED, FAILURE_ACTIONS } from '../../../dashboard/model.ts';
import type { AssistantAction } from '../../../dashboard/model.ts';
import { visibleKeys } from '../../../keys/accessKeys.ts';
import type { AccessKey } from '../../../keys/accessKeys.ts';
import { describeStatus } from '../../../presentation/statusText.ts';
import type { SenderRemedy } from '../../../promptMap/sender.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { asNotice, asPlain } from '../../../shared/escape.ts';
import type { UsageHistory } from '../../../usageHistory/usageHistory.ts';
import { runCommand } from '../../core/runCommand.ts';
import { check, connect, undo } from '../assistants/connectAssistant.ts';
import type { AssistantsContext } from '../assistants/context.ts';
import { remedyAction } from '../assistants/remedies.ts';
import { repair } from '../assistants/repairAssistants.ts';
import type { PromptSources } from '../promptMap/promptSources.ts';
import type { Sealing } from '../sidePrompts/sealing.ts';

/** What the dashboard shows and changes. */
export interface DashboardContext extends AssistantsContext {
  readonly promptSources: PromptSources;
  readonly sealing: Sealing;
  readonly usageHistory: Pick<UsageHistory, 'read' | 'erase'>;
}

type Action = Exclude<FromDashboard, { type: 'ready' }>;

export class DashboardActions {
  readonly #context: DashboardContext;
  readonly #feed: DashboardFeed;

  constructor(context: DashboardContext, feed: DashboardFeed) {
    this.#context = context;
    this.#feed = feed;
  }

  /** Resolves when it has ended; a failure is shown. */
  async run(action: Action): Promise<void> {
    await this.#perform(action).catch((error: unknown) => {
      void vscode.window.showErrorMessage(asNotice(errorMessage(error)));
    });
  }

  async #perform(action: Action): Promise<void> {
    switch (action.type) {
      case 'command': {
        const { actions } = describeStatus(this.#context.core.supervisor.status);
        const offered = [...actions, ...ALWAYS_OFFERED, ...FAILURE_ACTIONS].find((name) => name === action.name);
        if (offered !== undefined) await runCommand(offered);
        break;
      }
      case 'setting':
        await runCommand('openSettings', action.name);
        break;
      case 'saveEvidence':
        if (this.#feed.canSaveEvidence) await runCommand('saveEvidence');
        break;
      case 'remedy':
        await this.#help(action.id);
        break;
      case 'sealing':
        await this.#thenRefresh(this.#context.sealing.run(action.action));
        break;
      case 'sidePromptSettings':
        await this.#context.sealing.openSettings(action.title);
        break;
      case 'usageView':
        await this.#feed.showUsage(action.range, action.by);
        break;
      case 'eraseUsage':
        await this.#eraseUsage();
        break;
      case 'revokeKey':
        await this.#thenRefresh(this.#revoke(action.id));
        break;
      case 'assistant':
        await this.#thenRefresh(this.#act(action.action, action.id));
        break;
    }
  }

  async #help(id: string): Promise<void> {
    const remedy = this.#feed.promptMap().senders.find((sender) => sender.id === id)?.remedy;
    if (remedy !== undefined) await this.#thenRefresh(runRemedy(this.#context, remedy));
  }

  /** An action may have changed keys, assistants or settings, also if it failed. */
  async #thenRefresh(action: Promise<void>): Promise<void> {
    try {
      await action;
    } finally {
      await this.#feed.clientsChanged();
    }
  }

  async #revoke(id: string): Promise<void> {
    const { secrets, supervisor } = this.#context.core;
    const key = visibleKeys(await secrets.accessKeys()).find((known) => known.id === id);
    if (key === undefined) return;
    const revoke = 'Revoke';
    const question = `Revoke the access key of "${asPlain(key.name)}"?`;
    const options = { modal: true, detail: consequenceOf(key) };
    if ((await vscode.window.showWarningMessage(question, options, revoke)) !== revoke) return;
    await secrets.revokeAccessKey(id);
    await supervisor.secretsChanged(false);
  }

  async #act(action: AssistantAction, id: string): Promise<void> {
    const states = await this.#context.assistants.list();
    const state = states.find(({ assistant }) => assistant.id === id);
    if (state === undefined) return;
    const { assistant, undoable } = state;
    switch (action) {
      case 'check':
        await this.#feed.note(id, await check(this.#context, assistant));
        break;
      case 'repair':
        await this.#feed.note(id, { message: await repair(this.#context, [state]) });
        break;
      case 'undo':
        if (undoable && (await agreesToUndo(assistant)))
          await this.#feed.note(id, { message: await undo(this.#context, assistant) });
        break;
    }
  }

  async #eraseUsage(): Promise<void> {
    const erase = 'Erase';
    const detail = 'This removes the sums of the last 90 days from this computer. It cannot be undone.';
    const question = 'Erase the recorded usage?';
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, erase)) !== erase) return;
    const { core, usageHistory } = this.#context;
    await usageHistory.erase();
    // The proxy of another version has its sums discarded when they arrive.
    await core.supervisor.withConnection((proxy) => proxy.eraseUsage()).catch(() => undefined);
    await this.#feed.usageChanged();
  }
}

function consequenceOf({ name, origin }: AccessKey): string {
  if (origin === 'assistant')
    return `${asPlain(name)} stops working until you connect it again. This cannot be undone.`;
  return 'Programs that use this key get errors from now on. This cannot be undone.';
}

async function agreesToUndo({ name }: Assistant): Promise<boolean> {
  const undoButton = 'Undo';
  const detail = 'Restores the previous configuration and revokes the access key.';
  const question = `Disconnect ${name} from Sealed Proxy?`;
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, undoButton)) === undoButton;
}

/** What the buttons of the section "Where Prompts Go" do. */
async function runRemedy(context: DashboardContext, remedy: SenderRemedy): Promise<void> {
  switch (remedy.kind) {
    case 'command':
      await runCommand(remedy.name);
      break;
    case 'extension':
      // Its own page would need the Marketplace, which may not answer.
      await vscode.commands.executeCommand('workbench.extensions.search', `@installed ${nameIn(remedy.id)}`);
      break;
    case 'assistant':
      await helpAssistant(context, remedy);
      break;
  }
}

/** The part of an extension's ID that the search of the editor compares. */
function nameIn(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/** Connects or repairs this assistant only. */
async function helpAssistant(
  context: DashboardContext,
  { assistant: id, remedy }: Extract<SenderRemedy, { kind: 'assistant' }>,
): Promise<void> {
  const state = (await context.assistants.list()).find(({ assistant }) => assistant.id === id);
  if (state === undefined) return;
  if (remedy.kind === 'connect') await connect(context, state.assistant);
  else if (remedy.kind === 'repair') await repair(context, [state]);
  else await remedyAction(remedy).run();
}
