import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { NO_VALUE } from '../format.ts';
import type { RequestRow } from '../model.ts';
import { MAX_ROWS } from '../requestList.ts';
import { shortText } from '../text.ts';
import type { Dashboard } from './dashboard.ts';
import { empty, formats, icon, name } from './parts.ts';

const COLUMNS: readonly (readonly [title: string, kind: string])[] = [
  ['Time', 'time'],
  ['Client', 'client'],
  ['Route', 'route'],
  ['Model', 'model'],
  ['Status', 'number status'],
  ['First byte', 'number wait'],
  ['Duration', 'number duration'],
  ['Tokens in', 'number tokens-in'],
  ['Tokens out', 'number tokens'],
  ['Tokens cached', 'number tokens'],
  ['Tokens per s', 'number tokens'],
  ['End', 'end'],
];

export function requestsSection(dashboard: Dashboard): TemplateResult {
  const { client } = dashboard.view;
  if (dashboard.requests.size === 0) return empty('No requests yet. They appear here as soon as a client sends one.');
  const rows = dashboard.requests.sorted(client);
  return html`${filter(rows, dashboard)}
  ${rows.length === 0 ? empty('This client has sent no requests.') : table(rows, dashboard)}`;
}

function table(rows: readonly RequestRow[], dashboard: Dashboard): TemplateResult {
  return html`<div class="scroller requests" tabindex="0" role="region" aria-label="Requests">
    <table>
      <caption class="visually-hidden">
        The last ${formats.number(MAX_ROWS)} requests, running ones first
      </caption>
      <thead>
        <tr>
          ${COLUMNS.map(([title, kind]) => html`<th scope="col" class=${kind}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${repeat(
          rows,
          (row) => row.id,
          (row) => guard([row, row.running ? dashboard.now : 0], () => line(row, dashboard)),
        )}
      </tbody>
    </table>
  </div>`;
}

function filter(rows: readonly RequestRow[], dashboard: Dashboard): TemplateResult {
  const clients = dashboard.requests.clients();
  const { client: selected } = dashboard.view;
  // A saved client may have no request any more.
  const names = selected === undefined || clients.includes(selected) ? clients : [selected, ...clients];
  const choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    dashboard.change({ client: target.value === '' ? undefined : names[Number(target.value)] });
  };
  return html`<div class="toolbar">
    <label for="client">Client</label>
    <select id="client" @change=${choose}>
      <option value="" .selected=${selected === undefined}>All clients</option>
      ${names.map(
        (client, index) => html`<option value=${index} .selected=${client === selected}>${shortText(client)}</option>`,
      )}
    </select>
    <span class="sub last">${counts(rows)}</span>
  </div>`;
}

function line(row: RequestRow, dashboard: Dashboard): TemplateResult {
  const tone = row.running ? 'running' : row.tone;
  return html`<tr class=${row.running ? 'running' : ''}>
    <td class="time">${formats.clock(row.at, dashboard.now)}</td>
    <td>${name(row.client)}</td>
    <td>${name(row.route)}</td>
    <td>${name(row.model)}</td>
    <td class="number">${row.status === 0 ? NO_VALUE : row.status}</td>
    <td class="number">${formats.duration(row.firstByteMs)}</td>
    <td class="number">${formats.duration(dashboard.requests.duration(row, dashboard.now))}</td>
    <td class="number">${formats.number(row.tokensIn)}</td>
    <td class="number">${formats.number(row.tokensOut)}</td>
    <td class="number">${formats.number(row.tokensCached)}</td>
    <td class="number">${formats.number(row.tokensPerSecond)}</td>
    <td class="end">${tone === 'neutral' || tone === 'good' ? nothing : icon(tone)}${name(row.end)}</td>
  </tr>`;
}

function counts(rows: readonly RequestRow[]): string {
  const running = rows.filter((row) => row.running).length;
  const all = rows.length === 1 ? '1 request' : `${formats.number(rows.length)} requests`;
  return running === 0 ? all : `${all}, ${formats.number(running)} running`;
}
