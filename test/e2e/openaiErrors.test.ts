import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { EMBEDDING_MODEL } from '../../src/devEnclave/model/catalogue.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { MODEL, PLAIN_MODEL } from '../support/e2e/chat.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

type ErrorClass = abstract new (...args: never[]) => InstanceType<typeof OpenAI.APIError>;

/** Accepts an error with this class, status and message. */
function apiError(expected: ErrorClass, status: number | undefined, message: RegExp, further: object = {}) {
  return (error: unknown) => {
    assert.ok(error instanceof expected, String(error));
    assert.equal(error.status, status);
    assert.match(error.message, message);
    for (const [name, value] of Object.entries(further)) {
      assert.deepEqual(error[name as keyof typeof error], value, name);
    }
    return true;
  };
}

const user = (content: string) => ({ role: 'user', content }) as const;

describe('The OpenAI client, when something is wrong,', () => {
  const scope = perSuite();
  let enclave: RunningEnclave;
  let proxy: ServerProcess;
  let client: OpenAI;

  before(async () => {
    enclave = await scope.enclave();
    proxy = await scope.proxy(enclave);
    client = openaiClient(proxy);
  });

  const ask = (content: string, using = client) =>
    using.chat.completions.create({ model: PLAIN_MODEL, messages: [user(content)] });

  it('raises an AuthenticationError for a revoked access key, and nothing reaches the enclave', async () => {
    const index = enclave.journal.requests.length;
    const revoked = openaiClient(proxy, `${ACCESS_KEY.slice(0, -1)}_`);
    await assert.rejects(ask('Hello', revoked), apiError(OpenAI.AuthenticationError, 401, /revoked or mistyped/));
    assert.equal(enclave.journal.requests.length, index);
  });

  it('raises an AuthenticationError for an API key that the backend refuses', async () => {
    const deleted = openaiClient(proxy, 'sk-deleted');
    await assert.rejects(ask('Hello', deleted), apiError(OpenAI.AuthenticationError, 401, /^401/));
    await assert.rejects((async () => deleted.models.list())(), apiError(OpenAI.AuthenticationError, 401, /^401/));
  });

  it('raises a NotFoundError for endpoints that the proxy does not serve', async () => {
    const expected = apiError(OpenAI.NotFoundError, 404, /POST \/v1\/chat\/completions/, {
      type: 'invalid_request_error',
      code: 'not_found',
    });
    await assert.rejects(client.responses.create({ model: MODEL, input: 'Hello' }), expected);
    await assert.rejects(client.images.generate({ model: MODEL, prompt: 'A house' }), expected);
    await assert.rejects(client.files.list(), expected);
    await assert.rejects(
      client.models.retrieve(MODEL),
      apiError(OpenAI.NotFoundError, 404, /GET \/v1\/models lists all/),
    );
  });

  it('raises a BadRequestError for an unknown model, with the message of the backend', async () => {
    const unknown = client.chat.completions.create({ model: 'gpt-4o', messages: [user('Hello')] });
    await assert.rejects(
      unknown,
      apiError(OpenAI.BadRequestError, 400, /Unknown chat model "gpt-4o"/, {
        code: 'upstream_invalid_request',
        param: 'model',
      }),
    );
    const embedding = client.embeddings.create({ model: EMBEDDING_MODEL, input: 'Hello', dimensions: 256 });
    await assert.rejects(embedding, apiError(OpenAI.BadRequestError, 400, /768 dimensions/));
  });

  it('raises a RateLimitError with the backend’s retry-after', async () => {
    const expected = apiError(OpenAI.RateLimitError, 429, /429/, { code: 'inference_capacity' });
    await assert.rejects(ask('/status 429 7'), (error) => {
      assert.equal((error as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after'), '7');
      return expected(error);
    });
  });

  it('retries what the backend allows to retry, as by default', async () => {
    const index = enclave.journal.requests.length;
    await assert.rejects(
      client.chat.completions.create({ model: MODEL, messages: [user('/status 503 0')] }, { maxRetries: 2 }),
      apiError(OpenAI.InternalServerError, 503, /503/),
    );
    assert.equal(enclave.journal.requests.length, index + 3);
  });

  it('raises an InternalServerError when the enclave is unreachable', async () => {
    const gone = await scope.enclave();
    const alone = openaiClient(await scope.proxy(gone));
    await gone.close();
    const expected = apiError(
      OpenAI.InternalServerError,
      502,
      /Failed to communicate securely with the backend.*Your prompt was not sent/,
      {
        type: 'server_error',
        code: 'backend_unreachable',
        param: null,
      },
    );
    await assert.rejects(ask('Hello', alone), expected);
    await assert.rejects((async () => alone.models.list())(), expected);
  });

  it('raises an InternalServerError when the backend does not start responding in time', async () => {
    const impatient = openaiClient(await scope.proxy(enclave, { PROXY_REQUEST_TIMEOUT_SECS: '0.4' }));
    await assert.rejects(
      ask('/hang', impatient),
      apiError(OpenAI.InternalServerError, 504, /did not start responding within the timeout/, {
        type: 'server_error',
        code: 'timeout',
      }),
    );
  });

  it('raises a connection error when the proxy is not running', async () => {
    const port = (await scope.enclave()).port;
    await scope.close();
    await assert.rejects(
      ask('Hello', openaiClient({ url: `http://127.0.0.1:${port}` })),
      apiError(OpenAI.APIConnectionError, undefined, /Connection error/),
    );
  });
});

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`A stream that breaks, through a proxy with ${runtime}`, () => {
    const served = serve(perSuite(), { process: { nodeArgs } });

    /** The text that the OpenAI client has read when it raises an error. */
    const readBroken = async (content: string): Promise<string> => {
      const stream = await openaiClient(served.proxy).chat.completions.create({
        model: PLAIN_MODEL,
        messages: [user(content)],
        stream: true,
      });
      let text = '';
      const reading = async () => {
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
      };
      await assert.rejects(reading());
      return text;
    };

    it('is an error for the OpenAI client, after everything that was authenticated', async () => {
      assert.equal(await readBroken('/fail 3'), 'word word word ');
      assert.equal(await readBroken('/broken 2'), 'word word ');
      for (const fault of ['missing-end', 'reset-mid-response', 'tampered-record', 'truncated-frame']) {
        served.enclave.setFaults(fault);
        await readBroken('/repeat 5');
      }
      served.enclave.setFaults('');
    });

    it('is an error for the OpenAI client also when it waits for the complete answer', async () => {
      served.enclave.setFaults('missing-end');
      const response = openaiClient(served.proxy).chat.completions.create({
        model: PLAIN_MODEL,
        messages: [user('Hello')],
      });
      await assert.rejects(response);
      served.enclave.setFaults('');
    });
  });
}
