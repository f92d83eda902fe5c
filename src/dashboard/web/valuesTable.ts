// The values of a chart as a table, for those who cannot see it or want the numbers.
import { html, render } from 'lit';
import type { TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { active } from '../chartData.ts';
import { NO_VALUE } from '../format.ts';
import { name } from './parts.ts';
import type { Chart } from './usageChart.ts';

interface Values extends Omit<Chart, 'kind'> {
  readonly title: string;
}

/** Details with the table, which is made when they are opened: it may have thousands of cells. */
export function valuesTable(values: Values): TemplateResult {
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
