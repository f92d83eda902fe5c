// The dialect of OpenAI's Responses API.
import type { Dialect } from '../dialect.ts';
import { errorBody } from './errors.ts';
import { describeModel, listModels } from './models.ts';
import type { ResponsesPlan } from './plan.ts';
import { ResponsesReply } from './reply.ts';
import { translateRequest } from './request.ts';

export const responses: Dialect<ResponsesPlan> = {
  translateRequest,
  createReply: (plan, identity) => new ResponsesReply(plan, identity),
  tokenCount: (estimate) => JSON.stringify({ object: 'response.input_tokens', input_tokens: estimate }),
  listModels,
  describeModel,
  errorBody,
};
