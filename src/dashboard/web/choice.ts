// A few options of which one is selected, side by side.
import { html } from 'lit';
import type { TemplateResult } from 'lit';

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
