// Numbers that JavaScript cannot represent, in both directions of both dialects.
import assert from 'node:assert/strict';
import { answerBytes } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { MODEL } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST } from '../support/e2e/dialects.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const NUMBERS = '{"big":12345678901234567891,"huge":1e400,"float":1.0,"list":[-0,0.10]}';
const SCHEMA = `{"type":"object","properties":{"id":{"type":"integer","maximum":12345678901234567891,"default":1.0}}}`;
/** More than a request may have that is translated in the same thread. */
const LONG = 'x'.repeat(600 * 1024);

const TOOLS = {
  messages: `[{"name":"find","input_schema":${SCHEMA}}]`,
  responses: `[{"type":"function","name":"find","strict":false,"parameters":${SCHEMA}}]`,
};
const HISTORY = {
  messages: (text: string) =>
    `"messages":[{"role":"user","content":"${text}"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"find","input":${NUMBERS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]`,
  responses: (text: string) =>
    `"input":[{"role":"user","content":"${text}"},{"type":"function_call","call_id":"a","name":"find","arguments":${JSON.stringify(NUMBERS)}},{"type":"function_call_output","call_id":"a","output":"x"}],"store":false`,
};

for (const { name, replyPath } of DIALECTS_UNDER_TEST) {
  describe(`Numbers in the ${name} dialect`, () => {
    const scope = perSuite();
    let proxy: ServerProcess;
    let received = '';
    /** The arguments of the next call of the tool, in JSON: a string, or an object as some backends send it. */
    let called = '';

    before(async () => {
      const model = createModel({ paceMs: 0 });
      const enclave = await scope.enclave({
        handler: async (request, response) => {
          if (request.target !== '/v1/chat/completions') {
            await model(request, response);
            return;
          }
          received = Buffer.from(request.body ?? []).toString();
          const call = `{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":${called}}}`;
          const part = received.includes('"stream":true') ? 'delta' : 'message';
          const body = `{"choices":[{"index":0,"${part}":{"tool_calls":[${call}]},"finish_reason":"tool_calls"}]}`;
          const [type, text] =
            part === 'delta' ? ['text/event-stream', `data: ${body}\n\ndata: [DONE]\n\n`] : ['application/json', body];
          answerBytes(response, { status: 200, headers: [{ name: 'content-type', value: type }] }, Buffer.from(text));
        },
      });
      proxy = await scope.proxy(enclave);
    });

    const ask = async (fields = '', text = 'Hello') => {
      const body = `{"model":"${MODEL}","max_tokens":1e3,"temperature":1.0,"tools":${TOOLS[name]},${HISTORY[name](text)}${fields}}`;
      const response = await sendRequest(proxy.url, { path: replyPath, body });
      assert.equal(response.status, 200, response.body.toString());
      return response.body.toString();
    };

    for (const [form, text] of [
      ['a short request', 'Hello'],
      ['a long request', LONG],
    ] as const) {
      it(`keep their digits in schemas and calls of ${form}`, async () => {
        called = '"{}"';
        const reply = await ask('', text);
        assert.ok(received.includes(`"parameters":${SCHEMA}`), received.slice(-2000));
        assert.ok(received.includes(`"arguments":${JSON.stringify(NUMBERS)}`), received.slice(-2000));
        assert.match(received, /"temperature":1[,}]/);
        if (name === 'responses') {
          assert.ok(reply.includes(`"parameters":${SCHEMA}`), reply);
        }
      });
    }

    for (const [form, json] of [
      ['a text', JSON.stringify(NUMBERS)],
      ['an object', NUMBERS],
    ] as const) {
      it(`keep their digits in the calls of a model that sends ${form}`, async () => {
        called = json;
        const expected = name === 'messages' ? `"input":${NUMBERS}` : `"arguments":${JSON.stringify(NUMBERS)}`;
        const reply = await ask();
        assert.ok(reply.includes(expected), reply);
        const streamed = await ask(',"stream":true');
        assert.ok(streamed.includes(JSON.stringify(NUMBERS)), streamed);
      });
    }
  });
}
