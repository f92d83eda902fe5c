import assert from 'node:assert/strict';

/** An error response that the proxy creates itself. */
export interface ExpectedError {
  readonly status: number;
  readonly type: 'invalid_request_error' | 'rate_limit_error' | 'server_error';
  readonly code: string | null;
  readonly message: string | RegExp;
}

interface Received {
  readonly status: number;
  readonly body: Buffer;
  json(): unknown;
}

/** Checks that a response is exactly this `{"error":{message,type,param,code}}`. */
export function assertError(response: Received, { status, type, code, message }: ExpectedError): void {
  assert.equal(response.status, status, response.body.toString());
  const body = response.json() as { error: Record<string, unknown> };
  assert.deepEqual(Object.keys(body), ['error']);
  assert.deepEqual(Object.keys(body.error), ['message', 'type', 'param', 'code']);
  const { message: text, ...rest } = body.error;
  assert.deepEqual(rest, { type, param: null, code });
  if (typeof message === 'string') assert.equal(text, message);
  else assert.match(String(text), message);
}

const invalid = (status: number, code: string | null, message: string | RegExp): ExpectedError => {
  return { status, type: 'invalid_request_error', code, message };
};

const SERVES =
  'This proxy serves only POST /v1/chat/completions, POST /v1/embeddings, GET /v1/models, GET /health and GET /ready.';

/** Every error that the proxy creates. */
export const ERRORS = {
  badRequest: invalid(
    400,
    'bad_request',
    'The proxy cannot read this request: it is not valid HTTP. Check the client.',
  ),
  badTarget: invalid(400, 'bad_request', /^The request target is not a path or an http URL/),
  badHost: invalid(400, 'bad_request', /^The request needs exactly one Host header/),
  keyInQuery: invalid(400, 'access_key_in_query', /^The query of the URL contains an access key/),
  noKey: invalid(
    401,
    null,
    /^The request has no API key\. .*"Authorization: Bearer <API_KEY>"\. To make an access key/,
  ),
  badKey: invalid(401, 'invalid_api_key', /^This is not a valid API key: a key has 1 to 16,384 visible ASCII/),
  unknownAccessKey: invalid(
    401,
    'invalid_api_key',
    /^The proxy does not know this access key.*, or create a new access key or ask the operator of the proxy for one\.$/,
  ),
  noApiKey: invalid(401, null, /^The proxy has no API key yet/),
  foreignHost: invalid(403, 'forbidden_host', /^The Host header does not name this computer/),
  foreignOrigin: invalid(403, 'forbidden_origin', /^Web pages of this origin may not use the proxy/),
  noSuchPath: invalid(404, 'not_found', `${SERVES} The base URL that you set in the client must end with /v1.`),
  responsesElsewhere: invalid(404, 'not_found', /must end with \/responses\/v1\.$/),
  noSuchModelRoute: invalid(404, 'not_found', /^The proxy does not serve single models/),
  methodNotAllowed: (allow: string) => invalid(405, 'method_not_allowed', `This path supports ${allow}. ${SERVES}`),
  uploadTimeout: invalid(408, 'request_timeout', /^The request body did not arrive/),
  bodyTooLarge: invalid(413, 'request_too_large', 'The request body is larger than 50 MiB.'),
  targetTooLong: invalid(414, 'uri_too_long', 'The request target is longer than 16 KiB.'),
  expectation: invalid(417, 'expectation_failed', 'The proxy supports only the expectation "100-continue".'),
  headTooLarge: invalid(431, 'headers_too_large', /^The request head is too long/),
  headersTooLarge: invalid(
    431,
    'headers_too_large',
    /^The request has more than 64 headers, or more than 128 KiB of headers/,
  ),
  httpVersion: {
    status: 505,
    type: 'server_error',
    code: null,
    message: /^This route requires HTTP\/1\.1/,
  },
  busy: {
    status: 503,
    type: 'server_error',
    code: 'proxy_busy',
    message: 'The proxy is handling too many requests at once. Try again in a moment.',
  },
  busyKey: {
    status: 503,
    type: 'server_error',
    code: 'proxy_busy',
    message: /^This access key has too many requests in progress/,
  },
  timeout: {
    status: 504,
    type: 'server_error',
    code: 'timeout',
    message:
      /^The backend did not start responding within the timeout\. (?:Your prompt was not sent|The enclave may have received your prompt)\. In VS Code, run /,
  },
} as const satisfies Record<string, ExpectedError | ((allow: string) => ExpectedError)>;

/** The error for a backend that did not answer, or not as an enclave does. */
export function backendError(code: string, prompt: 'not sent' | 'maybe sent' = 'not sent'): ExpectedError {
  const fate = prompt === 'not sent' ? 'Your prompt was not sent' : 'The enclave may have received your prompt';
  const remedy = 'In VS Code, run "Sealed Proxy: Run Diagnostics"; elsewhere, tell the operator of the proxy\\.';
  const message = new RegExp(`^Failed to communicate securely with the backend\\. .+\\. ${fate}\\. ${remedy}`);
  return { status: 502, type: 'server_error', code, message };
}
