// Judges the assistants again when something changes, and tells which ones are no longer sealed.
import type { AssistantState } from './assistantService.ts';
import { FileWatcher } from './fileWatcher.ts';

export interface FollowerHost {
  /** Judges all assistants. */
  readonly list: () => Promise<readonly AssistantState[]>;
  /** The IDs of the assistants that were sealed last, also in an earlier window. */
  readonly remembered: () => readonly string[];
  readonly remember: (ids: readonly string[]) => void;
  /** All prompts of this assistant were sealed, and are not any more. */
  readonly onUnsealed: (state: AssistantState) => void;
  readonly onFailure: (error: unknown) => void;
}

export class JudgementFollower {
  readonly #host: FollowerHost;
  readonly #watcher: FileWatcher;
  #looking: Promise<void> = Promise.resolve();
  #waiting = false;

  constructor(host: FollowerHost, settled?: number) {
    this.#host = host;
    this.#watcher = new FileWatcher(() => {
      this.look();
    }, settled);
  }

  /** Something that decides where prompts go may have changed. */
  look(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    this.#looking = this.#looking
      .then(() => {
        this.#waiting = false;
        return this.#look();
      })
      .catch(this.#host.onFailure);
  }

  /** Resolves when the last look is done. */
  settled(): Promise<void> {
    return this.#looking;
  }

  dispose(): void {
    this.#watcher.dispose();
  }

  async #look(): Promise<void> {
    const states = await this.#host.list();
    if (this.#watcher.watch([...new Set(states.flatMap(({ watched }) => watched))])) this.look();
    this.#compare(states);
  }

  /** What cannot be compared, because the proxy does not run, stays as it was. */
  #compare(states: readonly AssistantState[]): void {
    const before = this.#host.remembered();
    const compared = states.filter(
      ({ configState }) => configState.kind !== 'current' || configState.uncompared !== true,
    );
    const sealed = compared.filter(({ judgement }) => judgement.kind === 'sealed').map(({ assistant }) => assistant.id);
    const known = compared.map(({ assistant }) => assistant.id);
    const after = [...before.filter((id) => !known.includes(id)), ...sealed];
    if (after.toSorted().join() !== before.toSorted().join()) this.#host.remember(after);
    for (const state of compared) {
      const isLost = before.includes(state.assistant.id) && state.judgement.kind !== 'sealed';
      if (isLost && state.configState.kind === 'current') this.#host.onUnsealed(state);
    }
  }
}
