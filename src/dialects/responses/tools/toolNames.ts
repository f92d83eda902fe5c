// The names under which the client's tools are offered to the model as functions.
import type { ClientTool } from '../plan.ts';

const MAX_LENGTH = 64;

/** Gives each tool a valid name of a function that no other tool has: its own if possible. */
export class ToolNames {
  readonly #aliases = new Map<string, string>();
  readonly #tools = new Map<string, ClientTool>();
  /** How often each name was wanted. */
  readonly #counts = new Map<string, number>();

  /** The same for the same tool each time. */
  aliasOf(tool: ClientTool): string {
    const key = JSON.stringify([tool.kind, tool.namespace, tool.name]);
    const known = this.#aliases.get(key);
    if (known !== undefined) return known;
    const alias = this.#freeName(tool.namespace === undefined ? tool.name : `${tool.namespace}__${tool.name}`);
    this.#aliases.set(key, alias);
    this.#tools.set(alias, tool);
    return alias;
  }

  /** All tools by their aliases. */
  get tools(): Readonly<Record<string, ClientTool>> {
    return Object.fromEntries(this.#tools);
  }

  #freeName(name: string): string {
    const valid = name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_LENGTH) || '_';
    for (let count = (this.#counts.get(valid) ?? 0) + 1; ; count++) {
      const suffix = count === 1 ? '' : `_${count}`;
      const candidate = valid.slice(0, MAX_LENGTH - suffix.length) + suffix;
      if (this.#tools.has(candidate)) continue;
      this.#counts.set(valid, count);
      return candidate;
    }
  }
}
