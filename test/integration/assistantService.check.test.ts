// AssistantService with a real proxy: checks that fail, and which requests were checks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { claudeCode } from '../../src/assistants/adapters/claudeCode.ts';
import { codex } from '../../src/assistants/adapters/codex.ts';
import { opencode } from '../../src/assistants/adapters/opencode.ts';
import { ApiError, answerApiError } from '../../src/devEnclave/model/apiErrors.ts';
import type { ApiResponseWriter } from '../../src/devEnclave/model/apiHandler.ts';
import { baseUrlOf } from '../../src/shared/status.ts';
import { AssistantBench } from '../support/assistantBench.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';

describe('AssistantService.check()', () => {
  const scope = perTest();
  let bench: AssistantBench;

  beforeEach(async () => {
    bench = await AssistantBench.open(scope);
    await bench.agree(opencode);
  });

  const check = () => bench.service.checks.check(opencode);
  const begin = (response: ApiResponseWriter) => {
    response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
    response.write(Buffer.from('data: {"choices":[{"delta":{"content":"O"}}]}\n\n'));
  };

  it('reports an error response, without the API key', async () => {
    bench.respond = (_request, response) => {
      answerApiError(response, new ApiError(429, 'inference_capacity', `The key ${API_KEY} is busy`));
      return Promise.resolve();
    };
    const busy = await check();
    assert.equal(busy.kind, 'failed');
    assert.match(busy.message, /^The request to glm-5-2 failed with status 429\. .*busy/);
    assert.ok(!busy.message.includes(API_KEY));
  });

  it('reports that the proxy is not running', async () => {
    await bench.editor.supervisor.stop();
    assert.deepEqual(await check(), { kind: 'failed', message: 'The proxy is not running or does not respond.' });
  });

  it('reports a response that ends early', async () => {
    bench.respond = (_request, response) => {
      begin(response);
      response.fail('broken');
      return Promise.resolve();
    };
    assert.deepEqual(await check(), { kind: 'failed', message: 'The response from glm-5-2 ended early.' });
  });

  for (const [what, start] of [
    ['does not begin', () => undefined],
    ['does not end', begin],
  ] as const) {
    it(`reports a response that ${what}`, async () => {
      bench.checkLimit = 200;
      bench.respond = async (_request, response) => {
        start(response);
        await once(response.signal, 'abort');
      };
      const message = 'glm-5-2 did not complete a response within 0.2 s.';
      assert.deepEqual(await check(), { kind: 'failed', message });
    });
  }

  for (const assistant of [claudeCode, codex]) {
    it(`uses the API of ${assistant.name}, and reports its errors and early ends`, async () => {
      await bench.agree(assistant);
      const asked = bench.chatRequests.length;
      const answered = await bench.service.checks.check(assistant);
      assert.equal(answered.kind, 'answered', answered.message);
      assert.match(answered.message, /^glm-5-2 responded in \d+ ms\.$/);
      assert.equal(bench.chatRequests.length, asked + 1);
      bench.respond = (_request, response) => {
        answerApiError(response, new ApiError(429, 'inference_capacity', `The key ${API_KEY} is busy`));
        return Promise.resolve();
      };
      const busy = await bench.service.checks.check(assistant);
      assert.equal(busy.kind, 'failed');
      assert.match(busy.message, /^The request to glm-5-2 failed with status (429|529)\. /);
      assert.ok(!busy.message.includes(API_KEY));
      bench.respond = (_request, response) => {
        begin(response);
        response.fail('broken');
        return Promise.resolve();
      };
      const broken = { kind: 'failed', message: 'The response from glm-5-2 ended early.' };
      assert.deepEqual(await bench.service.checks.check(assistant), broken);
    });
  }

  it('is no use of the key: the proxy reports only requests of the assistant itself', async () => {
    const [key] = (await bench.secrets.accessKeys()).filter(({ origin }) => origin === 'assistant');
    assert.ok(key);
    assert.equal((await check()).kind, 'answered');
    const url = baseUrlOf(bench.editor.supervisor.status)?.replace(/\/v1$/, '') ?? '';
    assert.equal((await sendRequest(url, { key: key.key, body: chatBody('Hello', { stream: true }) })).status, 200);
    await bench.editor.answered.find('the answer', () => true);
    const uses = bench.editor.used.items.filter((id) => id === key.id);
    assert.deepEqual([bench.editor.answered.items, uses], [[key.id], [key.id]]);
  });
});
