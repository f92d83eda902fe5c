import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Range, UsageSeries, UsageView } from '../model.ts';
import type { Dashboard } from './dashboard.ts';
import { empty, formats, name } from './parts.ts';

const RANGE_TITLES: Readonly<Record<Range, string>> = { day: '48 hours', week: '7 days', quarter: '90 days' };

export function usageSection(dashboard: Dashboard): TemplateResult {
  const { range, by } = dashboard.view;
  const view = dashboard.usage?.range === range && dashboard.usage.by === by ? dashboard.usage : undefined;
  return html`<div class="toolbar">
      ${Object.entries(RANGE_TITLES).map(
        ([key, title]) =>
          html`<vscode-button
            ?secondary=${key !== range}
            @click=${() => {
              dashboard.change({ range: key as Range });
            }}
            >${title}</vscode-button
          >`,
      )}
    </div>
    ${view === undefined ? empty('Loading…') : totals(view)}`;
}

function totals(view: UsageView): TemplateResult {
  return html`<table>
    <caption>
      Totals
    </caption>
    <tbody>
      ${view.series.map(
        (series: UsageSeries) =>
          html`<tr>
            <th scope="row">${name(series.name)}</th>
            <td>${formats.number(sum(series.requests))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
