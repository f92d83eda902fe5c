// The latest requests. A list, not a table: the two lines of a row have no columns that a header could name.
import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { plural } from '../../presentation/text.ts';
import type { FailureAction, NamedRequest } from '../model.ts';
import { failureOf, titleOf } from '../requestFailures.ts';
import type { Failure } from '../requestFailures.ts';
import { describeResult, describeRoute, hasFailed, tokensPerSecond } from '../requestText.ts';
import type { Dashboard } from './dashboard.ts';
import type { Shown } from './host.ts';
import { choice, empty, formats, icon, name, prose } from './parts.ts';
import type { Icon } from './parts.ts';
import { shortText } from './text.ts';

type State = 'failed' | 'running' | 'cancelled' | 'completed';

const ICONS: Readonly<Record<State, Icon>> = {
  failed: 'error',
  running: 'running',
  cancelled: 'skipped',
  completed: 'good',
};

const NONE_YET = 'No requests yet. They appear here as soon as a client sends one.';

/** @param models the ids of those that the backend offers; empty if they are not known */
export function requestsSection(dashboard: Dashboard, models: readonly string[]): TemplateResult {
  const { client, shown, ownChecks } = dashboard.view;
  if (!dashboard.requests.hadRows) return empty(NONE_YET);
  const all = dashboard.requests.sorted(ownChecks, client);
  const rows = shown === 'all' ? all : all.filter((row) => stateOf(row) === shown);
  return html`${filters(all, dashboard)}
  ${rows.length === 0 ? empty(noneOf(shown, client)) : list(rows, dashboard, models)}`;
}

function stateOf(request: NamedRequest): State {
  if (request.outcome === null) return 'running';
  if (hasFailed(request)) return 'failed';
  return request.outcome === 'cancelled' ? 'cancelled' : 'completed';
}

function noneOf(shown: Shown, client: string | undefined): string {
  if (shown === 'failed') return 'No request has failed.';
  if (shown === 'running') return 'No request is running.';
  return client === undefined ? NONE_YET : 'This client has sent no requests.';
}

/** @param all the requests that are counted */
function filters(all: readonly NamedRequest[], dashboard: Dashboard): TemplateResult {
  const count = (state: State) => formats.number(all.filter((row) => stateOf(row) === state).length);
  const options: Readonly<Record<Shown, string>> = {
    all: `All ${formats.number(all.length)}`,
    failed: `Failed ${count('failed')}`,
    running: `Running ${count('running')}`,
  };
  const toggle = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) dashboard.change({ ownChecks: target.checked });
  };
  return html`<div class="toolbar filters">
    ${choice('Requests', options, dashboard.view.shown, (shown) => {
      dashboard.change({ shown });
    })}
    ${clients(dashboard)}
    <label class="check last" title="Requests with which Sealed Proxy itself lists the models and checks the connection"
      ><input type="checkbox" .checked=${dashboard.view.ownChecks} @change=${toggle} />Show own checks</label
    >
  </div>`;
}

function clients(dashboard: Dashboard): TemplateResult {
  const { client: selected, ownChecks } = dashboard.view;
  const known = dashboard.requests.clients(ownChecks);
  // A saved client may have no request any more.
  const names = selected === undefined || known.includes(selected) ? known : [selected, ...known];
  const choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    dashboard.change({ client: target.value === '' ? undefined : names[Number(target.value)] });
  };
  return html`<div class="choose-client">
    <label for="client">Client</label>
    <select id="client" @change=${choose}>
      <option value="" .selected=${selected === undefined}>All clients</option>
      ${names.map(
        (client, index) => html`<option value=${index} .selected=${client === selected}>${shortText(client)}</option>`,
      )}
    </select>
  </div>`;
}

function list(rows: readonly NamedRequest[], dashboard: Dashboard, models: readonly string[]): TemplateResult {
  const known = models.join(); // the array is another one in each state
  return html`<ul class="requests" aria-label="Requests, running ones first">
    ${repeat(
      rows,
      (row) => row.id,
      (row) => guard([row, row.outcome === null ? dashboard.now : 0, known], () => item(row, dashboard, models)),
    )}
  </ul>`;
}

function item(request: NamedRequest, dashboard: Dashboard, offered: readonly string[]): TemplateResult {
  const state = stateOf(request);
  return html`<li class=${state}>
    <div class="head">
      <div class="line">
        <strong class="result">${icon(ICONS[state])} <bdi>${shortText(describeResult(request, offered))}</bdi></strong>
        ${models(request)} ${name(request.client)}
      </div>
      <span class="time sub">${formats.clock(request.at, dashboard.now)}</span>
    </div>
    <div class="line sub">
      ${state === 'failed' ? remedy(failureOf(request, offered), dashboard) : nothing}
      <div class="line">${name(describeRoute(request))} ${numbers(request, dashboard)}</div>
    </div>
  </li>`;
}

/** Without a response that names its model, the one that the client asked for. */
function models({ model, requestedModel }: NamedRequest): TemplateResult | typeof nothing {
  const answered = model ?? requestedModel;
  if (answered === null) return nothing;
  if (requestedModel === null || requestedModel === answered) return name(answered);
  return html`${name(answered)} <span class="asked sub">instead of ${name(requestedModel)}</span>`;
}

function remedy({ remedy: text, action }: Failure, dashboard: Dashboard): TemplateResult {
  return html`<span class="remedy">${prose(text)} ${action === undefined ? nothing : button(action, dashboard)}</span>`;
}

function button(action: FailureAction, dashboard: Dashboard): TemplateResult {
  const run = (): void => {
    if (action !== 'showModels') {
      dashboard.send({ type: 'command', name: action });
      return;
    }
    dashboard.change({ section: 'overview', details: true });
    document.getElementById('tab-overview')?.focus(); // this button goes
    requestAnimationFrame(() => document.getElementById('models')?.focus()); // the list is there with the next frame
  };
  return html`<button type="button" class="link" @click=${run}>${titleOf(action)}</button>`;
}

/** What was measured; what is not known is left out. */
function numbers(request: NamedRequest, { requests, now }: Dashboard): readonly TemplateResult[] {
  const { outcome, status, firstByteMs, tokensIn, tokensOut, tokensCached } = request;
  const speed = tokensPerSecond(request);
  const cached = tokensCached === null ? '' : ` (${formats.number(tokensCached)} cached)`;
  const duration = formats.duration(requests.duration(request, now));
  return [
    ...(status < 400 ? [] : [html`<span>status ${status}</span>`]),
    ...(tokensIn === null
      ? []
      : [html`<span>${formats.number(tokensIn)} ${plural(tokensIn, 'token')} in${cached}</span>`]),
    ...(tokensOut === null ? [] : [html`<span>${formats.number(tokensOut)} ${plural(tokensOut, 'token')} out</span>`]),
    ...(firstByteMs === null ? [] : [html`<span>first byte after ${formats.duration(firstByteMs)}</span>`]),
    html`<span class="duration">${outcome === null ? 'running for' : 'took'} ${duration}</span>`,
    ...(speed === null
      ? []
      : [html`<span>${formats.number(speed)} ${plural(Math.round(speed), 'token')} per second</span>`]),
  ];
}
