// Calls of functions, of custom tools, and of the client's search for tools; and searches of the server.
import type {
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseToolSearchCall,
  Tool,
} from 'openai/resources/responses/responses';
import { fieldsOf } from '../../shared/json.ts';
import { parseExactJson } from '../exactJson.ts';
import { parseResponseJson } from '../jsonValues.ts';
import { CustomInput } from './customInput.ts';
import { itemFields } from './events.ts';
import type { ItemStatus, OutputItem, Place } from './events.ts';
import type { ClientTool, DeferredTools } from './plan.ts';

export interface Call extends Place {
  /** The id by which the client will refer to this call. */
  readonly callId: string;
  readonly tool: ClientTool;
}

export interface CallItem extends OutputItem {
  /** More of the JSON of the arguments. */
  add(json: string): string;
}

export function createCallItem(call: Call): CallItem {
  if (call.tool.kind === 'search') return new SearchCall(call);
  return call.tool.kind === 'custom' ? new CustomCall(call) : new FunctionCall(call);
}

class FunctionCall implements CallItem {
  readonly #call: Call;
  #arguments = '';

  constructor(call: Call) {
    this.#call = call;
  }

  item(status: ItemStatus): ResponseFunctionToolCall {
    const { id, callId, tool } = this.#call;
    return { id, type: 'function_call', status, arguments: this.#arguments, call_id: callId, ...nameOf(tool) };
  }

  add(json: string): string {
    this.#arguments += json;
    const fields = itemFields(this.#call);
    return this.#call.events.write({ type: 'response.function_call_arguments.delta', ...fields, delta: json });
  }

  close(): string {
    // a call without arguments: clients parse them
    const rest = this.#arguments === '' ? this.add('{}') : '';
    const fields = { ...itemFields(this.#call), name: this.#call.tool.name, arguments: this.#arguments };
    return rest + this.#call.events.write({ type: 'response.function_call_arguments.done', ...fields });
  }
}

class CustomCall implements CallItem {
  readonly #call: Call;
  readonly #input = new CustomInput();

  constructor(call: Call) {
    this.#call = call;
  }

  item(): ResponseCustomToolCall {
    const { id, callId, tool } = this.#call;
    return { id, type: 'custom_tool_call', call_id: callId, input: this.#input.input, ...nameOf(tool) };
  }

  add(json: string): string {
    return this.#write(this.#input.push(json));
  }

  close(): string {
    const rest = this.#write(this.#input.end());
    const fields = { ...itemFields(this.#call), input: this.#input.input };
    return rest + this.#call.events.write({ type: 'response.custom_tool_call_input.done', ...fields });
  }

  #write(delta: string): string {
    if (delta === '') return '';
    const fields = itemFields(this.#call);
    return this.#call.events.write({ type: 'response.custom_tool_call_input.delta', ...fields, delta });
  }
}

/** The wire has no events for the arguments of a search. */
class SearchCall implements CallItem {
  readonly #call: Call;
  #arguments = '';

  constructor(call: Call) {
    this.#call = call;
  }

  item(status: ItemStatus): ResponseToolSearchCall {
    const { id, callId } = this.#call;
    const found = fieldsOf(parseResponseJson(this.#arguments, parseExactJson));
    return { id, type: 'tool_search_call', status, execution: 'client', call_id: callId, arguments: found };
  }

  add(json: string): string {
    this.#arguments += json;
    return '';
  }

  close(): string {
    return '';
  }
}

function nameOf({ name, namespace }: ClientTool): Pick<ResponseFunctionToolCall, 'name' | 'namespace'> {
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** The fields that both items of a search of the server have: it is complete from the start. */
const SEARCHED = { execution: 'server', call_id: null, status: 'completed' } as const;

/** A search of the server, as clients expect it before the first call of a deferred tool. */
export function searchItem({ name, namespace }: ClientTool): (place: Place) => OutputItem {
  const paths = [namespace ?? name];
  return completeItem((id) => ({ id, type: 'tool_search_call', ...SEARCHED, arguments: { paths } }));
}

/**
 * What the search has loaded.
 * @param definition of the tool, as the client has sent it
 * @param namespaces their descriptions
 */
export function searchOutput(
  { namespace: name }: ClientTool,
  definition: unknown,
  namespaces: DeferredTools['namespaces'],
): (place: Place) => OutputItem {
  const tool =
    name === undefined
      ? definition
      : { type: 'namespace', name, description: namespaces[name] ?? '', tools: [definition] };
  return completeItem((id) => ({ id, type: 'tool_search_output', ...SEARCHED, tools: [tool as Tool] }));
}

function completeItem(create: (id: string) => ResponseOutputItem): (place: Place) => OutputItem {
  return ({ id }) => ({ item: () => create(id), close: () => '' });
}
