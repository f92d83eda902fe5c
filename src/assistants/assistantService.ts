// Connects assistants to the proxy: plans and makes changes, gives each assistant an access key, undoes and repairs. What the
// user is shown and asked is in connectAssistant.ts.
import { homedir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { AccessKey } from '../keys/accessKeys.ts';
import type { Secrets } from '../keys/secrets.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Assistant, AssistantEndpoint, ConfigState, ModelChoice, Places } from './adapters/assistant.ts';
import { noModel } from './adapters/configState.ts';
import { AssistantKeys } from './assistantKeys.ts';
import { AssistantChecks } from './checks.ts';
import { refused } from './files/change.ts';
import type { Applied, Change, Preview, Refused, Unchanged, Undone } from './files/change.ts';
import { hasCommand } from './files/commandSearch.ts';
import { changedSincePreview } from './files/configFile.ts';
import { judge } from './judge.ts';
import type { Judgement } from './judging/judgement.ts';
import { ownSurroundings } from './judging/surroundings.ts';
import type { Surroundings } from './judging/surroundings.ts';
import { Leave } from './leave.ts';
import type { Shell } from './shell.ts';
import type { Snippet } from './snippets.ts';
import { UndoStore, mergeChanges, undoEntries } from './undoStore.ts';

export interface AssistantServiceHost {
  readonly supervisor: Pick<Supervisor, 'withConnection' | 'secretsChanged'>;
  readonly secrets: Secrets;
  readonly assistants: readonly Assistant[];
  /** With `/v1`; undefined while the proxy is not running. */
  readonly baseUrl: () => string | undefined;
  /** The backend's models that can chat, as far as they are known. */
  readonly models: () => readonly ModelChoice[];
  /** Whether this editor has the extension with this ID. */
  readonly isInstalled: (extension: string) => boolean;
  /** The user's own folders by default. */
  readonly places?: Places;
  /** PATH; that of this process by default. */
  readonly path?: string;
  /** Those of this process by default. */
  readonly surroundings?: () => Surroundings;
  /** The time limit of a check, in milliseconds. */
  readonly checkLimit?: number;
  /** The configuration of an assistant, or its key, was changed. */
  readonly onChange?: () => void;
}

/** An assistant and its configuration. */
export interface AssistantState {
  readonly assistant: Assistant;
  readonly configState: ConfigState;
  /** Where its prompts go. */
  readonly judgement: Judgement;
  /** The files and folders of which a change may change the judgement. */
  readonly watched: readonly string[];
  /** It seems to be in use on this computer. */
  readonly detected: boolean;
  /** There is a change to undo. */
  readonly undoable: boolean;
}

/** Its configuration has our entry, or has had it, so that there is something to undo. */
export function hasOurEntry({
  configState: { kind },
  undoable,
}: Pick<AssistantState, 'configState' | 'undoable'>): boolean {
  return kind === 'current' || kind === 'outdated' || undoable;
}

export function namesOf(all: readonly { readonly assistant: Assistant }[]): string {
  return all.map(({ assistant }) => assistant.name).join(', ');
}

/** A change for the user to agree to. */
export interface Proposal {
  readonly kind: 'proposal';
  readonly assistant: Assistant;
  readonly preview: Preview;
  readonly endpoint: AssistantEndpoint;
  /** The new key that the preview shows, which is not stored yet; undefined if the assistant keeps its key. */
  readonly draft: AccessKey | undefined;
}

/** The user's own folders. */
function userPlaces(): Places {
  return {
    home: homedir(),
    configHome: process.env['XDG_CONFIG_HOME'],
    claudeHome: process.env['CLAUDE_CONFIG_DIR'],
    codexHome: process.env['CODEX_HOME'],
  };
}

/** The change was undone before, by the user or because everything was removed. */
interface NothingToUndo {
  readonly kind: 'nothing';
}

export class AssistantService {
  readonly checks: AssistantChecks;
  readonly leave: Leave;
  readonly #host: AssistantServiceHost;
  readonly #places: Places;
  readonly #undo: UndoStore;
  readonly #surroundings: () => Surroundings;
  readonly #keys: AssistantKeys;

  constructor(host: AssistantServiceHost) {
    this.#host = host;
    this.#places = host.places ?? userPlaces();
    this.#undo = new UndoStore(undoEntries(host.secrets));
    this.#surroundings = host.surroundings ?? ownSurroundings;
    this.#keys = new AssistantKeys(host.secrets, () => host.supervisor.secretsChanged(false));
    this.leave = new Leave(host.assistants, this.#undo, this.#places, host.secrets);
    this.checks = new AssistantChecks({
      supervisor: host.supervisor,
      keys: this.#keys,
      expected: (assistant) => this.#expected(assistant),
      limit: () => host.checkLimit,
    });
  }

  /** All assistants with their current configuration. */
  async list(): Promise<readonly AssistantState[]> {
    return Promise.all(
      this.#host.assistants.map(async (assistant) => ({
        assistant,
        ...(await this.#judge(assistant)),
        detected: await this.#isFound(assistant),
        undoable: (await this.#undo.get(assistant.id)) !== undefined,
      })),
    );
  }

  async inspect(assistant: Assistant): Promise<ConfigState> {
    return assistant.inspect(await this.#expected(assistant));
  }

  /** Where the prompts of an assistant go, as its files and surroundings are now. */
  async judgementOf(assistant: Assistant): Promise<Judgement> {
    return (await this.#judge(assistant)).judgement;
  }

  /**
   * What would be written. Writes nothing and creates no key.
   * @throws Error while the proxy's address is unknown
   */
  async propose(
    assistant: Assistant,
    model: ModelChoice,
    smallModel?: ModelChoice,
  ): Promise<Proposal | Unchanged | Refused> {
    const known = await this.#reusableKey(assistant);
    const key = known ?? this.#keys.draft(assistant);
    const draft = known === undefined ? key : undefined;
    const endpoint = { ...this.#endpoint(key.key, model), smallModel };
    const plan = await assistant.plan(endpoint);
    return plan.kind === 'change' ? { kind: 'proposal', assistant, preview: plan.preview, endpoint, draft } : plan;
  }

  /** Makes the change that the user has agreed to, with an access key for this assistant; refuses any other change. */
  async apply({ assistant, preview, endpoint, draft }: Proposal): Promise<Applied | Refused> {
    if ((await this.#reusableKey(assistant)) === undefined) await this.#keys.revoke(assistant);
    const key = await this.#keys.ensure(assistant, draft);
    const plan = await assistant.plan({ ...endpoint, key });
    if (plan.kind === 'refused') return plan;
    if (plan.kind === 'unchanged' || !isDeepStrictEqual(plan.preview, preview))
      return changedSincePreview(preview.path);
    return this.#write(assistant, plan);
  }

  /** Undoes all changes to the configuration and revokes the assistant's key. */
  async undo(assistant: Assistant): Promise<Undone | Refused | NothingToUndo> {
    const applied = await this.#undo.get(assistant.id);
    if (applied === undefined) return { kind: 'nothing' };
    const result = await assistant.undo(applied);
    if (result.kind === 'refused') return result;
    await this.#keys.revoke(assistant);
    await this.#undo.delete(assistant.id);
    await this.#host.supervisor.secretsChanged(false);
    this.#host.onChange?.();
    return result;
  }

  /** Revokes the keys of these assistants. Their configuration does not change. */
  async revoke(assistants: readonly Assistant[]): Promise<void> {
    for (const assistant of assistants) await this.#keys.revoke(assistant);
    await this.#host.supervisor.secretsChanged(false);
    this.#host.onChange?.();
  }

  /** Finds the keys of another computer that assistants on this one use: see `AssistantKeys.claim`. */
  async claim(): Promise<void> {
    await this.#keys.claim(this.#host.assistants, this.#places);
  }

  /** The changes that update every assistant with an outdated address or key. */
  async proposeRepairs(states: readonly AssistantState[]): Promise<readonly (Proposal | Refused)[]> {
    const proposals: (Proposal | Refused)[] = [];
    for (const { assistant, configState } of states) {
      if (configState.kind !== 'outdated') continue;
      const model = this.#modelNamed(configState.model);
      const proposal = model === undefined ? refused(noModel(assistant.name)) : await this.propose(assistant, model);
      if (proposal.kind !== 'unchanged') proposals.push(proposal);
    }
    return proposals;
  }

  /**
   * The text to copy, with an access key of its own.
   * @throws Error while the proxy's address is unknown
   */
  async renderSnippet(snippet: Snippet, model: ModelChoice, shell: Shell): Promise<string> {
    return snippet.render(this.#endpoint(await this.#keys.ensure(snippet), model), shell);
  }

  /** Stores the undo entry first: if that fails, nothing is written. */
  async #write(assistant: Assistant, change: Change): Promise<Applied | Refused> {
    const { id } = assistant;
    const earlier = await this.#undo.get(id);
    await this.#undo.set(assistant, mergeChanges(earlier, { ...change, kind: 'applied' }));
    const result = await assistant.apply(change);
    if (result.kind === 'applied') await this.#undo.set(assistant, mergeChanges(earlier, result));
    else if (earlier === undefined) await this.#undo.delete(id);
    else await this.#undo.set(assistant, earlier);
    this.#host.onChange?.();
    return result;
  }

  async #isFound(assistant: Assistant): Promise<boolean> {
    if (this.#isInstalled(assistant) || (await assistant.detect(this.#places))) return true;
    const { path = process.env['PATH'] } = this.#host;
    const places = { home: this.#places.home, path, isWindows: process.platform === 'win32' };
    return assistant.command !== undefined && hasCommand(assistant.command, places);
  }

  #isInstalled({ extension }: Assistant): boolean {
    return extension !== undefined && this.#host.isInstalled(extension);
  }

  /** The assistant's key, unless a new one has to replace it. */
  async #reusableKey(assistant: Assistant): Promise<AccessKey | undefined> {
    const known = await this.#keys.find(assistant);
    return known === undefined || (await this.#isKeyExposed(assistant)) ? undefined : known;
  }

  /** The assistant may have sent its key to another program, which uses the old port now. */
  async #isKeyExposed(assistant: Assistant): Promise<boolean> {
    const state = await this.inspect(assistant);
    return state.kind === 'outdated' && state.baseUrl && !state.key;
  }

  async #judge(assistant: Assistant) {
    const expected = await this.#expected(assistant);
    const configState = await assistant.inspect(expected);
    const { routes, watched } = await assistant.routes(expected, this.#surroundings());
    return { configState, judgement: judge(assistant.name, configState, routes), watched };
  }

  async #expected(assistant: Assistant) {
    const known = await this.#keys.find(assistant);
    return { ...this.#places, baseUrl: this.#host.baseUrl(), key: known?.key };
  }

  #endpoint(key: string, model: ModelChoice): AssistantEndpoint {
    const baseUrl = this.#host.baseUrl();
    if (baseUrl === undefined)
      throw new Error('The proxy is not running, so its address is unknown. Start the proxy, then try again.');
    const { terminal: environment } = this.#surroundings();
    const known = this.#host.models();
    const models = known.length > 0 ? known : [model];
    return { ...this.#places, baseUrl, key, model, models, now: Date.now(), environment };
  }

  #modelNamed(id: string | undefined): ModelChoice | undefined {
    const models = this.#host.models();
    if (id === undefined) return models[0];
    return models.find((model) => model.id === id) ?? { id };
  }
}
