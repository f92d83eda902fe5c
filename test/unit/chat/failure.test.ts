import assert from 'node:assert/strict';
import { describeFailure } from '../../../src/chat/failure.ts';

const OPENAI = JSON.stringify({ error: { message: 'Too\n many  tokens', type: 'x', param: null, code: null } });
const OWN = JSON.stringify({ status: 400, message: 'Unknown model' });

describe('A failed request of the chat', () => {
  for (const [status, kind, sentence] of [
    [401, 'noPermissions', /refused the API key, or none is set.*Set API Key/],
    [403, 'noPermissions', /may not use this model/],
    [404, 'notFound', /Choose another/],
    [413, 'other', /too large/],
    [429, 'blocked', /busy\. Try again in a moment/],
    [503, 'blocked', /busy/],
    [502, 'other', /verified session/],
    [504, 'other', /in time/],
    [400, 'other', /status 400/],
    [418, 'other', /status 418/],
  ] as const) {
    it(`is told in a sentence, in the editor's own kind: ${status}`, () => {
      const failure = describeFailure(status, '', undefined);
      assert.equal(failure.kind, kind);
      assert.match(failure.message, sentence);
      assert.match(failure.message, /\.$|"\.$/);
    });
  }

  it('has what the backend says, in either of its forms, in one line', () => {
    assert.match(describeFailure(400, OPENAI, undefined).message, /It says: Too many tokens$/);
    assert.match(describeFailure(400, OWN, undefined).message, /It says: Unknown model$/);
  });

  it('has nothing that is no sentence of the backend', () => {
    for (const body of ['', '<html>', 'null', '7', '{}', '{"error":7}', '{"message":{}}']) {
      assert.doesNotMatch(describeFailure(400, body, undefined).message, /It says/);
    }
    assert.ok(describeFailure(400, JSON.stringify({ message: 'x'.repeat(9999) }), undefined).message.length < 600);
  });

  it('says when to try again, where the backend does', () => {
    assert.match(describeFailure(429, '', '7').message, /in 7 s/);
    assert.match(describeFailure(429, '', 'Fri, 20 Nov 2026 00:00:00 GMT').message, /in a moment/);
  });
});
