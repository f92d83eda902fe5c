// A failure as the editor wants to hear of it.
import * as vscode from 'vscode';
import { AnswerError } from '../../chat/answer.ts';
import type { ChatFailure } from '../../chat/failure.ts';

/** The backend's answer is no answer to the question. */
export class RefusedError extends Error {
  readonly failure: ChatFailure;

  constructor(failure: ChatFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The extension behind the editor's own chat. */
const CHAT = 'github.copilot-chat';

/**
 * The editor's chat shows a person the stack of an error below its message, at length: it gets the sentence alone. Other
 * extensions can tell the editor's kinds apart.
 * @param requestInitiator the id of the extension that asks, which the editor says but does not publish
 */
export function toEditorError(error: unknown, requestInitiator: unknown): Error {
  const failure = failureOf(error);
  if (requestInitiator === CHAT) return sentence(failure.message);
  switch (failure.kind) {
    case 'noPermissions':
      return vscode.LanguageModelError.NoPermissions(failure.message);
    case 'notFound':
      return vscode.LanguageModelError.NotFound(failure.message);
    case 'blocked':
      return vscode.LanguageModelError.Blocked(failure.message);
    case 'other':
      return sentence(failure.message);
  }
}

function failureOf(error: unknown): ChatFailure {
  if (error instanceof RefusedError) return error.failure;
  if (error instanceof AnswerError) return { kind: 'other', message: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'other', message: vscode.l10n.t('Sealed Proxy could not complete the answer: {0}', reason) };
}

function sentence(message: string): Error {
  const error = new Error(message);
  delete error.stack;
  return error;
}
