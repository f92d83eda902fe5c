import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { AssistantAction, AssistantRow, ClientsSection, FromDashboard, KeyRow } from '../model.ts';
import { shortText } from '../text.ts';
import type { Dashboard } from './dashboard.ts';
import { empty, formats, icon, name, prose } from './parts.ts';

const ACTIONS: Readonly<Record<AssistantAction, string>> = { check: 'Check', repair: 'Repair', undo: 'Undo' };

export function clientsSection({ keys, assistants }: ClientsSection, dashboard: Dashboard): TemplateResult {
  return html`<h2>Access Keys</h2>
    ${keys.length === 0 ? empty('There are no access keys. Connecting an assistant creates one.') : keyTable(keys, dashboard)}
    <h2>Assistants</h2>
    ${
      assistants.length === 0
        ? empty('No assistants are connected.')
        : html`<ul class="assistants">
            ${assistants.map((row) => assistant(row, dashboard))}
          </ul>`
    }`;
}

function keyTable(keys: readonly KeyRow[], dashboard: Dashboard): TemplateResult {
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
              <td>${name(key.origin)}</td>
              <td>${formats.date(key.createdAt)}</td>
              <td>${key.lastUsedAt === null ? 'Never' : formats.ago(key.lastUsedAt, dashboard.now)}</td>
              <td class="actions">
                ${key.revocable ? action('Revoke', key.name, { type: 'revokeKey', id: key.id }, dashboard) : nothing}
              </td>
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
