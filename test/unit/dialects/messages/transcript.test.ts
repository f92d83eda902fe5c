import assert from 'node:assert/strict';
import type { ChatAssistantMessage } from '../../../../src/dialects/chatCompletions.ts';
import { Transcript } from '../../../../src/dialects/messages/transcript.ts';

const calling = (...ids: readonly string[]): ChatAssistantMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'Read', arguments: '{}' } })),
});

describe('Transcript', () => {
  it('holds messages back until all calls have a result', () => {
    const transcript = new Transcript();
    transcript.addAssistant('messages[0]', calling('a', 'b'));
    transcript.addResult('messages[1].content[0]', 'a', 'A');
    transcript.add({ role: 'user', content: 'One' });
    transcript.addResult('messages[1].content[0]', 'b', 'B');
    transcript.add({ role: 'user', content: 'Two' });
    assert.deepEqual(
      transcript.end().map(({ content }) => content),
      [null, 'A', 'B', 'One', 'Two'],
    );
  });

  it('releases them before the next message of the assistant, and at the end', () => {
    const transcript = new Transcript();
    transcript.addAssistant('messages[0]', calling('a'));
    transcript.add({ role: 'user', content: 'One' });
    transcript.addAssistant('messages[0]', calling('b'));
    transcript.add({ role: 'user', content: 'Two' });
    assert.deepEqual(
      transcript.end().map(({ content }) => content),
      [null, 'One', null, 'Two'],
    );
  });

  it('knows the positions of the open calls only', () => {
    const transcript = new Transcript();
    transcript.addAssistant('messages[0]', calling('a', 'b'));
    assert.ok(transcript.positionOf('a') < transcript.positionOf('b'));
    assert.ok(transcript.positionOf('b') < transcript.positionOf('unknown'));
    transcript.add({ role: 'user', content: 'One' });
    transcript.addAssistant('messages[0]', calling('c'));
    assert.equal(transcript.positionOf('a'), transcript.positionOf('unknown'));
    assert.ok(transcript.positionOf('c') < transcript.positionOf('a'));
  });

  it('joins neighbouring messages of the assistant', () => {
    const transcript = new Transcript();
    transcript.addAssistant('messages[0]', { role: 'assistant', content: 'One', reasoning: 'R' });
    transcript.addAssistant('messages[0]', { ...calling('a'), content: ' Two' });
    transcript.addAssistant('messages[0]', { ...calling('b'), reasoning: 'S' });
    assert.deepEqual(transcript.end(), [{ ...calling('a', 'b'), content: 'One Two', reasoning: 'RS' }]);
  });
});
