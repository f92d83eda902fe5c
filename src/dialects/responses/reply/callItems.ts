// Calls of functions and of custom tools.
import type { ResponseCustomToolCall, ResponseFunctionToolCall } from 'openai/resources/responses/responses';
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
