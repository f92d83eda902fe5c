// Calls of functions, of custom tools, and of the client's search for tools.
import type {
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseToolSearchCall,
} from 'openai/resources/responses/responses';
import { fieldsOf } from '../../../shared/json.ts';
import { parseExactJson } from '../../exactJson.ts';
import type { ClientTool } from '../plan.ts';
import { CustomInput } from './customInput.ts';
import { itemFields } from './outputItem.ts';
import type { ItemStatus, OutputItem, Place } from './outputItem.ts';

export interface CallItem extends OutputItem {
  /** More of the JSON of the arguments. */
  add(json: string): string;
}

/** @param callId the id by which the client will refer to this call */
export function createCallItem(place: Place, callId: string, tool: ClientTool): CallItem {
  if (tool.kind === 'search') return new SearchCall(place, callId);
  return tool.kind === 'custom' ? new CustomCall(place, callId, tool) : new FunctionCall(place, callId, tool);
}

class FunctionCall implements CallItem {
  readonly #place: Place;
  readonly #callId: string;
  readonly #tool: ClientTool;
  #arguments = '';

  constructor(place: Place, callId: string, tool: ClientTool) {
    this.#place = place;
    this.#callId = callId;
    this.#tool = tool;
  }

  item(status: ItemStatus): ResponseFunctionToolCall {
    const { name, namespace } = this.#tool;
    return {
      id: this.#place.id,
      type: 'function_call',
      status,
      arguments: this.#arguments,
      call_id: this.#callId,
      name,
      ...(namespace !== undefined && { namespace }),
    };
  }

  add(json: string): string {
    this.#arguments += json;
    const fields = itemFields(this.#place);
    return this.#place.events.write({ type: 'response.function_call_arguments.delta', ...fields, delta: json });
  }

  close(): string {
    // a call without arguments: clients parse them
    const rest = this.#arguments === '' ? this.add('{}') : '';
    const fields = { ...itemFields(this.#place), name: this.#tool.name, arguments: this.#arguments };
    return rest + this.#place.events.write({ type: 'response.function_call_arguments.done', ...fields });
  }
}

class CustomCall implements CallItem {
  readonly #place: Place;
  readonly #callId: string;
  readonly #tool: ClientTool;
  readonly #input = new CustomInput();

  constructor(place: Place, callId: string, tool: ClientTool) {
    this.#place = place;
    this.#callId = callId;
    this.#tool = tool;
  }

  item(): ResponseCustomToolCall {
    const { name, namespace } = this.#tool;
    return {
      id: this.#place.id,
      type: 'custom_tool_call',
      call_id: this.#callId,
      input: this.#input.input,
      name,
      ...(namespace !== undefined && { namespace }),
    };
  }

  add(json: string): string {
    return this.#write(this.#input.push(json));
  }

  close(): string {
    const rest = this.#write(this.#input.end());
    const fields = { ...itemFields(this.#place), input: this.#input.input };
    return rest + this.#place.events.write({ type: 'response.custom_tool_call_input.done', ...fields });
  }

  #write(delta: string): string {
    if (delta === '') return '';
    const fields = itemFields(this.#place);
    return this.#place.events.write({ type: 'response.custom_tool_call_input.delta', ...fields, delta });
  }
}

/** The wire has no events for the arguments of a search. */
class SearchCall implements CallItem {
  readonly #place: Place;
  readonly #callId: string;
  #arguments = '';

  constructor(place: Place, callId: string) {
    this.#place = place;
    this.#callId = callId;
  }

  item(status: ItemStatus): ResponseToolSearchCall {
    return {
      id: this.#place.id,
      type: 'tool_search_call',
      status,
      execution: 'client',
      call_id: this.#callId,
      arguments: fieldsOf(parseExactJson(this.#arguments)),
    };
  }

  add(json: string): string {
    this.#arguments += json;
    return '';
  }

  close(): string {
    return '';
  }
}
