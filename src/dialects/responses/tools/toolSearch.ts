// Tools with `defer_loading`: a search loads them before their first call. If the client searches, they are offered once it
// has found them. There is no search of the server here: these tools are offered from the start, and the reply reports that
// they were loaded before their first call, because clients accept no other calls of them.
import { fieldsOf } from '../../../shared/json.ts';
import type { Fields } from '../../fields.ts';
import type { ClientTool, DeferredTools } from '../plan.ts';
import type { ToolNames } from './toolNames.ts';
import type { OfferedTool } from './tools.ts';

export class ToolSearch {
  readonly #isOfClient: boolean;
  /** The deferred tools by the names of their functions. */
  readonly #deferred = new Map<string, Fields>();
  /** What a search can name: the tools outside namespaces, and the namespaces, with their descriptions. */
  readonly #searchable = new Map<string, string>();
  /** The names of the functions that were loaded. */
  readonly #loaded: ReadonlySet<string>;

  /**
   * @param tools the field of the request, which `readTools` has read
   * @param found the tools that searches have loaded
   */
  constructor(tools: unknown, found: readonly OfferedTool[], names: ToolNames) {
    const list = toolsIn(tools);
    const search = list.find(({ type }) => type === 'tool_search');
    this.#isOfClient = search?.['execution'] === 'client';
    this.#loaded = new Set(found.map(({ chat }) => chat.function.name));
    if (search === undefined) return;
    for (const tool of list) {
      const isNamespace = tool['type'] === 'namespace';
      const deferred = (isNamespace ? toolsIn(tool['tools']) : [tool]).filter(isDeferred);
      const name = String(tool['name']);
      for (const each of deferred) {
        this.#deferred.set(names.aliasOf(clientTool(each, isNamespace ? name : undefined)), each);
      }
      if (deferred.length > 0) this.#searchable.set(name, textOf(tool['description']));
    }
  }

  /** The tools that the model may call now. */
  offer(tools: readonly OfferedTool[]): OfferedTool[] {
    if (!this.#isOfClient || this.#deferred.size === 0) return [...tools];
    return tools
      .filter(({ chat }) => !this.#deferred.has(chat.function.name))
      .map((tool) => (tool.client.kind === 'search' ? this.#describe(tool) : tool));
  }

  /** What the reply must report before it calls these tools. */
  get deferred(): DeferredTools {
    if (this.#isOfClient) return { tools: {}, namespaces: {} };
    const tools = [...this.#deferred].map(([name, tool]): [string, Fields | null] => [
      name,
      this.#loaded.has(name) ? null : tool,
    ]);
    return { tools: Object.fromEntries(tools), namespaces: Object.fromEntries(this.#searchable) };
  }

  /** The model must know what it can search for. */
  #describe(search: OfferedTool): OfferedTool {
    const { description = '' } = search.chat.function;
    const lines = [...this.#searchable].map(([name, text]) => (text === '' ? `- ${name}` : `- ${name}: ${text}`));
    const parts = [description, ['These tools can be loaded:', ...lines].join('\n')];
    const described = { ...search.chat.function, description: parts.filter((part) => part !== '').join('\n\n') };
    return { ...search, chat: { ...search.chat, function: described } };
  }
}

function toolsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map((tool) => fieldsOf(tool)) : [];
}

function isDeferred(tool: Fields): boolean {
  return tool['defer_loading'] === true && (tool['type'] === 'function' || tool['type'] === 'custom');
}

function clientTool({ type, name }: Fields, namespace: string | undefined): ClientTool {
  const kind = type === 'custom' ? 'custom' : 'function';
  return { kind, name: String(name), ...(namespace !== undefined && { namespace }) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
