// What the reply to a request of the Responses API must know of the request.
import type { Response } from 'openai/resources/responses/responses';
import type { ReplyPlan } from '../dialect.ts';

/** A tool as the client knows it. */
export interface ClientTool {
  /** `search`: the client's own search for more tools. */
  readonly kind: 'function' | 'custom' | 'search';
  readonly name: string;
  /** The name of the namespace that it is in. */
  readonly namespace?: string;
}

/** The tools that clients load by a search of the server before they accept calls of them. */
export interface DeferredTools {
  /** By the names of the functions, as the client defines them; null: loaded in an earlier response. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** The descriptions of the namespaces that have such tools. */
  readonly namespaces: Readonly<Record<string, string>>;
}

/** The fields of a response that repeat those of the request, or the API's defaults. */
export type RequestEcho = Required<
  Pick<
    Response,
    | 'instructions'
    | 'max_output_tokens'
    | 'metadata'
    | 'parallel_tool_calls'
    | 'prompt_cache_key'
    | 'reasoning'
    | 'safety_identifier'
    | 'temperature'
    | 'text'
    | 'tool_choice'
    | 'tools'
    | 'top_p'
  >
> & {
  // not in the library's types, but in the schema of Open Responses
  readonly frequency_penalty: number;
  readonly max_tool_calls: number | null;
  readonly presence_penalty: number;
};

export interface ResponsesPlan extends ReplyPlan {
  readonly echo: RequestEcho;
  /** How the client asked for the request to be processed. */
  readonly serviceTier: string | undefined;
  /** The client's tools by the names of the functions that the model calls. */
  readonly tools: Readonly<Record<string, ClientTool>>;
  readonly deferred: DeferredTools;
  /** Whether the client asked for summaries of the reasoning: it gets the reasoning as one. */
  readonly summarizes: boolean;
  /** Whether the client asked for sealed reasoning, which it sends back. */
  readonly sealsReasoning: boolean;
}
