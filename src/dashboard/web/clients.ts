import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { COMMANDS } from '../../presentation/commands.ts';
import { ORIGINS, describeUse } from '../clientText.ts';
import type { FromDashboard } from '../messages.ts';
import type { AssistantAction, ClientRow } from '../model.ts';
import { actionButton, messageButton } from './buttons.ts';
import type { Dashboard } from './dashboard.ts';
import { formats, icon, name, prose } from './parts.ts';
import type { Icon } from './parts.ts';
import { shortText } from './text.ts';

const ACTIONS: Readonly<Record<AssistantAction, string>> = { check: 'Check', repair: 'Repair', undo: 'Undo' };

export function clientsSection(rows: readonly ClientRow[], dashboard: Dashboard): TemplateResult {
  if (rows.length === 0) return noClients(dashboard);
  return html`<ul class="clients">
    ${rows.map((row) => client(row, dashboard))}
  </ul>`;
}

function noClients(dashboard: Dashboard): TemplateResult {
  const { title } = COMMANDS.connectAssistant;
  return html`<div class="empty">
    <p>
      No clients yet. Connect an assistant to send its prompts through Sealed Proxy. It gets an access key of its own.
    </p>
    ${messageButton({ title, isPrimary: true }, { type: 'command', name: 'connectAssistant' }, dashboard)}
  </div>`;
}

function client(row: ClientRow, dashboard: Dashboard): TemplateResult {
  const { config, key } = row;
  return html`<li class="client">
    ${icon(iconOf(row))}
    <div class="client-text">
      <h2>${name(row.name)}</h2>
      <div>${config === null ? prose(whatItIs(row)) : prose(config.state)}</div>
      ${config === null ? nothing : html`<div class="sub">${whatItIs(row)}</div>`}
      ${config === null || config.note === '' ? nothing : html`<p class="note">${prose(config.note)}</p>`}
    </div>
    <div class="client-use">${key === null ? 'No access key' : use(key, dashboard.now)}</div>
    <div class="actions">
      ${config?.actions.map((kind) => action(ACTIONS[kind], row.name, { type: 'assistant', action: kind, id: config.id }, dashboard))}
      ${key === null ? nothing : action('Revoke', row.name, { type: 'revokeKey', id: key.id }, dashboard)}
    </div>
  </li>`;
}

function whatItIs({ config, key }: ClientRow): string {
  return config !== null || key === null ? 'Assistant' : ORIGINS[key.origin];
}

/** The configuration is more important than the use: a client may have sent requests and be disconnected now. */
function iconOf({ config, key }: ClientRow): Icon {
  if (config !== null && config.tone !== 'good') return config.tone;
  return key?.lastUsedAt === null ? 'waiting' : 'good';
}

function use(key: NonNullable<ClientRow['key']>, now: number): TemplateResult {
  const ago = (at: number) => formats.ago(at, now);
  const minute = (at: number) => formats.minute(at, now);
  return html`<div>${describeUse(key, ago, minute)}</div>
    <div class="sub">Created ${formats.date(key.createdAt)}</div>`;
}

function action(title: string, subject: string, message: FromDashboard, dashboard: Dashboard): TemplateResult {
  return actionButton({ title, label: `${title} ${shortText(subject)}` }, message, dashboard);
}
