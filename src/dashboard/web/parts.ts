// Small parts that several sections use.
import { html, nothing, svg } from 'lit';
import type { TemplateResult } from 'lit';
import { splitAtSettings } from '../../presentation/text.ts';
import type { Fact, Tone } from '../../presentation/text.ts';
import type { Summary } from '../model.ts';
import { NO_VALUE, formatsFor } from './format.ts';
import { shortText, visibleText } from './text.ts';

export const formats = formatsFor(navigator.language);

export type Icon = Tone | 'skipped' | 'running' | 'waiting' | 'unknown' | 'partly' | 'blocked';

const ICONS: Readonly<Record<Icon, TemplateResult>> = {
  good: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="m5 8.2 2.1 2.1L11 6"></path>`,
  warning: svg`<path d="M8 2 14.5 13.5h-13z"></path><path d="M8 6.5v3.2M8 11.6v.4"></path>`,
  error: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6"></path>`,
  neutral: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="M8 7.5v3.6M8 4.9v.4"></path>`,
  partly: svg`<circle cx="8" cy="8" r="6.5"></circle><path class="dot" d="M8 1.5a6.5 6.5 0 0 1 0 13z"></path>`,
  unknown: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="M6 6.3c.1-1.2.9-1.9 2-1.9s2 .7 2 1.8c0 1.5-2 1.5-2 3.1M8 11.4v.4"></path>`,
  blocked: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="m3.4 12.6 9.2-9.2"></path>`,
  skipped: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="M5.2 8h5.6"></path>`,
  waiting: svg`<circle cx="8" cy="8" r="6.5"></circle><path d="M8 4.4V8l2.4 1.6"></path>`,
  running: svg`<circle cx="8" cy="8" r="6.5"></circle><circle class="dot" cx="8" cy="8" r="2.5"></circle>`,
};

/** Decoration: a word beside it always says the same. */
export function icon(name: Icon, tone: Icon = name): TemplateResult {
  return html`<svg class="icon tone-${tone}" viewBox="0 0 16 16" aria-hidden="true">${ICONS[name]}</svg>`;
}

/** Text from outside in one line, isolated from the text around it; the tooltip has more of it. */
export function name(text: string): TemplateResult {
  const shown = shortText(text);
  return shown === '' ? html`${NO_VALUE}` : html`<bdi class="name" title=${visibleText(text)}>${shown}</bdi>`;
}

/** Text from outside that may take several lines. The settings that it names are buttons, which the app answers. */
export function prose(text: string): TemplateResult {
  const parts = splitAtSettings(visibleText(text));
  return html`<bdi class="prose"
    >${parts.map((part, index) => (index % 2 === 0 ? part : html`<button class="setting" title="Open this setting">${part}</button>`))}</bdi
  >`;
}

export function facts(list: readonly Fact[]): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<dl class="facts">
    ${list.map(
      (fact) =>
        html`<dt>${prose(fact.name)}</dt>
          <dd>${prose(fact.value)}</dd>`,
    )}
  </dl>`;
}

export interface Figure {
  readonly title: string;
  readonly value: string;
  /** Beside the value. */
  readonly tone?: Tone;
}

/** A few numbers with their titles, side by side. */
export function figures(list: readonly Figure[]): TemplateResult {
  return html`<dl class="figures">
    ${list.map(
      ({ title, value, tone }) =>
        html`<div>
          <dt>${title}</dt>
          <dd>${tone === undefined ? nothing : icon(tone)}${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The state of a section: icon, sentence, and what it means. */
export function banner(
  { tone, headline, detail }: Summary,
  more: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  return html`<div class="banner tone-${tone}">
    ${icon(tone)}
    <div>
      <p class="headline">${prose(headline)}</p>
      ${detail === '' ? nothing : html`<p class="detail">${prose(detail)}</p>`} ${more}
    </div>
  </div>`;
}

export function empty(sentence: string): TemplateResult {
  return html`<p class="empty">${sentence}</p>`;
}

/** A few options of which one is selected, side by side. */
export function choice<K extends string>(
  label: string,
  options: Readonly<Record<K, string>>,
  selected: K,
  select: (option: K) => void,
): TemplateResult {
  const entries = Object.entries(options) as [K, string][];
  return html`<fieldset class="choice">
    <legend class="visually-hidden">${label}</legend>
    ${entries.map(
      ([option, title]) =>
        html`<label
          ><input
            type="radio"
            class="visually-hidden"
            name=${label}
            .checked=${option === selected}
            @change=${() => {
              select(option);
            }}
          /><span>${title}</span></label
        >`,
    )}
  </fieldset>`;
}
