// What a dialect is: an HTTP API that the proxy offers by translating it to Chat Completions. A dialect is pure: a request
// in, a Chat Completions request out; a chunk of the response in, events out. It has no sockets and no clock.
import type { ChatRequest } from './chatCompletions.ts';
import type { ChatDelta, ChatOutcome } from './chatReader.ts';
import type { DialectError } from './dialectError.ts';

export type DialectName = 'messages' | 'responses';

/** What a translation depends on besides the request. */
export interface RequestContext {
  /** The parsed body of the backend's `GET /v1/models`. */
  readonly modelList: unknown;
  /** The model for names that the backend does not offer; undefined: such a request is an error. */
  readonly replacementModel: string | undefined;
  /** True: the response will only be the number of tokens, so the conversation may end anywhere. */
  readonly countsOnly?: boolean;
  /** The text that `ReplyIdentity.seal` has sealed in an earlier reply; undefined for anything else. */
  readonly open?: (sealed: string) => string | undefined;
}

/** What a reply must remember of its request. Plain data, because a large request is translated in another thread. */
export interface ReplyPlan {
  /** The model as the client named it. */
  readonly model: string;
  /** True for an event stream. */
  readonly stream: boolean;
}

export interface TranslatedRequest<Plan extends ReplyPlan = ReplyPlan> {
  /** Always asks for the usage. */
  readonly chat: ChatRequest;
  readonly plan: Plan;
}

/** Identifies one reply; the caller provides it, because a dialect has no clock and no randomness. */
export interface ReplyIdentity {
  /** 32 random hex digits, those of the request. All ids of the reply are derived from it. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Encrypts a text that the client keeps and sends back. */
  readonly seal?: (text: string) => string;
}

/** How the response of the backend ended. */
export interface ReplyOutcome extends ChatOutcome {
  /** Seconds since 1970. */
  readonly completedAt?: number;
}

/**
 * The id by which a user can find a request in the log.
 * @param id 32 random hex digits
 */
export function requestIdOf(id: string): string {
  return `req_${id}`;
}

/**
 * Builds the reply to one request. All methods but `body` return the text of zero or more server-sent events; an empty
 * text is not sent. After `end` or `fail`, no method is called.
 */
export interface Reply {
  /** The backend's response has started. */
  begin(): string;
  /** One chunk of the backend's stream. */
  delta(delta: ChatDelta): string;
  /** For a stream in which nothing was sent for some time. */
  ping(): string;
  /** The response is complete. */
  end(outcome: ReplyOutcome): string;
  /** The response broke off: the last event, which says so. */
  fail(error: DialectError): string;
  /** The JSON body of a complete response that is not streamed: called in place of `end`, after `begin` and all deltas. */
  body(outcome: ReplyOutcome): string;
}

export interface Dialect<Plan extends ReplyPlan = ReplyPlan> {
  /**
   * @param body the parsed JSON body of the client's request
   * @throws DialectError if it cannot be translated; the message names the field
   */
  translateRequest(body: unknown, context: RequestContext): TranslatedRequest<Plan>;
  /** The reply to a translated request with this plan. */
  createReply(plan: Plan, identity: ReplyIdentity): Reply;
  /** The JSON body of the response to a request for a token count. */
  tokenCount(estimate: number): string;
  /** The JSON body of the response to a request for the models. */
  listModels(modelList: unknown): string;
  /**
   * The same for one model.
   * @throws DialectError if the backend does not offer it
   */
  describeModel(modelList: unknown, id: string): string;
  /**
   * The JSON body of an error response.
   * @param requestId see `requestIdOf`
   */
  errorBody(error: DialectError, requestId: string): string;
}
