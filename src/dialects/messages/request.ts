// A request of the Messages API as a request of Chat Completions.
import type { ChatMessage } from '../chatCompletions.ts';
import type { ReplyPlan, RequestContext, TranslatedRequest } from '../dialect.ts';
import { invalidField } from '../dialectError.ts';
import { booleanAt, countAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { findModel } from '../requestModel.ts';
import type { RequestModel } from '../requestModel.ts';
import { estimateTokens } from '../tokenEstimate.ts';
import { joinTexts, textsAt } from './content.ts';
import { readConversation } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import { readFormat, readSampling, readThinking, rejectUnsupported } from './options.ts';
import { readTools } from './tools.ts';

export interface MessagesPlan extends ReplyPlan {
  /** Whether the reply leaves out what the model thinks. */
  readonly hidesThinking: boolean;
  /** The tokens of the prompt, for the beginning of a stream: the backend reports them at its end. */
  readonly inputEstimate: number;
}

/** Claude Code's mark for a context window of a million tokens. */
const WINDOW_MARK = /\[1m\]$/i;
/** A line of Claude Code's that changes with each request: with it, no backend could reuse its work on the same prompt. */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** @throws DialectError that names the field */
export function translateRequest(body: unknown, context: RequestContext): TranslatedRequest<MessagesPlan> {
  const request = objectAt('body', body);
  const name = stringAt('model', request['model']);
  const stream = optional(booleanAt, 'stream', request['stream']) ?? false;
  const model = findModel(name.replace(WINDOW_MARK, ''), context, 'messages');
  rejectUnsupported(request);
  const conversation = readConversation(request['messages'], model.seesImages);
  if (context.countsOnly !== true) checkComplete(request, conversation);
  const thinking = readThinking(request, conversation.effort);
  const fields = {
    messages: [...systemMessages(request['system']), ...conversation.messages],
    ...readTools(request, conversation.toolChanges),
    ...readSampling(request, outputLimit(model)),
    ...readFormat(request),
  };
  return {
    chat: {
      model: model.id,
      ...fields,
      ...(model.reasons && thinking.effort !== undefined && { reasoning_effort: thinking.effort }),
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
    },
    plan: {
      model: name,
      stream,
      hidesThinking: thinking.isHidden,
      inputEstimate: stream ? estimateTokens(fields, roughly) : 0,
    },
  };
}

/** Takes no time, unlike counting them, which every request would have to wait for. */
function roughly(text: string): number {
  return Math.ceil(text.length / 4);
}

/** A request that only counts tokens may end anywhere, and needs no limit. */
function checkComplete(request: Fields, { problem }: Conversation): void {
  if (problem !== undefined) throw problem;
  if (optional(countAt, 'max_tokens', request['max_tokens']) !== undefined) return;
  throw invalidField('max_tokens', 'is missing. Set the most tokens that the response may have.');
}

/** The most that a response may have: a client that names another model asks for as much as that one can write. */
function outputLimit({ isReplacement, contextWindow }: RequestModel): number {
  return isReplacement && contextWindow !== undefined ? Math.ceil(contextWindow / 4) : Infinity;
}

function systemMessages(value: unknown): ChatMessage[] {
  const texts = (optional(textsAt, 'system', value) ?? []).map((text) => text.replace(BILLING_LINE, ''));
  const content = joinTexts(texts.filter((text) => text !== ''));
  return content === '' ? [] : [{ role: 'system', content }];
}
