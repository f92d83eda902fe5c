import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { KeyOrigin } from '../../keys/accessKeys.ts';
import type { FromDashboard } from '../messages.ts';
import type { AssistantAction, AssistantRow, ClientsSection } from '../model.ts';
import type { Dashboard } from './dashboard.ts';
import { empty, formats, icon, name, prose } from './parts.ts';
import { shortText } from './text.ts';

const ACTIONS: Readonly<Record<AssistantAction, string>> = { check: 'Check', repair: 'Repair', undo: 'Undo' };

const ORIGINS: Readonly<Record<KeyOrigin, string>> = {
  user: 'Created by you',
  client: 'Allowed by you for an extension',
  assistant: 'Assistant',
  terminal: 'Terminals of VS Code',
  own: 'Sealed Proxy itself',
};

export function clientsSection({ keys, assistants }: ClientsSection, dashboard: Dashboard): TemplateResult {
  return html`<h2>Access Keys</h2>
    ${keys.length === 0 ? empty('There are no access keys. Connecting an assistant creates one.') : keyTable(keys, dashboard)}
    <h2>Assistants</h2>
    ${
      assistants.length === 0
        ? empty(
            'Sealed Proxy has changed the configuration of no assistant. One that uses a copied snippet is only in the table above.',
          )
        : html`<ul class="assistants">
            ${assistants.map((row) => assistant(row, dashboard))}
          </ul>`
    }`;
}

function keyTable(keys: ClientsSection['keys'], dashboard: Dashboard): TemplateResult {
  return html`<div class="scroller keys" tabindex="0" role="region" aria-label="Access keys">
    <table>
      <caption class="visually-hidden">
        Access keys and when they were last used
      </caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Origin</th>
          <th scope="col">Created</th>
          <th scope="col">Last used</th>
          <th scope="col"><span class="visually-hidden">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${keys.map(
          (key) =>
            html`<tr>
              <th scope="row">${name(key.name)}</th>
              <td>${ORIGINS[key.origin]}</td>
              <td>${formats.date(key.createdAt)}</td>
              <td>${key.lastUsedAt === null ? 'Never' : formats.ago(key.lastUsedAt, dashboard.now)}</td>
              <td class="actions">${action('Revoke', key.name, { type: 'revokeKey', id: key.id }, dashboard)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function assistant(row: AssistantRow, dashboard: Dashboard): TemplateResult {
  return html`<li class="assistant">
    ${icon(row.tone)}
    <div class="assistant-text">
      <h3>${name(row.name)}</h3>
      <div class="sub">${prose(row.state)}</div>
      ${row.note === '' ? nothing : html`<p class="note">${prose(row.note)}</p>`}
    </div>
    <div class="actions">
      ${row.actions.map((kind) => action(ACTIONS[kind], row.name, { type: 'assistant', action: kind, id: row.id }, dashboard))}
    </div>
  </li>`;
}

function action(title: string, subject: string, message: FromDashboard, dashboard: Dashboard): TemplateResult {
  const isBusy = dashboard.isBusy(message);
  return html`<vscode-button
    secondary
    ?disabled=${isBusy}
    aria-label="${title} ${shortText(subject)}"
    aria-busy=${isBusy}
    aria-disabled=${isBusy}
    @click=${() => {
      if (!isBusy) dashboard.act(message);
    }}
    >${title}</vscode-button
  >`;
}
