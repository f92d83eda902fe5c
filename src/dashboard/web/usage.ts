import { html, nothing, render } from 'lit';
import type { TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { ref } from 'lit/directives/ref.js';
import type { Grouping, Range, UsageSeries, UsageView } from '../model.ts';
import { active, hasRequests, seriesOf, total } from './chartData.ts';
import type { ChartSeries } from './chartData.ts';
import type { Dashboard } from './dashboard.ts';
import { NO_VALUE } from './format.ts';
import { empty, formats, icon, name } from './parts.ts';
import type { Chart } from './usageChart.ts';

const RANGE_TITLES: Readonly<Record<Range, string>> = { day: '48 hours', week: '7 days', quarter: '90 days' };
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
    ${view === undefined ? empty('Loading…') : guard([view], () => content(view))}
    <p class="footnote">
      Sealed Proxy records numbers and names by the hour, never prompts or responses. They stay on this computer and are
      deleted after 90 days. Tokens are counted if the response reports them.
    </p>`;
}

function content(view: UsageView): TemplateResult {
  const off = html`<p class="notice">
    ${icon('neutral')}<span
      >Recording is off, so new requests are not added. To record them, turn on the setting
      <code>sealedProxy.usageHistory</code>.</span
    >
  </p>`;
  return html`${view.recording ? nothing : off}
  ${hasRequests(view) ? charts(view) : empty('No requests were recorded in this period.')}`;
}

function charts(view: UsageView): TemplateResult {
  const latency = [
    { name: 'Median', values: view.median },
    { name: '95th percentile', values: view.percentile95 },
  ];
  return html`${totals(view)}
    <div class="charts">
      ${chart('Tokens in', view, seriesOf(view, 'tokensIn'), 'bars')}
      ${chart('Tokens out', view, seriesOf(view, 'tokensOut'), 'bars')}
      ${chart('Requests', view, seriesOf(view, 'requests'), 'bars')}
      ${chart('Time to first byte', view, latency, 'lines')}
    </div>`;
}

function chart(title: string, view: UsageView, series: readonly ChartSeries[], kind: Chart['kind']): TemplateResult {
  const period = view.range === 'quarter' ? 'day' : 'hour';
  const formatTime = view.range === 'quarter' ? formats.date : formats.dateTime;
  const format = kind === 'bars' ? formats.compact : formats.duration;
  const drawn: Chart = { times: view.times, kind, series, format, formatTime };
  const label = `${title} per ${period}, as a chart. The values are in the table below.`;
  return html`<section class="chart">
    <h2>${title} <span class="sub">per ${period}</span></h2>
    ${kind === 'bars' ? nothing : legend(series)}
    <div role="img" aria-label=${label}><usage-chart .chart=${drawn}></usage-chart></div>
    ${valuesTable({ title: `${title} per ${period}`, ...drawn, format: kind === 'bars' ? formats.number : format })}
  </section>`;
}

function legend(series: readonly ChartSeries[]): TemplateResult {
  return html`<div class="legend">
    ${series.map((one, index) => html`<span><span class="swatch line series-${index}"></span>${one.name}</span>`)}
  </div>`;
}

/** The sums of the period, which are also the legend of the charts. */
function totals(view: UsageView): TemplateResult {
  const heading = view.by === 'client' ? 'Client' : 'Model';
  return html`<div class="scroller totals" tabindex="0" role="region" aria-label="Totals">
    <table>
      <caption class="visually-hidden">
        Totals of the period
      </caption>
      <thead>
        <tr>
          <th scope="col">${heading}</th>
          <th scope="col" class="number">Requests</th>
          <th scope="col" class="number">Tokens in</th>
          <th scope="col" class="number">Tokens out</th>
        </tr>
      </thead>
      <tbody>
        ${view.series.map(
          (series, index) =>
            html`<tr>
              <th scope="row"><span class="swatch series-${index}"></span>${name(series.name)}</th>
              <td class="number">${formats.number(total(series.requests))}</td>
              <td class="number">${formats.number(total(series.tokensIn))}</td>
              <td class="number">${formats.number(total(series.tokensOut))}</td>
            </tr>`,
        )}
      </tbody>
      ${view.series.length < 2 ? nothing : sums(view)}
    </table>
  </div>`;
}

function sums({ series }: UsageView): TemplateResult {
  const all = (values: (one: UsageSeries) => readonly number[]): string =>
    formats.number(total(series.flatMap((one) => values(one))));
  return html`<tfoot>
    <tr>
      <th scope="row">Total</th>
      <td class="number">${all((one) => one.requests)}</td>
      <td class="number">${all((one) => one.tokensIn)}</td>
      <td class="number">${all((one) => one.tokensOut)}</td>
    </tr>
  </tfoot>`;
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
    <div class="values scroller" tabindex="0" role="region" aria-label="${values.title}, values"></div>
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
            ${series.map(({ values }) => {
              const value = values[index] ?? null;
              return html`<td class="number">${value === null ? NO_VALUE : format(value)}</td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A few options of which one is selected, side by side. */
function choice<K extends string>(
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
