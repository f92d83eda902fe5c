// What the reply to a request of the Responses API must know of the request.
import type { ReplyPlan } from '../dialect.ts';
import type { RequestEcho } from './options.ts';

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

export interface ResponsesPlan extends ReplyPlan {
  readonly echo: RequestEcho;
  /** The client's tools by the names of the functions that the model calls. */
  readonly tools: Readonly<Record<string, ClientTool>>;
  readonly deferred: DeferredTools;
  /** Whether the client asked for summaries of the reasoning: it gets the reasoning as one. */
  readonly summarizes: boolean;
  /** Whether the client asked for sealed reasoning, which it sends back. */
  readonly sealsReasoning: boolean;
}
