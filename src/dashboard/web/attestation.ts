import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type {
  AttestationGroup,
  AttestationSection,
  AttestationStep,
  ChainCertificate,
  DashboardState,
} from '../model.ts';
import { commandButtons, messageButton } from './buttons.ts';
import type { Dashboard } from './dashboard.ts';
import { banner, facts, formats, icon, name, prose } from './parts.ts';
import { visibleText } from './text.ts';

const RESULTS = {
  passed: { word: 'Passed', tone: 'good' },
  failed: { word: 'Failed', tone: 'error' },
  notReached: { word: 'Not reached', tone: 'skipped' },
  notChecked: { word: 'Not checked', tone: 'warning' },
} as const;

const ROLES: Readonly<Record<ChainCertificate['role'], string>> = {
  root: 'Root',
  intermediate: 'Intermediate',
  leaf: 'Leaf',
};

/** How long the button says that it has copied, in milliseconds. */
const CONFIRMED = 2000;

export function attestationSection(
  { attestation: section, prompts }: Pick<DashboardState, 'attestation' | 'prompts'>,
  dashboard: Dashboard,
): TemplateResult {
  const remedy = prompts.remedy === 'showAttestation' ? null : prompts.remedy; // this is it
  return html`${banner(section)} ${remedy === null ? nothing : commandButtons([remedy], remedy, dashboard)}
  ${section.canSaveEvidence ? saveButton(remedy === null, dashboard) : nothing} ${checks(section.groups)}
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

function saveButton(isPrimary: boolean, dashboard: Dashboard): TemplateResult {
  const save = { title: 'Save Evidence…', isPrimary };
  return html`<div class="buttons">${messageButton(save, { type: 'saveEvidence' }, dashboard)}</div>`;
}

function checks(groups: readonly AttestationGroup[]): TemplateResult | typeof nothing {
  if (groups.length === 0) return nothing;
  if (groups.some(({ result }) => result !== 'notChecked')) return html`<div class="groups">${groups.map(group)}</div>`;
  const steps = groups.flatMap((each) => each.steps);
  return html`<details class="not-run">
    <summary>None of the ${steps.length} checks counts as passed</summary>
    ${list(steps)}
  </details>`;
}

/** Opened by itself only where a check failed. */
function group({ question, result, verdict, reason, steps }: AttestationGroup): TemplateResult {
  const { tone } = RESULTS[result];
  return html`<details class="group tone-${tone}" ?open=${result === 'failed'}>
    <summary>
      ${icon(tone)}
      <span class="group-head"
        ><h2>${question}</h2>
        <span class="verdict">${prose(verdict)}</span></span
      >
    </summary>
    ${reason === '' ? nothing : html`<p class="reason">${prose(reason)}</p>`} ${list(steps)}
  </details>`;
}

function list(steps: readonly AttestationStep[]): TemplateResult {
  return html`<ol class="steps">
    ${steps.map(step)}
  </ol>`;
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

/** From the root to the leaf. */
function certificateChain(chain: readonly ChainCertificate[], now: number): TemplateResult {
  return html`<ol class="chain">
    ${chain.map((certificate) => link(certificate, now))}
  </ol>`;
}

function link(certificate: ChainCertificate, now: number): TemplateResult {
  const { role, name: commonName, subject, validFrom, validTo, sha256 } = certificate;
  const [tone, word] = validity(certificate, now);
  const details = [
    { name: 'Subject', value: subject },
    { name: 'SHA-256', value: sha256 },
  ];
  return html`<li class="certificate">
    <div class="certificate-head"><span class="role">${ROLES[role]}</span>${name(commonName)}</div>
    <div class="validity">${icon(tone)}<span>${word}</span></div>
    ${lifetime(certificate, now)}
    <div class="dates">
      <span>${formats.dateTime(validFrom)}</span>
      <span>${formats.dateTime(validTo)}</span>
    </div>
    <details>
      <summary>Details</summary>
      ${facts(details)}
    </details>
  </li>`;
}

function validity({ validFrom, validTo }: ChainCertificate, now: number): readonly ['good' | 'error', string] {
  if (now < validFrom) return ['error', 'Not yet valid'];
  return now > validTo ? ['error', 'Expired'] : ['good', 'Valid now'];
}

/** From the first to the last moment of the certificate, filled up to now. */
function lifetime({ validFrom, validTo }: ChainCertificate, now: number): TemplateResult {
  const elapsed = Math.min(1, Math.max(0, (now - validFrom) / (validTo - validFrom || 1)));
  return html`<svg class="lifetime" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="all" width="100" height="6"></rect>
    <rect class="elapsed" width=${elapsed * 100} height="6"></rect>
  </svg>`;
}

/** A long identifier, complete, with a button that copies it. */
function copyable(label: string, value: string): TemplateResult {
  return html`<div class="copyable">
    <span class="copyable-label">${label}</span>
    <code>${visibleText(value)}</code>
    <vscode-button
      secondary
      aria-label="Copy ${label}"
      @click=${(event: Event) => {
        void copy(value, event.currentTarget);
      }}
      >Copy</vscode-button
    >
  </div>`;
}

async function copy(value: string, button: EventTarget | null): Promise<void> {
  if (!(button instanceof HTMLElement)) return;
  const [succeeded, failed] = ['Copied', 'Select it to copy'];
  const shown = await navigator.clipboard.writeText(value).then(
    () => succeeded,
    () => failed,
  );
  button.textContent = shown;
  setTimeout(() => (button.textContent = 'Copy'), CONFIRMED);
}
