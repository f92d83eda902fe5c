// The first section: is everything sealed, what happened today, and what to do next.
import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { DashboardState, PromptsSection, UsageView } from '../model.ts';
import { NEXT_STEPS } from '../model.ts';
import { describePath, pathOf } from '../overviewText.ts';
import type { Stop } from '../overviewText.ts';
import { summaryOf } from '../promptsText.ts';
import { buttons, details } from './connection.ts';
import type { Dashboard } from './dashboard.ts';
import { banner, figures, icon, prose } from './parts.ts';
import { verdictList } from './prompts.ts';
import { visibleText } from './text.ts';
import { figuresOf } from './usage.ts';

export function overviewSection(state: DashboardState, dashboard: Dashboard): TemplateResult {
  const { connection, prompts } = state;
  const { primary } = connection;
  const ofState = buttons(connection.actions, primary, dashboard);
  const nextSteps = buttons(NEXT_STEPS, primary, dashboard);
  const toggle = ({ target }: Event): void => {
    if (target instanceof HTMLDetailsElement) dashboard.change({ details: target.open });
  };
  const isPrimaryNext = NEXT_STEPS.some((step) => step === primary);
  return html`${banner(connection.tone, connection.headline, connection.detail)} ${isPrimaryNext ? nextSteps : ofState}
    ${drawing(state)} ${today(dashboard.usage)} ${isPrimaryNext ? ofState : nextSteps} ${whatLeaves(prompts, dashboard)}
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
    >${icon(tone)}<strong>${prose(title)}</strong>${detail === '' ? nothing : html`<span class="sub">${prose(detail)}</span>`}</span
  >`;
}

function today(usage: UsageView | undefined): TemplateResult | typeof nothing {
  if (usage === undefined || !usage.recording) return nothing;
  return html`<h2>Today</h2>
    ${figures(figuresOf(usage.today))}`;
}

/** While nothing reaches the backend, the state itself says all. */
function whatLeaves(prompts: PromptsSection, dashboard: Dashboard): TemplateResult | typeof nothing {
  if (prompts.reach.kind !== 'enclave' && prompts.reach.kind !== 'development') return nothing;
  const { tone, headline, detail } = summaryOf(prompts);
  return html`<h2>Where Prompts Go</h2>
    ${banner(tone, headline, detail, verdictList(prompts))}
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
