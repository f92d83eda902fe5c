import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { ChatModel } from '../../chat/models.ts';
import { COMMANDS } from '../../presentation/commands.ts';
import type { CommandName, VisibleCommand } from '../../presentation/commands.ts';
import { ASK_IN_CHAT } from '../model.ts';
import type { ConnectionSection, NextStep } from '../model.ts';
import type { Dashboard } from './dashboard.ts';
import { empty, facts, formats, name } from './parts.ts';

/** What few need: the facts about the connection, and the models. */
export function details(section: ConnectionSection): TemplateResult {
  return html`${facts(section.facts)}
    <h2>Models</h2>
    ${section.chatModels.length + section.otherModels.length === 0 ? empty('Models appear here once Sealed Proxy is connected to the backend.') : models(section)}`;
}

/** Buttons for these commands. `primary`, if it is one of them, stands out. */
export function buttons(
  commands: readonly (VisibleCommand | NextStep)[],
  primary: CommandName | null,
  dashboard: Dashboard,
): TemplateResult {
  return html`<div class="buttons">
    ${commands.map(
      (command) =>
        html`<vscode-button
          ?secondary=${command !== primary}
          @click=${() => {
            dashboard.send({ type: 'command', name: command });
          }}
          >${command === 'openChat' ? ASK_IN_CHAT : COMMANDS[command].title}</vscode-button
        >`,
    )}
  </div>`;
}

function models({ chatModels, otherModels }: ConnectionSection): TemplateResult {
  return html`<div class="scroller models" tabindex="0" role="region" aria-label="Models">
    <table>
      <caption class="visually-hidden">
        Models of the backend, with their capabilities
      </caption>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col" class="number">Context (tokens)</th>
          <th scope="col" class="number">Max. output (tokens)</th>
          <th scope="col">Capabilities</th>
        </tr>
      </thead>
      <tbody>
        ${chatModels.map(chatModel)} ${otherModels.map(otherModel)}
      </tbody>
    </table>
  </div>`;
}

function chatModel({
  id,
  name: title,
  maxInputTokens,
  maxOutputTokens,
  tools,
  images,
  reasoning,
}: ChatModel): TemplateResult {
  const capabilities = [tools ? 'Tools' : '', images ? 'Images' : '', reasoning ? 'Reasoning' : ''];
  return html`<tr>
    <th scope="row">${name(title)}${id === title ? nothing : html`<div class="sub">${name(id)}</div>`}</th>
    <td class="number">${formats.number(maxInputTokens + maxOutputTokens)}</td>
    <td class="number">${formats.number(maxOutputTokens)}</td>
    <td>${badges(capabilities.filter((word) => word !== ''))}</td>
  </tr>`;
}

function otherModel(id: string): TemplateResult {
  return html`<tr>
    <th scope="row">${name(id)}</th>
    <td class="number">${formats.number(null)}</td>
    <td class="number">${formats.number(null)}</td>
    <td>${badges(['Not for chat'])}</td>
  </tr>`;
}

function badges(words: readonly string[]): TemplateResult {
  return html`<div class="badges">${words.map((word) => html`<vscode-badge>${name(word)}</vscode-badge>`)}</div>`;
}
