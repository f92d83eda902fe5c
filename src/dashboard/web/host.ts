// The editor, as the web view reaches it.
import { RANGES, SECTIONS } from '../model.ts';
import type { FromDashboard, Grouping, Range, Section } from '../model.ts';

/** What survives while the tab is hidden. */
export interface SavedView {
  readonly section: Section;
  /** The client whose requests are shown; undefined for all. */
  readonly client: string | undefined;
  readonly range: Range;
  readonly by: Grouping;
}

interface EditorApi {
  postMessage(message: FromDashboard): void;
  getState(): unknown;
  setState(state: SavedView): void;
}

declare function acquireVsCodeApi(): EditorApi;

const api = acquireVsCodeApi();

export function send(message: FromDashboard): void {
  api.postMessage(message);
}

export function saveView(view: SavedView): void {
  api.setState(view);
}

/** The state that was saved last; the first view without one. */
export function loadView(): SavedView {
  const saved = (api.getState() ?? {}) as Partial<Record<keyof SavedView, unknown>>;
  return {
    section: SECTIONS.find((section) => section === saved.section) ?? 'connection',
    client: typeof saved.client === 'string' ? saved.client : undefined,
    range: RANGES.find((range) => range === saved.range) ?? 'day',
    by: saved.by === 'model' ? 'model' : 'client',
  };
}
