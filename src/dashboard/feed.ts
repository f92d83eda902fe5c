// What the dashboard shows, kept current while it is visible: the state at each change, requests and clients by polling.
import { setTimeout } from 'node:timers/promises';
import type { ConfigState } from '../assistants/adapters/assistant.ts';
import type { AssistantService, AssistantState } from '../assistants/assistantService.ts';
import type { AccessKey } from '../keys/accessKeys.ts';
import type { Secrets } from '../keys/secrets.ts';
import type { PromptMap } from '../promptMap/promptMap.ts';
import type { Settings } from '../settings/editorSettings.ts';
import type { Evidence } from '../shared/evidence.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { DIRECT, UNKNOWN } from '../shared/usage.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { UsageHistory } from '../usageHistory/usageHistory.ts';
import { attestationSection } from './attestation.ts';
import { OWN, clientName, clientRows } from './clients.ts';
import type { ActionResult } from './clients.ts';
import { connectionSection } from './connection.ts';
import type { ToDashboard } from './messages.ts';
import type { DashboardState, Grouping, Range, SidePromptsSection } from './model.ts';
import { OfferedModels } from './offeredModels.ts';
import { startOf, usageView } from './usage.ts';

/** In milliseconds: how often requests are read while some run, and while none does; the other two lists. */
const WHILE_RUNNING = 1000;
const WHILE_IDLE = 2000;
const CLIENTS = 5000;
const USAGE = 30_000;

export interface FeedContext {
  readonly supervisor: Pick<Supervisor, 'status' | 'withConnection'>;
  readonly secrets: Pick<Secrets, 'accessKeys'>;
  readonly assistants: Pick<AssistantService, 'list'>;
  readonly promptSources: {
    /** The extension does not run on the computer in front of the user. */
    readonly isRemote: boolean;
    findPrograms(): Promise<void>;
    map(assistants: readonly AssistantState[], keys: readonly AccessKey[]): PromptMap;
  };
  readonly sealing: {
    /** Null before the editor was read for the first time. */
    section(): Promise<SidePromptsSection | null>;
  };
  readonly usageHistory: Pick<UsageHistory, 'read'>;
  readonly settings: () => Pick<Settings, 'modelOverrides' | 'usageHistory'>;
  readonly log: { readonly channel: { error(message: string): void } };
}

export class DashboardFeed {
  readonly #context: FeedContext;
  readonly #post: (message: ToDashboard) => void;
  /** Aborts when the dashboard is no longer visible; undefined while it is not. */
  #visible: AbortController | undefined;
  /** Resolves once the clients were read: the other lists need their names. */
  #clientsRead: Promise<void> = Promise.resolve();
  readonly #offered = new OfferedModels();
  #keys: readonly AccessKey[] = [];
  #assistants: readonly AssistantState[] = [];
  #sidePrompts: SidePromptsSection | null = null;
  /** The names of keys that may be revoked by now, by caller. */
  readonly #names = new Map<string, string>();
  /** Of the last actions, by the assistant's id, with what its configuration was then. */
  readonly #results = new Map<string, ActionResult & { readonly of?: ConfigState['kind'] }>();
  #clientReadings = 0;
  #evidence: Evidence | null = null;
  /** What the evidence was last requested for. */
  #evidenceOf = '';
  /** The process that the rows are of, and how far they were read. */
  #instance = '';
  #cursor = 0;
  /** Requests have ended that the usage may not have yet. */
  #isUsageBehind = false;
  #query: { readonly range: Range; readonly by: Grouping } = { range: 'day', by: 'client' };

  constructor(context: FeedContext, post: (message: ToDashboard) => void) {
    this.#context = context;
    this.#post = post;
  }

  /** The web view is visible and knows nothing. */
  start(): void {
    this.stop();
    this.#visible = new AbortController();
    const { signal } = this.#visible;
    this.#evidenceOf = '';
    this.#forgetRequests();
    this.statusChanged();
    this.#clientsRead = this.clientsChanged();
    void this.#follow(signal);
  }

  /** The web view is hidden or closed. */
  stop(): void {
    this.#visible?.abort();
    this.#visible = undefined;
  }

  statusChanged(): void {
    const { status } = this.#context.supervisor;
    this.#offered.update(status);
    if (this.#visible === undefined) return;
    if (status.kind !== 'running') this.#forgetRequests();
    this.#postState();
    const about = attestationOf(status);
    if (about === this.#evidenceOf) return;
    this.#evidenceOf = about;
    void this.#readEvidence(status, about);
  }

  /** Access keys, assistants or side prompts may have changed. The web view gets a state even if nothing has. */
  async clientsChanged(): Promise<void> {
    if (this.#visible !== undefined) await this.#readClients().catch(this.#logFailure);
  }

  /** Shows the result of an action in the row of an assistant. */
  async note(assistant: string, result: ActionResult): Promise<void> {
    this.#results.set(assistant, result);
    await this.clientsChanged();
  }

  /** The user has chosen this view of the usage. */
  async showUsage(range: Range, by: Grouping): Promise<void> {
    this.#query = { range, by };
    await this.usageChanged();
  }

  async usageChanged(): Promise<void> {
    if (this.#visible !== undefined) await this.#readUsage();
  }

  get canSaveEvidence(): boolean {
    return this.#state().attestation.canSaveEvidence;
  }

  /** Where prompts go, as the dashboard shows it. */
  promptMap(): PromptMap {
    return this.#context.promptSources.map(this.#assistants, this.#keys);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    await this.#clientsRead;
    void this.#repeat(signal, 0, async () => ((await this.#readRequests(signal)) ? WHILE_RUNNING : WHILE_IDLE));
    // The web view asks for the usage itself when it is loaded.
    void this.#repeat(signal, USAGE, () => this.#readUsage().then(() => USAGE));
    void this.#repeat(signal, CLIENTS, () => this.#readClients().then(() => CLIENTS));
  }

  /**
   * @param first the pause before the first time, in milliseconds
   * @param work resolves to the next pause
   */
  async #repeat(signal: AbortSignal, first: number, work: () => Promise<number>): Promise<void> {
    for (let pause = first; ;) {
      await setTimeout(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pause = await work().catch((error: unknown) => {
        this.#logFailure(error);
        return Math.max(pause, WHILE_IDLE); // the first pause may be none
      });
    }
  }

  #state(): DashboardState {
    const { supervisor, settings, promptSources } = this.#context;
    const { status } = supervisor;
    return {
      connection: connectionSection(status, settings().modelOverrides),
      offeredModels: this.#offered.ids,
      prompts: { ...this.promptMap(), isRemote: promptSources.isRemote },
      sidePrompts: this.#sidePrompts,
      attestation: attestationSection(status, this.#evidence),
      clients: clientRows(this.#keys, this.#assistants, this.#results),
    };
  }

  #postState(): void {
    this.#post({ type: 'state', state: this.#state() });
  }

  /** One that was begun before another one is discarded: what it has found may be older. */
  async #readClients(): Promise<void> {
    const { secrets, assistants, promptSources, sealing } = this.#context;
    const reading = ++this.#clientReadings;
    const found = await Promise.all([
      secrets.accessKeys(),
      assistants.list(),
      sealing.section(),
      promptSources.findPrograms(),
    ]);
    if (reading !== this.#clientReadings) return;
    [this.#keys, this.#assistants, this.#sidePrompts] = found;
    for (const { id, name } of this.#keys) this.#names.set(id, name);
    this.#forgetResults();
    this.#postState();
  }

  /** A result is over when the configuration is not what it was any more: revoked, undone or connected again. */
  #forgetResults(): void {
    for (const { assistant, configState } of this.#assistants) {
      const result = this.#results.get(assistant.id);
      if (result === undefined) continue;
      if (result.of === undefined) this.#results.set(assistant.id, { ...result, of: configState.kind });
      else if (result.of !== configState.kind) this.#results.delete(assistant.id);
    }
  }

  /** @param about the evidence is of no use once the status tells of another handshake */
  async #readEvidence(status: ProxyStatus, about: string): Promise<void> {
    const evidence = await this.#requestEvidence(status);
    if (about !== this.#evidenceOf) return;
    this.#evidence = evidence;
    this.#postState();
  }

  async #requestEvidence(status: ProxyStatus): Promise<Evidence | null> {
    if (status.kind !== 'running') return null;
    try {
      return await this.#context.supervisor.withConnection((proxy) => proxy.evidence());
    } catch (error) {
      this.#logFailure(error);
      this.#evidenceOf = ''; // the next status asks again
      return null;
    }
  }

  /** Sends what is new. True if requests are running. */
  async #readRequests(signal: AbortSignal): Promise<boolean> {
    const { supervisor } = this.#context;
    const isRunning = () => supervisor.status.kind === 'running';
    if (!isRunning()) return false;
    if (this.#isUsageBehind) await this.#readUsage();
    // The proxy may be restarting, or be of a version that does not report its requests.
    const report = await supervisor.withConnection((proxy) => proxy.activity(this.#cursor)).catch(() => undefined);
    if (report === undefined || signal.aborted || !isRunning()) return false;
    const isOther = report.instance !== this.#instance;
    if (isOther && this.#cursor !== 0) {
      this.#forgetRequests(); // the cursor was of another process
      return this.#readRequests(signal);
    }
    this.#instance = report.instance;
    this.#cursor = report.cursor;
    // Until the next report, they are added to the usage (proxy/usage/usageCollector.ts).
    this.#isUsageBehind ||= report.finished.some(({ method }) => method !== 'GET');
    const records = [...report.finished, ...report.running];
    if (records.some(({ caller }) => this.#isNew(caller))) await this.#readClients();
    if (isOther || records.length > 0) {
      const requests = records.map((record) => ({
        ...record,
        // A new API key is tested as a client would use it.
        client: record.isCheck && record.caller === DIRECT ? OWN : this.#nameOf(record.caller),
      }));
      this.#post({ type: 'requests', reset: isOther, requests });
    }
    return report.running.length > 0;
  }

  /** Whether this may be a key that another window has created a moment ago. */
  #isNew(caller: string): boolean {
    return caller !== DIRECT && caller !== UNKNOWN && !this.#names.has(caller);
  }

  #forgetRequests(): void {
    this.#instance = '';
    this.#cursor = 0;
    this.#post({ type: 'requests', reset: true, requests: [] });
  }

  readonly #nameOf = (caller: string) => clientName(caller, this.#keys, this.#names.get(caller));

  async #readUsage(): Promise<void> {
    await this.#clientsRead;
    this.#isUsageBehind = false;
    const { usageHistory, settings } = this.#context;
    const { range, by } = this.#query;
    const now = Date.now();
    const sums = await usageHistory.read(startOf(range, now));
    for (const { caller, name } of sums) if (name !== '') this.#names.set(caller, name);
    if (this.#query.range !== range || this.#query.by !== by) return; // the user has chosen another view
    const view = usageView(sums, { range, by, recording: settings().usageHistory, now, nameOf: this.#nameOf });
    this.#post({ type: 'usage', view });
  }

  readonly #logFailure = (error: unknown) => {
    this.#context.log.channel.error(`The dashboard could not be updated: ${String(error)}`);
  };
}

/** What identifies the handshake of which a status tells. */
function attestationOf(status: ProxyStatus): string {
  if (status.kind !== 'running') return status.kind;
  const { port, version, verified, establishedAt, newImage, health } = status;
  const failedAt = health.kind === 'unreachable' ? health.failure?.at : undefined;
  return JSON.stringify([port, version, verified, establishedAt, newImage?.pcr0, failedAt]);
}
