import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { AttestationSection, AttestationStep } from '../model.ts';
import { certificateChain } from './chain.ts';
import { copyable } from './copyable.ts';
import type { Dashboard } from './dashboard.ts';
import { banner, facts, icon, prose } from './parts.ts';

const RESULTS = {
  passed: { word: 'Passed', tone: 'good' },
  failed: { word: 'Failed', tone: 'error' },
  notReached: { word: 'Not reached', tone: 'skipped' },
  notChecked: { word: 'Not checked', tone: 'warning' },
} as const;

export function attestationSection(section: AttestationSection, dashboard: Dashboard): TemplateResult {
  return html`${banner(section.tone, section.headline, section.detail)}
  ${section.canSaveEvidence ? saveButton(dashboard) : nothing}
  ${
    section.steps.length === 0
      ? nothing
      : html`<h2>Checks</h2>
          <ol class="steps">
            ${section.steps.map(step)}
          </ol>`
  }
  ${
    section.chain.length === 0
      ? nothing
      : html`<h2>Certificate Chain</h2>
          ${certificateChain(section.chain, dashboard.now)}`
  }
  ${section.image === null ? nothing : image(section.image)}
  ${
    section.limits.length === 0
      ? nothing
      : html`<h2>What Is Not Verified</h2>
          <ul class="limits">
            ${section.limits.map((limit) => html`<li>${prose(limit)}</li>`)}
          </ul>`
  }`;
}

function saveButton(dashboard: Dashboard): TemplateResult {
  const save = (): void => {
    dashboard.send({ type: 'saveEvidence' });
  };
  return html`<div class="buttons"><vscode-button @click=${save}>Save Evidence…</vscode-button></div>`;
}

function step({ what, result, found, examined }: AttestationStep): TemplateResult {
  const { word, tone } = RESULTS[result];
  return html`<li class="step">
    ${icon(tone)}
    <div class="step-text">
      <div class="step-what">${prose(what)}</div>
      ${found === '' ? nothing : html`<div class="step-found">${prose(found)}</div>`}
      ${
        examined.length === 0
          ? nothing
          : html`<details>
              <summary>Examined values</summary>
              ${facts(examined)}
            </details>`
      }
    </div>
    <span class="step-result tone-${tone}">${word}</span>
  </li>`;
}

function image({ pcr0, approval }: NonNullable<AttestationSection['image']>): TemplateResult {
  return html`<h2>Enclave Image</h2>
    ${copyable('PCR0', pcr0)}
    <p>${prose(approval)}</p>`;
}
