// Connects assistants to the proxy, and keeps watch over those that are connected.
import * as vscode from 'vscode';
import { choiceOf } from '../../../assistants/adapters/assistant.ts';
import { chatModels } from '../../../chat/models.ts';
import { isConnected } from '../../../shared/status.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import type { ChatProvider } from '../chat/chatProvider.ts';
import { AssistantJudgements } from './assistantJudgements.ts';
import { AssistantNotices } from './assistantNotices.ts';
import { ChangeReviews } from './changeReviews.ts';
import { connectAssistant } from './connectAssistant.ts';
import type { AssistantsContext } from './context.ts';
import { createAssistantService } from './editorAssistants.ts';
import { FirstChat } from './firstChat.ts';
import { repairAssistants } from './repairAssistants.ts';

export function registerAssistants(
  core: Core,
  chat: ChatProvider,
  { getBaseUrl }: Pick<AssistantsContext, 'getBaseUrl'>,
) {
  const { context, secrets, supervisor, settings, inBackground } = core;
  const changed = new vscode.EventEmitter<void>();
  const models = () => {
    const { status } = supervisor;
    if (!isConnected(status)) return [];
    return chatModels(status.health.catalogue, settings().modelOverrides).map(choiceOf);
  };
  const assistants = createAssistantService(context.globalStorageUri, {
    supervisor,
    secrets,
    models,
    onChange: () => {
      changed.fire();
    },
  });
  const reviews = new ChangeReviews(core);
  const commandContext = { core, assistants, reviews, models, catalogue: () => chat.catalogue, getBaseUrl };
  const notices = new AssistantNotices(assistants, context.globalState);
  const firstChat = new FirstChat(secrets);
  context.subscriptions.push(
    changed,
    reviews,
    new AssistantJudgements(notices, core),
    core.onStatus((status) => {
      inBackground(notices.statusChanged(status));
    }),
    core.onChatAnswered((id) => {
      inBackground(firstChat.answered(id));
    }),
    chat.onAnswered(() => {
      inBackground(firstChat.complete());
    }),
  );
  return {
    context: commandContext,
    /** A configuration was written, or removed. */
    onDidChange: changed.event,
    /** For assistants that still use the previous base URL. */
    addressChanged: () => {
      inBackground(notices.addressChanged());
    },
    commands: {
      connectAssistant: () => connectAssistant(commandContext),
      writeChange: (uri) => {
        reviews.decide(uri, true);
      },
      cancelChange: (uri) => {
        reviews.decide(uri, false);
      },
      repairAssistants: () => repairAssistants(commandContext),
    } satisfies Commands,
  };
}
