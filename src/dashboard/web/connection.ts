import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { CommandButton, ConnectionSection, ModelRow } from '../model.ts';
import type { Dashboard } from './dashboard.ts';
import { banner, empty, facts, formats, name } from './parts.ts';

export function connectionSection(section: ConnectionSection, dashboard: Dashboard): TemplateResult {
  return html`${banner(section.tone, section.headline, section.detail)} ${buttons(section.buttons, dashboard)}
    ${facts(section.facts)}
    <h2>Models</h2>
    ${section.models.length === 0 ? empty('Models appear here once Sealed Proxy is connected to the backend.') : models(section.models)}`;
}

export function buttons(list: readonly CommandButton[], dashboard: Dashboard): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<div class="buttons">
    ${list.map(
      (button, index) =>
        html`<vscode-button
          ?secondary=${index > 0}
          @click=${() => {
            dashboard.send({ type: 'command', name: button.name });
          }}
          >${name(button.title)}</vscode-button
        >`,
    )}
  </div>`;
}

function models(list: readonly ModelRow[]): TemplateResult {
  return html`<div class="scroller models" tabindex="0" role="region" aria-label="Models">
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
        ${list.map(
          (model) =>
            html`<tr>
              <th scope="row">
                ${name(model.name)}${model.id === model.name ? nothing : html`<div class="sub">${name(model.id)}</div>`}
              </th>
              <td class="number">${formats.number(model.contextWindow)}</td>
              <td class="number">${formats.number(model.maxOutput)}</td>
              <td>
                <div class="badges">
                  ${model.capabilities.map((capability) => html`<vscode-badge>${name(capability)}</vscode-badge>`)}
                </div>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
