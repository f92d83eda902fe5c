import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { NamedRequest } from '../model.ts';
import { describeEnd, describeRoute, hasFailed, tokensPerSecond } from '../requestText.ts';
import type { Dashboard } from './dashboard.ts';
import { NO_VALUE } from './format.ts';
import { empty, formats, icon, name } from './parts.ts';
import { MAX_ROWS } from './requestList.ts';
import { shortText } from './text.ts';

interface Column {
  readonly title: string;
  /** The classes of its cells: see styles/requests.css. */
  readonly kind: string;
  readonly cell: (request: NamedRequest, dashboard: Dashboard) => unknown;
}

const COLUMNS: readonly Column[] = [
  { title: 'Time', kind: 'time', cell: ({ at }, { now }) => formats.clock(at, now) },
  { title: 'Client', kind: 'client', cell: ({ client }) => name(client) },
  { title: 'Route', kind: 'route', cell: (request) => name(describeRoute(request)) },
  { title: 'Model', kind: 'model', cell: ({ model }) => name(model ?? '') },
  { title: 'Status', kind: 'number status', cell: ({ status }) => (status === 0 ? NO_VALUE : status) },
  { title: 'First byte', kind: 'number wait', cell: ({ firstByteMs }) => formats.duration(firstByteMs) },
  {
    title: 'Duration',
    kind: 'number duration',
    cell: (request, { requests, now }) => formats.duration(requests.duration(request, now)),
  },
  { title: 'Tokens in', kind: 'number tokens-in', cell: ({ tokensIn }) => formats.number(tokensIn) },
  { title: 'Tokens out', kind: 'number tokens', cell: ({ tokensOut }) => formats.number(tokensOut) },
  { title: 'Tokens cached', kind: 'number tokens', cell: ({ tokensCached }) => formats.number(tokensCached) },
  { title: 'Tokens per s', kind: 'number tokens', cell: (request) => formats.number(tokensPerSecond(request)) },
  { title: 'End', kind: 'end', cell: (request) => html`${endIcon(request)}${name(describeEnd(request))}` },
];

export function requestsSection(dashboard: Dashboard): TemplateResult {
  const { client } = dashboard.view;
  if (dashboard.requests.size === 0) return empty('No requests yet. They appear here as soon as a client sends one.');
  const rows = dashboard.requests.sorted(client);
  return html`${filter(rows, dashboard)}
  ${rows.length === 0 ? empty('This client has sent no requests.') : table(rows, dashboard)}`;
}

function table(rows: readonly NamedRequest[], dashboard: Dashboard): TemplateResult {
  return html`<div class="scroller requests" tabindex="0" role="region" aria-label="Requests">
    <table>
      <caption class="visually-hidden">
        The last ${formats.number(MAX_ROWS)} requests, running ones first
      </caption>
      <thead>
        <tr>
          ${COLUMNS.map(({ title, kind }) => html`<th scope="col" class=${kind}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${repeat(
          rows,
          (row) => row.id,
          (row) => guard([row, row.outcome === null ? dashboard.now : 0], () => line(row, dashboard)),
        )}
      </tbody>
    </table>
  </div>`;
}

function filter(rows: readonly NamedRequest[], dashboard: Dashboard): TemplateResult {
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

function line(request: NamedRequest, dashboard: Dashboard): TemplateResult {
  return html`<tr class=${request.outcome === null ? 'running' : ''}>
    ${COLUMNS.map(({ kind, cell }) => html`<td class=${kind}>${cell(request, dashboard)}</td>`)}
  </tr>`;
}

function endIcon(request: NamedRequest): TemplateResult | typeof nothing {
  if (request.outcome === null) return icon('running');
  return hasFailed(request) ? icon('error') : nothing;
}

function counts(rows: readonly NamedRequest[]): string {
  const running = rows.filter(({ outcome }) => outcome === null).length;
  const all = rows.length === 1 ? '1 request' : `${formats.number(rows.length)} requests`;
  return running === 0 ? all : `${all}, ${formats.number(running)} running`;
}
