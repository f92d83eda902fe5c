// The answers that the proxy makes itself, in the form that OpenAI clients know. They are opaque on purpose: what
// exactly failed is in the log.
import type { SessionErrorCode } from '../../session/errors.ts';
import { MAX_BODY, MAX_REQUEST_HEADERS, MAX_TARGET } from '../../session/wire.ts';

/** An answer of the proxy's own. */
export interface ProxyError {
  readonly status: number;
  readonly type: 'invalid_request_error' | 'server_error';
  readonly message: string;
  readonly code: string | null;
  /** Name, value, name, value ... */
  readonly headers?: readonly string[];
}

function invalid(status: number, code: string | null, message: string, headers: readonly string[] = []): ProxyError {
  return { status, type: 'invalid_request_error', code, message, headers };
}

const SERVES =
  'This proxy serves POST /v1/chat/completions, POST /v1/embeddings, GET /v1/models and GET /health, and nothing else.';
const RETRY = ['retry-after', '1'];
const CHALLENGE = ['www-authenticate', 'Bearer realm="sealed-proxy"'];

export const PROXY_ERRORS = {
  badRequest: invalid(400, 'bad_request', 'The request is not valid HTTP for this proxy. Check the client.'),
  badTarget: invalid(
    400,
    'bad_request',
    'The request target has characters that the proxy cannot carry, such as "#" or "\\". Encode them.',
  ),
  noKey: invalid(
    401,
    null,
    'No API key was sent. Send one in the header "Authorization: Bearer <API_KEY>".',
    CHALLENGE,
  ),
  badKey: invalid(
    401,
    'invalid_api_key',
    'This API key cannot be sent: a key has 1 to 16,384 visible ASCII characters and no space. Check what was pasted.',
    CHALLENGE,
  ),
  unknownAccessKey: invalid(
    401,
    'invalid_api_key',
    'The proxy does not know this access key: it was revoked or mistyped. Make a new one.',
    CHALLENGE,
  ),
  noApiKey: invalid(
    401,
    null,
    'The proxy itself has no API key yet, so access keys cannot be used. Set the API key of the proxy first.',
    CHALLENGE,
  ),
  foreignHost: invalid(
    403,
    'forbidden_host',
    'The Host header does not name this computer. Use http://127.0.0.1 and the port, or list the name in PROXY_ALLOWED_HOSTS.',
  ),
  foreignOrigin: invalid(
    403,
    'forbidden_origin',
    'Web pages of this origin may not use the proxy. List the origin in PROXY_ALLOWED_ORIGINS to allow it.',
  ),
  noSuchPath: invalid(404, 'not_found', SERVES),
  noSuchModelRoute: invalid(
    404,
    'not_found',
    'Single models are not served here. GET /v1/models lists all models that the key can call.',
  ),
  uploadTimeout: invalid(
    408,
    'request_timeout',
    'The request body did not arrive: the client sent nothing for too long.',
  ),
  bodyTooLarge: invalid(413, 'request_too_large', `The request body is over ${MAX_BODY / 1024 / 1024} MiB.`),
  targetTooLong: invalid(414, 'uri_too_long', `The request target is over ${MAX_TARGET / 1024} KiB.`),
  expectation: invalid(417, 'expectation_failed', 'The proxy knows no expectation but "100-continue".'),
  tooManyHeaders: invalid(
    431,
    'headers_too_large',
    `The request has over ${MAX_REQUEST_HEADERS} headers, or over 128 KiB of them.`,
  ),
  headTooLarge: invalid(431, 'headers_too_large', 'The head of the request is too long: its key, target or headers.'),
  httpVersion: server(505, 'This route needs HTTP/1.1: in an older version a broken answer looks like a whole one.'),
  busy: { ...server(503, 'The proxy is busy with too many requests at once. Try again in a moment.'), headers: RETRY },
  backend: server(502, 'Failed to communicate securely with the backend.'),
  timeout: server(504, 'The backend did not start responding within the timeout.'),
} as const satisfies Record<string, ProxyError>;

function server(status: number, message: string): ProxyError {
  return { status, type: 'server_error', code: null, message };
}

/** The answer for a method that a known path does not have. */
export function methodNotAllowed(allow: string): ProxyError {
  return invalid(405, 'method_not_allowed', `This path takes ${allow}. ${SERVES}`, ['allow', allow]);
}

/** The answer for an exchange that failed before its response started. */
export function errorOfExchange(code: SessionErrorCode): ProxyError {
  if (code === 'timeout') return PROXY_ERRORS.timeout;
  return code === 'request_too_large' ? PROXY_ERRORS.tooManyHeaders : PROXY_ERRORS.backend;
}

/** The JSON body: `{"error":{message,type,param,code}}`. */
export function errorBody({ message, type, code }: ProxyError): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}
