// A search of the server that loads a tool, as clients expect it before the first call of a deferred tool.
import type { ResponseOutputItem, Tool } from 'openai/resources/responses/responses';
import type { ClientTool, DeferredTools } from '../plan.ts';
import type { OutputItem, Place } from './outputItem.ts';

type CreateItem = (place: Place) => OutputItem;

/**
 * The call of the search and its output, which are complete from the start.
 * @param definition of the tool, as the client has sent it
 * @param namespaces their descriptions
 */
export function searchItems(
  { name, namespace }: ClientTool,
  definition: unknown,
  namespaces: DeferredTools['namespaces'],
): { readonly call: CreateItem; readonly output: CreateItem } {
  const fields = { execution: 'server', call_id: null, status: 'completed' } as const;
  const description = namespace === undefined ? '' : (namespaces[namespace] ?? '');
  const tool =
    namespace === undefined ? definition : { type: 'namespace', name: namespace, description, tools: [definition] };
  const paths = [namespace ?? name];
  return {
    call: completeItem((id) => ({ id, type: 'tool_search_call', ...fields, arguments: { paths } })),
    output: completeItem((id) => ({ id, type: 'tool_search_output', ...fields, tools: [tool as Tool] })),
  };
}

function completeItem(create: (id: string) => ResponseOutputItem): CreateItem {
  return ({ id }) => ({ item: () => create(id), close: () => '' });
}
