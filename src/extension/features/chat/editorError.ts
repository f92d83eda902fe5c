// Converts errors to those that the editor's chat and other extensions expect.
import * as vscode from 'vscode';
import { ChatError } from '../../../chat/chatError.ts';
import { errorMessage } from '../../../shared/errors.ts';

/** The extension behind the editor's own chat. */
export const EDITOR_CHAT = 'github.copilot-chat';

/**
 * The editor's chat shows the stack of an error below its message, so it gets an error without one. Other extensions get
 * the editor's own error classes.
 * @param requestInitiator the id of the extension that sent the request; the editor passes it without documenting it
 */
export function toEditorError(error: unknown, requestInitiator: unknown): Error {
  const { kind, message } = error instanceof ChatError ? error : unexpected(error);
  if (requestInitiator === EDITOR_CHAT || kind === 'other') return withoutStack(message);
  switch (kind) {
    case 'noPermissions':
      return vscode.LanguageModelError.NoPermissions(message);
    case 'notFound':
      return vscode.LanguageModelError.NotFound(message);
    case 'blocked':
      return vscode.LanguageModelError.Blocked(message);
  }
}

function unexpected(error: unknown): ChatError {
  const reason = errorMessage(error);
  return new ChatError(`The request to Sealed Proxy failed (${reason}). "Sealed Proxy: Run Diagnostics" shows why.`);
}

function withoutStack(message: string): Error {
  const error = new Error(message);
  delete error.stack;
  return error;
}
