// Buttons that several sections use.
import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { COMMANDS } from '../../presentation/commands.ts';
import type { CommandName, VisibleCommand } from '../../presentation/commands.ts';
import type { FromDashboard } from '../messages.ts';
import { ASK_IN_CHAT } from '../model.ts';
import type { NextStep } from '../model.ts';
import type { Dashboard } from './dashboard.ts';

/** Buttons for these commands. `primary`, if it is one of them, stands out. */
export function commandButtons(
  commands: readonly (VisibleCommand | NextStep)[],
  primary: CommandName | null,
  dashboard: Dashboard,
): TemplateResult {
  return html`<div class="buttons">
    ${commands.map((command) => {
      const title = command === 'openChat' ? ASK_IN_CHAT : COMMANDS[command].title;
      return messageButton({ title, isPrimary: command === primary }, { type: 'command', name: command }, dashboard);
    })}
  </div>`;
}

interface ButtonText {
  readonly title: string;
  /** For screen readers, if the title alone does not say of what. */
  readonly label?: string;
  /** It stands out. */
  readonly isPrimary?: boolean;
}

/** A button that sends a message. */
export function messageButton(
  { title, label, isPrimary = false }: ButtonText,
  message: FromDashboard,
  dashboard: Dashboard,
): TemplateResult {
  return html`<vscode-button
    ?secondary=${!isPrimary}
    aria-label=${label ?? nothing}
    @click=${() => {
      dashboard.send(message);
    }}
    >${title}</vscode-button
  >`;
}

/** A button for an action that takes a while: it is disabled until that has ended, or while `isBlocked`. */
export function actionButton(
  { title, label, isPrimary = false }: ButtonText,
  message: FromDashboard,
  dashboard: Dashboard,
  isBlocked = false,
): TemplateResult {
  const isBusy = dashboard.isBusy(message);
  const isDisabled = isBusy || isBlocked;
  return html`<vscode-button
    ?secondary=${!isPrimary}
    ?disabled=${isDisabled}
    aria-label=${label ?? nothing}
    aria-busy=${isBusy}
    aria-disabled=${isDisabled}
    @click=${() => {
      if (!isDisabled) dashboard.act(message);
    }}
    >${title}</vscode-button
  >`;
}
