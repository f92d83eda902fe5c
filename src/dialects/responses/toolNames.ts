// The names under which the client's tools are offered to the model as functions.
import type { ClientTool } from './plan.ts';

const MAX_LENGTH = 64;
/** Names that are equal up to here share one count, because with their numbers they may be equal. In characters. */
const COUNTED_LENGTH = 50;

/** Gives each tool a valid name of a function that no other tool has: its own if possible. */
export class ToolNames {
  readonly #aliases = new Map<string, string>();
  readonly #tools = new Map<string, ClientTool>();
  /** The last number that was added to a name, by the name's beginning. */
  readonly #counts = new Map<string, number>();

  /** The same for the same tool each time. */
  aliasOf(tool: ClientTool): string {
    const key = keyOf(tool);
    const known = this.#aliases.get(key);
    if (known !== undefined) return known;
    const alias = this.#freeName(tool.namespace === undefined ? tool.name : `${tool.namespace}__${tool.name}`);
    this.#aliases.set(key, alias);
    this.#tools.set(alias, tool);
    return alias;
  }

  /** Whether this tool has a name. */
  has(tool: ClientTool): boolean {
    return this.#aliases.has(keyOf(tool));
  }

  /** All tools by their aliases. */
  get tools(): Readonly<Record<string, ClientTool>> {
    return Object.fromEntries(this.#tools);
  }

  #freeName(name: string): string {
    const valid = name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_LENGTH) || '_';
    if (!this.#tools.has(valid)) return valid;
    const counted = valid.slice(0, COUNTED_LENGTH);
    for (let count = (this.#counts.get(counted) ?? 1) + 1; ; count++) {
      const suffix = `_${count}`;
      const candidate = valid.slice(0, MAX_LENGTH - suffix.length) + suffix;
      if (this.#tools.has(candidate)) continue;
      this.#counts.set(counted, count);
      return candidate;
    }
  }
}

function keyOf({ kind, namespace, name }: ClientTool): string {
  return JSON.stringify([kind, namespace, name]);
}
