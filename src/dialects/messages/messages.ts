// The Anthropic Messages API (https://platform.claude.com/docs/en/api/messages), which Claude Code and the Anthropic SDKs
// use. docs/dialects.md has the tables of what is translated, left out and rejected.
import type { MessageTokensCount } from '@anthropic-ai/sdk/resources/messages';
import type { Dialect } from '../dialect.ts';
import { errorResponse } from './errors.ts';
import { describeModel, listModels } from './models.ts';
import { createReply } from './reply.ts';
import { translateRequest } from './request.ts';
import type { MessagesPlan } from './request.ts';

export const messages: Dialect<MessagesPlan> = {
  translateRequest,
  createReply,
  tokenCount: (estimate) => JSON.stringify({ input_tokens: estimate } satisfies MessageTokensCount),
  listModels,
  describeModel,
  errorBody: (error, requestId) => JSON.stringify(errorResponse(error, requestId)),
};
