import { CLAUDE_CODE_REQUEST } from '../../support/messagesRequests.ts';
import { requestTarget } from '../requests.ts';

export const target = requestTarget('messages', [
  CLAUDE_CODE_REQUEST,
  { model: 'kimi-k2-6', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
]);
