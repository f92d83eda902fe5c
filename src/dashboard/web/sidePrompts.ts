import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { NOT_READ } from '../../promptMap/editorSenders.ts';
import { SEALING_ACTIONS } from '../model.ts';
import type { DashboardState, PromptsSection, SidePromptRow, SidePromptsSection } from '../model.ts';
import {
  SEALING_TITLES,
  describeValues,
  mainAction,
  placeAfter,
  placeNow,
  sealingActions,
  summarizeSealing,
} from '../sidePromptsText.ts';
import type { Place } from '../sidePromptsText.ts';
import { actionButton, commandButtons, messageButton } from './buttons.ts';
import type { Dashboard } from './dashboard.ts';
import { NO_VALUE } from './format.ts';
import { banner, empty, facts, icon, prose } from './parts.ts';
import { verdictIcon, wordList } from './prompts.ts';
import { shortText } from './text.ts';

export function sidePromptsSection(
  { sidePrompts, prompts }: Pick<DashboardState, 'sidePrompts' | 'prompts'>,
  dashboard: Dashboard,
): TemplateResult {
  if (sidePrompts === null) return empty(NOT_READ);
  const summary = summarizeSealing(sidePrompts, prompts);
  const { remedy } = prompts;
  const main = remedy === null ? mainAction(sidePrompts) : undefined; // one button stands out
  // Each of them writes the same settings.
  const isWriting = SEALING_ACTIONS.some((action) => dashboard.isBusy({ type: 'sealing', action }));
  return html`${banner(summary, wordList(summary.lines))}
    ${remedy === null ? nothing : commandButtons([remedy], remedy, dashboard)}
    <div class="buttons">
      ${repeat(
        sealingActions(sidePrompts),
        (action) => action, // the focus must not stay on a button that has become another one
        (action) =>
          actionButton(
            { title: SEALING_TITLES[action], isPrimary: action === main },
            { type: 'sealing', action },
            dashboard,
            isWriting,
          ),
      )}
    </div>
    <p>Side prompts are what VS Code sends to a model by itself, beside what you ask.</p>
    ${table(sidePrompts, prompts, dashboard)}`;
}

/** Its rows are grids in a narrow tab: only with their roles they stay rows for a screen reader. */
function table(section: SidePromptsSection, prompts: PromptsSection, dashboard: Dashboard): TemplateResult {
  return html`<table class="side-prompts" role="table">
    <caption class="visually-hidden">
      Side prompts of VS Code, where they go now, and where they go after sealing
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">Prompt</th>
        <th role="columnheader" scope="col">Goes to now</th>
        <th role="columnheader" scope="col">After sealing</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${section.rows.map((row) => line(row, section, prompts, dashboard))}
    </tbody>
  </table>`;
}

function line(
  row: SidePromptRow,
  section: SidePromptsSection,
  { reach }: PromptsSection,
  dashboard: Dashboard,
): TemplateResult {
  const { title, now } = row;
  const after = placeAfter(row, reach);
  return html`<tr role="row">
    <th role="rowheader" scope="row" aria-label=${shortText(title)}>${details(row, section, dashboard)}</th>
    <td role="cell">${label('Now')}${place(placeNow(now, reach))}</td>
    <td role="cell">${label('After sealing')}${after === undefined ? NO_VALUE : place(after)}</td>
  </tr>`;
}

function details(
  { title, reason, settings }: SidePromptRow,
  section: SidePromptsSection,
  dashboard: Dashboard,
): TemplateResult {
  const values = settings.map((setting) => ({ name: setting.key, value: describeValues(setting, section) }));
  const open = { title: 'Open Settings', label: `Open Settings (${shortText(title)})` };
  return html`<details>
    <summary>${prose(title)}</summary>
    <p class="sub">${prose(reason)}</p>
    ${facts(values)}
    ${settings.length === 0 ? '' : messageButton(open, { type: 'sidePromptSettings', title }, dashboard)}
  </details>`;
}

/** The heading of a column, for the eyes: in a narrow tab, the columns have none. */
function label(text: string): TemplateResult {
  return html`<span class="place-label" aria-hidden="true">${text}</span>`;
}

function place({ kind, text }: Place): TemplateResult {
  return html`<span class="place place-${kind}"
    >${kind === 'ifSignedIn' ? icon('warning') : verdictIcon(kind)}${prose(text)}</span
  >`;
}
