import { html, nothing, render } from 'lit';
import type { TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { ref } from 'lit/directives/ref.js';
import { plural } from '../../presentation/text.ts';
import { MEASURES, NEXT_STEPS } from '../model.ts';
import type { Grouping, Measure, Range, UsageTotals, UsageView } from '../model.ts';
import { commandButtons } from './buttons.ts';
import { active, seriesOf, total } from './chartData.ts';
import type { ChartSeries } from './chartData.ts';
import type { Dashboard } from './dashboard.ts';
import { NO_VALUE } from './format.ts';
import { choice, empty, figures, formats, icon, name } from './parts.ts';
import type { Figure } from './parts.ts';
import { shortText } from './text.ts';
import type { Chart } from './usageChart.ts';

const RANGE_TITLES: Readonly<Record<Range, string>> = { day: '48 hours', week: '7 days', quarter: '90 days' };
const COLUMNS: Readonly<Record<Measure, string>> = {
  requests: 'Requests',
  errors: 'Failed',
  tokensIn: 'Tokens in',
  tokensOut: 'Tokens out',
};
/** The column's title beside this value. */
function titleBeside(measure: Measure, value: number): string {
  const title = COLUMNS[measure].toLowerCase();
  return value === 1 ? title.replace(/^(request|token)s/, '$1') : title;
}

const GROUPING_TITLES: Readonly<Record<Grouping, string>> = { client: 'By client', model: 'By model' };

export function usageSection(dashboard: Dashboard): TemplateResult {
  const { range, by } = dashboard.view;
  const view = dashboard.usage?.range === range && dashboard.usage.by === by ? dashboard.usage : undefined;
  const erase = (): void => {
    dashboard.send({ type: 'eraseUsage' });
  };
  return html`<div class="toolbar">
      ${choice('Period', RANGE_TITLES, range, (selected) => {
        dashboard.change({ range: selected });
      })}
      ${choice('Grouping', GROUPING_TITLES, by, (selected) => {
        dashboard.change({ by: selected });
      })}
      <vscode-button class="last" secondary @click=${erase}>Erase…</vscode-button>
    </div>
    ${view === undefined ? empty('Loading…') : guard([view], () => content(view, dashboard))}
    <p class="footnote">
      Sealed Proxy records numbers and names by the hour, never prompts or responses. They stay on this computer and are
      deleted after 90 days. Tokens are counted if the response reports them.
    </p>`;
}

function content(view: UsageView, dashboard: Dashboard): TemplateResult {
  return html`${view.recording ? nothing : recordingOff(dashboard)}
  ${view.since === null ? noRequests(view, dashboard) : use(view, view.since)}`;
}

function recordingOff(dashboard: Dashboard): TemplateResult {
  return html`<p class="notice">
      ${icon('neutral')}<span
        >Recording is off, so new requests are not added. To record them, turn on the setting
        <code>sealedProxy.usageHistory</code>.</span
      >
    </p>
    ${commandButtons(['openSettings'], 'openSettings', dashboard)}`;
}

function noRequests({ range, recording }: UsageView, dashboard: Dashboard): TemplateResult {
  const none = `No requests were recorded in the last ${RANGE_TITLES[range]}.`;
  if (!recording) return empty(none);
  const longer = range === 'quarter' ? '' : ' A longer period may have some.';
  return html`${empty(`${none}${longer} New requests appear here within a minute.`)}
  ${commandButtons(NEXT_STEPS, 'openChat', dashboard)}`;
}

function use(view: UsageView, since: number): TemplateResult {
  const { tokensCached } = view.totals;
  const cached = { title: `${plural(tokensCached, 'token')} in from a cache`, value: formats.number(tokensCached) };
  const firstByte = { title: 'to first byte (median)', value: formats.duration(view.firstByte) };
  const latency = [
    { name: 'Median', values: view.median },
    { name: '95th percentile', values: view.percentile95 },
  ];
  return html`<h2>
      Since ${timeFormat(view)(since)} <span class="sub">first request in the last ${RANGE_TITLES[view.range]}</span>
    </h2>
    ${figures([...figuresOf(view.totals), ...(tokensCached === 0 ? [] : [cached]), firstByte])} ${legend(view.series)}
    <div class="charts">
      ${chart('Requests', view, seriesOf(view, 'requests'), 'bars')}
      ${view.totals.errors === 0 ? nothing : chart('Failed requests', view, seriesOf(view, 'errors'), 'bars')}
      ${chart('Tokens in', view, seriesOf(view, 'tokensIn'), 'bars')}
      ${chart('Tokens out', view, seriesOf(view, 'tokensOut'), 'bars')}
      ${chart('Time to first byte', view, latency, 'lines')}
    </div>
    <h2>${GROUPING_TITLES[view.by]}</h2>
    ${totals(view)}`;
}

/** The numbers of a day or a period. */
export function figuresOf(totals: UsageTotals): readonly Figure[] {
  return MEASURES.map((measure) => ({
    title: titleBeside(measure, totals[measure]),
    value: formats.number(totals[measure]),
    ...(measure === 'errors' && totals.errors > 0 && { tone: 'error' as const }),
  }));
}

/** As exact as the bars of the charts. */
function timeFormat({ range }: UsageView): (time: number) => string {
  return range === 'quarter' ? formats.date : formats.dateTime;
}

function chart(title: string, view: UsageView, series: readonly ChartSeries[], kind: Chart['kind']): TemplateResult {
  const period = view.range === 'quarter' ? 'day' : 'hour';
  const format = kind === 'bars' ? formats.compact : formats.duration;
  const drawn: Chart = { times: view.times, kind, series, format, formatTime: timeFormat(view) };
  const label = `${title} per ${period}, as a chart. The values are in the table below.`;
  return html`<section class="chart">
    <h3>${title} <span class="sub">per ${period}</span></h3>
    ${kind === 'bars' ? nothing : legend(series, 'line')}
    <div role="img" aria-label=${label}><usage-chart .chart=${drawn}></usage-chart></div>
    ${valuesTable({ title: `${title} per ${period}`, ...drawn, format: kind === 'bars' ? formats.number : format })}
  </section>`;
}

/** Of the bars of all charts, or of the lines of one. */
function legend(series: readonly { readonly name: string }[], shape = ''): TemplateResult {
  return html`<div class="legend">
    ${series.map(
      (one, index) =>
        html`<span class="key"><span class="swatch ${shape} series-${index}"></span>${name(one.name)}</span>`,
    )}
  </div>`;
}

/** The totals of each client or model. */
function totals({ by, series, totals: all }: UsageView): TemplateResult {
  const cells = (value: (measure: Measure) => number) =>
    MEASURES.map((measure) => cell(titleBeside(measure, value(measure)), formats.number(value(measure))));
  return html`<div class="scroller numbers totals" tabindex="0" role="region" aria-label="Totals">
    <table>
      <caption class="visually-hidden">
        Totals of the period
      </caption>
      <thead>
        <tr>
          <th scope="col">${by === 'client' ? 'Client' : 'Model'}</th>
          ${MEASURES.map((measure) => html`<th scope="col" class="number">${COLUMNS[measure]}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${series.map(
          (one, index) =>
            html`<tr>
              <th scope="row"><span class="swatch series-${index}"></span>${name(one.name)}</th>
              ${cells((measure) => total(one[measure]))}
            </tr>`,
        )}
      </tbody>
      ${
        series.length < 2
          ? nothing
          : html`<tfoot>
              <tr>
                <th scope="row">Total</th>
                ${cells((measure) => all[measure])}
              </tr>
            </tfoot>`
      }
    </table>
  </div>`;
}

/** A narrow tab shows the title of the column after the value. */
function cell(title: string, value: string): TemplateResult {
  return html`<td class="number" data-title=${title}>${value}</td>`;
}

/** The values of a chart as a table, for those who cannot see it or want the numbers. */
interface Values extends Omit<Chart, 'kind'> {
  readonly title: string;
}

/** Details with the table, which is made when they are opened: it may have thousands of cells. */
function valuesTable(values: Values): TemplateResult {
  const update = (element: unknown): void => {
    if (!(element instanceof HTMLDetailsElement)) return;
    const place = element.querySelector<HTMLElement>('.values');
    if (place !== null && element.open) render(table(values), place);
  };
  return html`<details
    class="values-details"
    ${ref(update)}
    @toggle=${(event: Event) => {
      update(event.currentTarget);
    }}
  >
    <summary>Values as a table</summary>
    <div class="values numbers scroller" tabindex="0" role="region" aria-label="${values.title}, values"></div>
  </details>`;
}

function table({ title, times, series, format, formatTime }: Values): TemplateResult {
  return html`<table>
    <caption class="visually-hidden">
      ${title}; times without any value are left out
    </caption>
    <thead>
      <tr>
        <th scope="col">Time</th>
        ${series.map((one) => html`<th scope="col" class="number">${name(one.name)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${active(series, times.length).map(
        (index) =>
          html`<tr>
            <th scope="row">${formatTime(times[index] ?? 0)}</th>
            ${series.map((one) => {
              const value = one.values[index] ?? null;
              return cell(shortText(one.name), value === null ? NO_VALUE : format(value));
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
