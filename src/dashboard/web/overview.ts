// The first section: is everything sealed, what happened today, and what to do next.
import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { ChatModel } from '../../chat/models.ts';
import type { ConnectionSection, DashboardState, PromptsSection, UsageView } from '../model.ts';
import { NEXT_STEPS } from '../model.ts';
import { describePath, pathOf } from '../overviewText.ts';
import type { Stop } from '../overviewText.ts';
import { summaryOf } from '../promptsText.ts';
import { commandButtons } from './buttons.ts';
import type { Dashboard } from './dashboard.ts';
import { banner, empty, facts, figures, formats, icon, name, prose } from './parts.ts';
import { verdictList } from './prompts.ts';
import { visibleText } from './text.ts';
import { figuresOf } from './usage.ts';

export function overviewSection(state: DashboardState, dashboard: Dashboard): TemplateResult {
  const { connection, prompts } = state;
  const { primary } = connection;
  const ofState = commandButtons(connection.actions, primary, dashboard);
  const nextSteps = commandButtons(NEXT_STEPS, primary, dashboard);
  const toggle = ({ target }: Event): void => {
    if (target instanceof HTMLDetailsElement) dashboard.change({ details: target.open });
  };
  const isPrimaryNext = NEXT_STEPS.some((step) => step === primary);
  return html`${banner(connection)} ${isPrimaryNext ? nextSteps : ofState} ${drawing(state)} ${today(dashboard.usage)}
    ${isPrimaryNext ? ofState : nextSteps} ${whatLeaves(prompts, dashboard)}
    <details class="more" .open=${dashboard.view.details} @toggle=${toggle}>
      <summary>Details and Models</summary>
      ${details(connection)}
    </details>`;
}

function drawing(state: DashboardState): TemplateResult {
  const path = pathOf(state);
  const [from, proxy, to] = path.stops.map(stop);
  const [first, second] = path.legs.map((leg) => html`<span class="leg">${prose(leg)}</span>`);
  return html`<div class="path" role="img" aria-label="The path of a prompt. ${visibleText(describePath(path))}">
    ${from}${first}${proxy}${second}${to}
  </div>`;
}

function stop({ title, detail, tone }: Stop): TemplateResult {
  return html`<span class="stop tone-${tone}"
    >${icon(tone)}<strong>${prose(title)}</strong>${detail === '' ? nothing : html`<span class="sub">${address(detail)}</span>`}</span
  >`;
}

/** A line may end before the port of an address, but not in it. */
function address(text: string): TemplateResult {
  const [, host, port] = /^(.+)(:\d+(?:\/v1)?)$/.exec(text) ?? [];
  if (host === undefined || port === undefined) return prose(text);
  return html`${prose(host)}<wbr /><span class="port">${port}</span>`;
}

function today(usage: UsageView | undefined): TemplateResult | typeof nothing {
  if (usage === undefined || !usage.recording) return nothing;
  return html`<h2>Today</h2>
    ${figures(figuresOf(usage.today))}`;
}

/** While nothing reaches the backend, the state itself says all. */
function whatLeaves(prompts: PromptsSection, dashboard: Dashboard): TemplateResult | typeof nothing {
  if (prompts.reach.kind !== 'enclave' && prompts.reach.kind !== 'development') return nothing;
  return html`<h2>Where Prompts Go</h2>
    ${banner(summaryOf(prompts), verdictList(prompts))}
    <div class="buttons">
      <vscode-button
        secondary
        @click=${() => {
          dashboard.change({ section: 'prompts' });
          document.getElementById('tab-prompts')?.focus(); // this button goes
        }}
        >Show Where Prompts Go</vscode-button
      >
    </div>`;
}

/** What few need: the facts about the connection, and the models. */
function details(section: ConnectionSection): TemplateResult {
  return html`${facts(section.facts)}
    <h2>Models</h2>
    ${section.chatModels.length + section.otherModels.length === 0 ? empty('Models appear here once Sealed Proxy is connected to the backend.') : models(section)}`;
}

function models({ chatModels, otherModels }: ConnectionSection): TemplateResult {
  return html`<div class="scroller models" id="models" tabindex="0" role="region" aria-label="Models">
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
