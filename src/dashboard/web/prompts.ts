import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { VERDICTS, completeVerdictLines, verdictLines } from '../../promptMap/sender.ts';
import type { Sender, SenderVerdict } from '../../promptMap/sender.ts';
import type { PromptsSection } from '../model.ts';
import { GROUPS, activeSenders, buttonOf, limitsOf, summaryOf } from '../promptsText.ts';
import { commandButtons, messageButton } from './buttons.ts';
import type { Dashboard } from './dashboard.ts';
import { banner, empty, facts, icon, name, prose } from './parts.ts';
import type { Icon } from './parts.ts';
import { shortText } from './text.ts';

const ICONS: Readonly<Record<SenderVerdict, Icon>> = {
  elsewhere: 'error',
  partly: 'partly',
  unknown: 'unknown',
  depends: 'neutral',
  development: 'warning',
  blocked: 'blocked',
  sealed: 'good',
  off: 'skipped',
};

/** As many names as fit in a line of the banner. */
const NAMED = 6;

export function promptsSection(section: PromptsSection, dashboard: Dashboard): TemplateResult {
  const { remedy } = section;
  return html`${banner(summaryOf(section), verdictList(section))}
    ${remedy === null ? nothing : commandButtons([remedy], remedy, dashboard)} ${counts(section)}
    ${Object.entries(GROUPS).map(([group, { title, none }]) => {
      const senders = section.senders.filter((each) => each.group === group);
      return groupOf(title, none, senders, dashboard);
    })}
    <h2>Limits</h2>
    <ul class="limits">
      ${limitsOf(section).map((limit) => html`<li>${prose(limit)}</li>`)}
    </ul>`;
}

/** Who is in which state, by name. */
export function verdictList(section: PromptsSection): TemplateResult | typeof nothing {
  return wordList(verdictLines(activeSenders(section), NAMED));
}

/** Lines that begin with a word in bold. */
export function wordList(
  lines: readonly { readonly word: string; readonly names: string }[],
): TemplateResult | typeof nothing {
  if (lines.length === 0) return nothing;
  return html`<ul class="verdicts">
    ${lines.map(({ word, names }) => html`<li><strong>${prose(word)}</strong>: ${prose(names)}</li>`)}
  </ul>`;
}

function counts({ senders }: PromptsSection): TemplateResult {
  return html`<ul class="counts" aria-label="Number of each verdict">
    ${completeVerdictLines(senders).map(
      ({ verdict, word, count }) =>
        html`<li>
          ${icon(ICONS[verdict], count === 0 ? 'neutral' : VERDICTS[verdict].tone)}<strong>${count}</strong>
          ${prose(word)}
        </li>`,
    )}
  </ul>`;
}

export function verdictIcon(verdict: SenderVerdict): TemplateResult {
  return icon(ICONS[verdict], VERDICTS[verdict].tone);
}

function groupOf(
  title: string,
  none: string,
  senders: readonly Sender[],
  dashboard: Dashboard,
): TemplateResult | typeof nothing {
  if (senders.length === 0 && none === '') return nothing;
  return html`<h2>${prose(title)}</h2>
    ${
      senders.length === 0
        ? empty(none)
        : html`<ul class="senders">
            ${senders.map((sender) => row(sender, dashboard))}
          </ul>`
    }`;
}

function row(sender: Sender, dashboard: Dashboard): TemplateResult {
  const { verdict, details } = sender;
  const { word, tone } = VERDICTS[verdict];
  return html`<li class="sender sender-${verdict}">
    <div class="sender-verdict tone-${tone}">${verdictIcon(verdict)}${prose(word)}</div>
    <div class="sender-text">
      <h3>${name(sender.name)}</h3>
      <div class="sub">${prose(sender.sentence)}</div>
      ${
        details.length === 0
          ? nothing
          : html`<details>
              <summary>Details</summary>
              ${facts(details)}
            </details>`
      }
    </div>
    ${remedyButton(sender, dashboard)}
  </li>`;
}

function remedyButton({ id, name: subject, remedy }: Sender, dashboard: Dashboard): TemplateResult | typeof nothing {
  if (remedy === undefined) return nothing;
  const title = buttonOf(remedy);
  const label = `${title} (${shortText(subject)})`;
  return html`<div class="actions">${messageButton({ title, label }, { type: 'remedy', id }, dashboard)}</div>`;
}
