// Tools with `defer_loading`: a search loads them before their first call. If the client searches, they are offered once it
// has found them. There is no search of the server here: these tools are offered from the start, and the reply reports that
// they were loaded before their first call, because clients accept no other calls of them.
import { fieldsOf } from '../../shared/json.ts';
import type { DeferredTools } from './plan.ts';
import type { OfferedTool } from './tools.ts';

interface SearchedTools {
  /** The tools that the model may call now. */
  readonly offered: readonly OfferedTool[];
  /** What the reply must report before it calls these tools. */
  readonly deferred: DeferredTools;
}

const NONE: DeferredTools = { tools: {}, namespaces: {} };

/**
 * @param tools the field of the request
 * @param listed what `readTools` has read there
 * @param found the tools that searches have loaded
 */
export function searchTools(
  tools: unknown,
  listed: readonly OfferedTool[],
  found: readonly OfferedTool[],
): SearchedTools {
  const search = (Array.isArray(tools) ? tools.map(fieldsOf) : []).find(({ type }) => type === 'tool_search');
  const deferred = search === undefined ? [] : listed.flatMap((tool) => tool.deferred ?? []);
  if (search === undefined || deferred.length === 0) return { offered: listed, deferred: NONE };
  const searchable = new Map(deferred.map(({ searchedAs, description }) => [searchedAs, description]));
  if (search['execution'] === 'client') {
    const names = new Set(deferred.map(({ alias }) => alias));
    const offered = listed
      .filter(({ chat }) => !names.has(chat.function.name))
      .map((tool) => (tool.client.kind === 'search' ? describe(tool, searchable) : tool));
    return { offered, deferred: NONE };
  }
  const loaded = new Set(found.map(({ chat }) => chat.function.name));
  const definitions = deferred.map(({ alias, definition }) => [alias, loaded.has(alias) ? null : definition] as const);
  return {
    offered: listed,
    deferred: { tools: Object.fromEntries(definitions), namespaces: Object.fromEntries(searchable) },
  };
}

/** The model must know what it can search for. */
function describe(search: OfferedTool, searchable: ReadonlyMap<string, string>): OfferedTool {
  const { description = '' } = search.chat.function;
  const lines = [...searchable].map(([name, text]) => (text === '' ? `- ${name}` : `- ${name}: ${text}`));
  const parts = [description, ['These tools can be loaded:', ...lines].join('\n')];
  const described = { ...search.chat.function, description: parts.filter((part) => part !== '').join('\n\n') };
  return { ...search, chat: { ...search.chat, function: described } };
}
