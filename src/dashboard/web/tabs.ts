// The sections as tabs, with the keyboard of the ARIA tabs pattern: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { SECTIONS } from '../model.ts';
import type { Section } from '../model.ts';

export const TITLES: Readonly<Record<Section, string>> = {
  overview: 'Overview',
  prompts: 'Where Prompts Go',
  sidePrompts: 'Side Prompts',
  attestation: 'Attestation',
  requests: 'Requests',
  usage: 'Usage over Time',
  clients: 'Clients',
};

export function tabs(selected: Section, select: (section: Section) => void): TemplateResult {
  const onKey = (event: KeyboardEvent): void => {
    const next = neighbour(selected, event.key);
    if (next === undefined) return;
    event.preventDefault();
    select(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label="Sealed Proxy" @keydown=${onKey}>
    ${SECTIONS.map(
      (section) =>
        html`<button
          type="button"
          role="tab"
          id="tab-${section}"
          aria-controls="panel"
          aria-selected=${section === selected}
          tabindex=${section === selected ? 0 : -1}
          @click=${() => {
            select(section);
          }}
        >
          ${TITLES[section]}
        </button>`,
    )}
  </div>`;
}

function neighbour(section: Section, key: string): Section | undefined {
  const at = SECTIONS.indexOf(section);
  if (key === 'ArrowRight') return SECTIONS[(at + 1) % SECTIONS.length];
  if (key === 'ArrowLeft') return SECTIONS.at(at - 1);
  if (key === 'Home') return SECTIONS[0];
  if (key === 'End') return SECTIONS.at(-1);
  return undefined;
}
