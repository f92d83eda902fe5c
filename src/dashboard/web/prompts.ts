import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { PromptsSection, SenderGroup, SenderRow, SenderVerdict } from '../model.ts';
import { shortText, visibleText } from '../text.ts';
import { buttons } from './connection.ts';
import type { Dashboard } from './dashboard.ts';
import { banner, empty, facts, icon, name, prose } from './parts.ts';
import type { Icon } from './parts.ts';

const ICONS: Readonly<Record<SenderVerdict, Icon>> = {
  elsewhere: 'error',
  partly: 'partly',
  unknown: 'unknown',
  depends: 'neutral',
  development: 'warning',
  blocked: 'warning',
  sealed: 'good',
  off: 'skipped',
};

export function promptsSection(section: PromptsSection, dashboard: Dashboard): TemplateResult {
  return html`${banner(section.tone, section.headline, section.detail, verdictLines(section))}
    ${buttons(section.buttons, dashboard)} ${counts(section)} ${section.groups.map((each) => group(each, dashboard))}
    <h2>Limits</h2>
    <ul class="limits">
      ${section.limits.map((limit) => html`<li>${prose(limit)}</li>`)}
    </ul>`;
}

function verdictLines({ verdicts }: PromptsSection): TemplateResult | typeof nothing {
  if (verdicts.length === 0) return nothing;
  return html`<ul class="verdicts">
    ${verdicts.map(({ word, names }) => html`<li><strong>${prose(word)}</strong>: ${prose(names)}</li>`)}
  </ul>`;
}

function counts({ counts: list }: PromptsSection): TemplateResult {
  return html`<ul class="counts" aria-label="Number of each verdict">
    ${list.map(
      ({ verdict, word, tone, count }) =>
        html`<li>${icon(ICONS[verdict], tone)}<strong>${count}</strong> ${prose(word)}</li>`,
    )}
  </ul>`;
}

function group({ title, none, rows }: SenderGroup, dashboard: Dashboard): TemplateResult | typeof nothing {
  if (rows.length === 0 && none === '') return nothing;
  return html`<h2>${prose(title)}</h2>
    ${
      rows.length === 0
        ? empty(visibleText(none))
        : html`<ul class="senders">
            ${rows.map((row) => sender(row, dashboard))}
          </ul>`
    }`;
}

function sender(row: SenderRow, dashboard: Dashboard): TemplateResult {
  return html`<li class="sender sender-${row.verdict}">
    <div class="sender-verdict tone-${row.tone}">${icon(ICONS[row.verdict], row.tone)}${prose(row.word)}</div>
    <div class="sender-text">
      <h3>${name(row.name)}</h3>
      <div class="sub">${prose(row.sentence)}</div>
      ${
        row.details.length === 0
          ? nothing
          : html`<details>
              <summary>Details</summary>
              ${facts(row.details)}
            </details>`
      }
    </div>
    ${row.button === '' ? nothing : html`<div class="actions">${remedyButton(row, dashboard)}</div>`}
  </li>`;
}

function remedyButton({ id, name: subject, button }: SenderRow, dashboard: Dashboard): TemplateResult {
  return html`<vscode-button
    secondary
    aria-label="${shortText(button)} (${shortText(subject)})"
    @click=${() => {
      dashboard.send({ type: 'remedy', id });
    }}
    >${shortText(button)}</vscode-button
  >`;
}
