// The dashboard's state, and when it is rendered.
import { html, render } from 'lit';
import type { TemplateResult } from 'lit';
import { cache } from 'lit/directives/cache.js';
import type { FromDashboard, ToDashboard } from '../messages.ts';
import type { DashboardState, Section, UsageView } from '../model.ts';
import { summaryOf } from '../promptsText.ts';
import { summarizeSealing } from '../sidePromptsText.ts';
import { attestationSection } from './attestation.ts';
import { clientsSection } from './clients.ts';
import type { Dashboard } from './dashboard.ts';
import type { Host, SavedView } from './host.ts';
import { overviewSection } from './overview.ts';
import { empty } from './parts.ts';
import { promptsSection } from './prompts.ts';
import { RequestList } from './requestList.ts';
import { requestsSection } from './requests.ts';
import { sidePromptsSection } from './sidePrompts.ts';
import { TITLES, tabs } from './tabs.ts';
import { visibleText } from './text.ts';
import { usageSection } from './usage.ts';

/** How often the durations of running requests change, in milliseconds. */
const TICK = 500;
/** How often everything is rendered: ages change, and certificates expire. In milliseconds. */
const REFRESH = 30_000;

export class App implements Dashboard {
  readonly requests = new RequestList();
  readonly #root: HTMLElement;
  readonly #host: Host;
  state: DashboardState | undefined;
  usage: UsageView | undefined;
  view: SavedView;
  now = Date.now();
  /** The actions that have not ended. */
  readonly #busy = new Set<string>();
  #announcement = '';
  #isScheduled = false;

  constructor(root: HTMLElement, host: Host) {
    this.#root = root;
    this.#host = host;
    this.view = host.loadView();
  }

  start(): void {
    this.#render();
    this.#root.addEventListener('click', ({ target }) => {
      if (target instanceof HTMLButtonElement && target.className === 'setting')
        this.send({ type: 'setting', name: target.textContent });
    });
    this.send({ type: 'ready' });
    this.#requestUsage();
    setInterval(() => {
      if (this.view.section === 'requests' && this.requests.hasRunning) this.#schedule();
    }, TICK);
    setInterval(() => {
      this.#schedule();
    }, REFRESH);
  }

  receive(message: ToDashboard): void {
    switch (message.type) {
      case 'state':
        this.#announcement = changes(this.state, message.state);
        this.state = message.state;
        break;
      case 'requests':
        this.requests.update(message.requests, message.reset, Date.now());
        if (this.view.section !== 'requests') return;
        break;
      case 'usage':
        this.usage = message.view;
        break;
      case 'ended':
        this.#busy.delete(messageKey(message.action));
        break;
      case 'show':
        // The focused button would go with its section.
        if (document.activeElement?.closest('#panel > *') != null)
          document.getElementById(`tab-${message.section}`)?.focus();
        this.change({ section: message.section });
        break;
    }
    this.#schedule();
  }

  change(part: Partial<SavedView>): void {
    const { section, range, by } = this.view;
    this.view = { ...this.view, ...part };
    this.#host.saveView(this.view);
    if (range !== this.view.range || by !== this.view.by) this.#requestUsage();
    if (section !== this.view.section) document.getElementById('panel')?.scrollTo(0, 0);
    this.#schedule();
  }

  send(message: FromDashboard): void {
    this.#host.send(message);
  }

  act(message: FromDashboard): void {
    this.#busy.add(messageKey(message));
    this.send(message);
    this.#schedule();
  }

  isBusy(message: FromDashboard): boolean {
    return this.#busy.has(messageKey(message));
  }

  #requestUsage(): void {
    const { range, by } = this.view;
    this.send({ type: 'usageView', range, by });
  }

  /** Renders once a frame at most, and not while the tab is hidden. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#render();
    });
  }

  #render(): void {
    this.now = Date.now();
    const { section } = this.view;
    const select = (selected: Section): void => {
      this.change({ section: selected });
    };
    const page = html`<header>${tabs(section, select)}</header>
      <main>
        <div id="panel" role="tabpanel" aria-labelledby="tab-${section}" tabindex="0">
          <h1>${TITLES[section]}</h1>
          ${cache(this.#section(section))}
        </div>
      </main>
      <div class="visually-hidden" role="status">${visibleText(this.#announcement)}</div>`;
    render(page, this.#root);
  }

  #section(section: Section): TemplateResult {
    if (section === 'requests') return requestsSection(this, this.state?.offeredModels ?? []);
    if (section === 'usage') return usageSection(this);
    if (this.state === undefined) return empty('Loading…');
    if (section === 'overview') return overviewSection(this.state, this);
    if (section === 'prompts') return promptsSection(this.state.prompts, this);
    if (section === 'sidePrompts') return sidePromptsSection(this.state, this);
    if (section === 'attestation') return attestationSection(this.state, this);
    return clientsSection(this.state.clients, this);
  }
}

/** Equal for equal messages. */
function messageKey(message: FromDashboard): string {
  return JSON.stringify(Object.entries(message).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a screen reader says about a new state: sentences that were not there before. */
function changes(before: DashboardState | undefined, after: DashboardState): string {
  if (before === undefined) return '';
  const known = new Set(sentences(before));
  return [...new Set(sentences(after))].filter((sentence) => !known.has(sentence)).join(' ');
}

function sentences({ connection, prompts, sidePrompts, attestation, clients }: DashboardState): string[] {
  return [
    connection.headline,
    summaryOf(prompts).headline,
    sidePrompts === null ? '' : summarizeSealing(sidePrompts, prompts).headline,
    attestation.headline,
    ...clients.map(({ config }) => config?.note ?? ''),
  ].filter(Boolean);
}
