import assert from 'node:assert/strict';
import { toChatError } from '../../../src/chat/chatError.ts';
import { errorOfExchange } from '../../../src/proxy/http/backendErrors.ts';
import { PROXY_ERRORS, errorBody } from '../../../src/proxy/http/openaiErrors.ts';

const OPENAI = JSON.stringify({ error: { message: 'Too\n many  tokens', type: 'x', param: null, code: null } });
const OWN = JSON.stringify({ status: 400, message: 'Unknown model' });

describe('toChatError()', () => {
  for (const [status, kind, sentence] of [
    [401, 'noPermissions', /refused the API key, or no key is set.*Set API Key/],
    [403, 'noPermissions', /does not give access to this model\. Choose another/],
    [404, 'notFound', /not offer this model any more\. Choose another/],
    [413, 'other', /too large/],
    [429, 'blocked', /busy\. Try again in a moment/],
    [503, 'blocked', /busy/],
    [502, 'other', /no secure connection to the backend\. .*status bar/],
    [504, 'other', /in time/],
    [400, 'other', /status 400/],
    [418, 'other', /status 418/],
  ] as const) {
    it(`has a sentence and a kind for status ${status}`, () => {
      const error = toChatError(status, '', undefined);
      assert.equal(error.kind, kind);
      assert.match(error.message, sentence);
      assert.match(error.message, /\.$|"\.$/);
    });
  }

  it('adds the message of the backend, in either format, as one line', () => {
    assert.match(toChatError(400, OPENAI, undefined).message, /Details: Too many tokens$/);
    assert.match(toChatError(400, OWN, undefined).message, /Details: Unknown model$/);
  });

  it('adds no message of the backend where it may contain secrets', () => {
    assert.doesNotMatch(toChatError(400, OPENAI, undefined, false).message, /Details|tokens/);
  });

  it('adds nothing if the body contains no message', () => {
    for (const body of ['', '<html>', 'null', '7', '{}', '{"error":7}', '{"message":{}}']) {
      assert.doesNotMatch(toChatError(400, body, undefined).message, /Details/);
    }
    assert.ok(toChatError(400, JSON.stringify({ message: 'x'.repeat(9999) }), undefined).message.length < 600);
  });

  for (const name of ['busy', 'busyKey'] as const) {
    it(`does not blame the backend for a limit of the proxy: ${name}`, () => {
      const error = toChatError(503, errorBody(PROXY_ERRORS[name]), { 'retry-after': '1' });
      assert.equal(error.kind, 'blocked');
      assert.equal(
        error.message,
        'Too many requests through Sealed Proxy are in progress. Wait until some of them have ended, then try again.',
      );
    });
  }

  it('says why the backend did not answer, as the proxy does', () => {
    for (const code of ['network', 'timeout']) {
      const error = errorOfExchange({ code, detail: null }, true);
      assert.equal(toChatError(error.status, errorBody(error)).message, error.message);
      assert.doesNotMatch(toChatError(error.status, errorBody(error), {}, false).message, /not sent/);
    }
  });

  it('says that an enclave image was not accepted', () => {
    for (const [name, sentence] of [
      ['imageUnconfirmed', /new image, which you have not accepted yet\. Nothing was sent to it\. .*Review New/],
      ['imageRefused', /image that you have chosen not to use\. Nothing was sent to it\. .*Review New/],
    ] as const) {
      assert.match(toChatError(502, errorBody(PROXY_ERRORS[name])).message, sentence);
    }
  });

  it('states when to try again if the backend does', () => {
    assert.match(toChatError(429, '', { 'retry-after': '7' }).message, /Try again in 7 s\./);
    const [date, now] = ['Fri, 20 Nov 2026 00:00:00 GMT', Date.UTC(2026, 10, 19, 23, 57)];
    assert.match(toChatError(503, '', { 'retry-after': date }, true, now).message, /Try again in 3 minutes\./);
  });
});
