// A long identifier, complete, with a button that copies it.
import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { visibleText } from '../text.ts';

/** How long the button says that it has copied, in milliseconds. */
const CONFIRMED = 2000;

export function copyable(label: string, value: string): TemplateResult {
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
