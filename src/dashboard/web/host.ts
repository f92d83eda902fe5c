// The editor, as the web view reaches it.
import type { FromDashboard } from '../messages.ts';
import { RANGES, SECTIONS } from '../model.ts';
import type { Grouping, Range, Section } from '../model.ts';

/** Which requests are shown. */
export const SHOWN = ['all', 'failed', 'running'] as const;
export type Shown = (typeof SHOWN)[number];

/** What survives while the tab is hidden. */
export interface SavedView {
  readonly section: Section;
  /** The client whose requests are shown; undefined for all. */
  readonly client: string | undefined;
  readonly shown: Shown;
  /** Whether the extension's own checks are among the requests. */
  readonly ownChecks: boolean;
  /** Whether the details and the models of the overview are open. */
  readonly details: boolean;
  readonly range: Range;
  readonly by: Grouping;
}

interface EditorApi {
  postMessage(message: FromDashboard): void;
  getState(): unknown;
  setState(state: SavedView): void;
}

declare function acquireVsCodeApi(): EditorApi;

export class Host {
  /** There is one for each page. */
  readonly #editor = acquireVsCodeApi();

  send(message: FromDashboard): void {
    this.#editor.postMessage(message);
  }

  saveView(view: SavedView): void {
    this.#editor.setState(view);
  }

  /** The state that was saved last; the first view without one. */
  loadView(): SavedView {
    const saved = (this.#editor.getState() ?? {}) as Partial<Record<keyof SavedView, unknown>>;
    return {
      section: SECTIONS.find((section) => section === saved.section) ?? 'overview',
      client: typeof saved.client === 'string' ? saved.client : undefined,
      shown: SHOWN.find((shown) => shown === saved.shown) ?? 'all',
      ownChecks: saved.ownChecks === true,
      details: saved.details === true,
      range: RANGES.find((range) => range === saved.range) ?? 'day',
      by: saved.by === 'model' ? 'model' : 'client',
    };
  }
}
