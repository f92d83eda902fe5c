import assert from 'node:assert/strict';
import type { Message } from '../../../src/chat/request.ts';
import { ResponseUsage } from '../../../src/chat/responseUsage.ts';
import { countMessageTokens } from '../../../src/chat/tokens.ts';
import { countTokens } from '../../../src/shared/tokens.ts';

const HELLO: Message = { role: 'user', parts: [{ kind: 'text', text: 'Hello, how are you?' }] };
const TOOL = { name: 'read', description: 'Reads a file', schema: undefined };

describe('ResponseUsage', () => {
  it('estimates nothing if the backend has reported the usage', () => {
    const usage = new ResponseUsage({ messages: [HELLO], tools: [] });
    usage.add({ kind: 'text', text: 'Fine.' });
    usage.add({ kind: 'usage', input: 7, output: 0 });
    assert.equal(usage.estimate(), undefined);
  });

  it('estimates the prompt with its tools, and everything in the response', () => {
    const usage = new ResponseUsage({ messages: [HELLO, HELLO], tools: [TOOL] });
    usage.add({ kind: 'thinking', text: 'They are polite. ' });
    usage.add({ kind: 'text', text: 'Let me look.' });
    usage.add({ kind: 'toolCall', id: '1', name: 'read', input: { path: 'notes' } });
    usage.add({ kind: 'cutOff', message: 'It was cut off.' });
    assert.deepEqual(usage.estimate(), {
      kind: 'usage',
      input: 2 * countMessageTokens(HELLO) + countTokens(JSON.stringify([TOOL])),
      output: countTokens('They are polite. Let me look.read{"path":"notes"}'),
    });
  });
});
