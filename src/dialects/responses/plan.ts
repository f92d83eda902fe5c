// What the reply to a request of the Responses API must know of the request.
import type { Response } from 'openai/resources/responses/responses';
import type { ReplyPlan } from '../dialect.ts';

/** A tool as the client knows it. */
export interface ClientTool {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  /** The name of the namespace that it is in. */
  readonly namespace?: string;
}

/** The fields of a response that repeat those of the request. */
export type RequestEcho = Pick<
  Response,
  | 'instructions'
  | 'max_output_tokens'
  | 'metadata'
  | 'parallel_tool_calls'
  | 'reasoning'
  | 'temperature'
  | 'text'
  | 'tool_choice'
  | 'tools'
  | 'top_p'
>;

export interface ResponsesPlan extends ReplyPlan {
  readonly echo: RequestEcho;
  /** The client's tools by the names of the functions that the model calls. */
  readonly tools: Readonly<Record<string, ClientTool>>;
  /** Whether the client asked for summaries of the reasoning: it gets the reasoning as one. */
  readonly summarizes: boolean;
}
