// The errors that the proxy itself answers with, in the form that OpenAI clients know; those of the backend are in
// backendErrors.ts.
import type { DialectName } from '../../dialects/dialect.ts';
import { MAX_REQUEST_HEADERS, MAX_TARGET } from '../../session/wire.ts';
import { IMAGE_REFUSED, IMAGE_UNCONFIRMED, PROXY_BUSY } from '../../shared/errors.ts';
import { MIB } from '../process/memory.ts';
import type { MemoryLimits } from '../process/memory.ts';

/** An error that the proxy answers with. */
export interface ClientError {
  readonly status: number;
  readonly type: 'invalid_request_error' | 'rate_limit_error' | 'server_error';
  readonly message: string;
  readonly code: string | null;
  /** Why a client is refused, for the log. */
  readonly reason?: string;
  /** Name, value, name, value ... */
  readonly headers?: readonly string[];
}

function invalid(status: number, code: string | null, message: string, headers: readonly string[] = []): ClientError {
  return { status, type: 'invalid_request_error', code, message, headers };
}

function unauthorized(reason: string, code: string | null, message: string): ClientError {
  return { ...invalid(401, code, message, ['www-authenticate', 'Bearer realm="sealed-proxy"']), reason };
}

/** What the user has not accepted, and what to do. */
const IMAGES = {
  [IMAGE_UNCONFIRMED]: [
    'The enclave runs a new image, and nobody has confirmed it yet',
    'Confirm the image in VS Code with "Sealed Proxy: Review New Enclave Image", then try again.',
  ],
  [IMAGE_REFUSED]: [
    'The enclave runs an image that you have chosen not to use',
    'To use it, run "Sealed Proxy: Review New Enclave Image" in VS Code.',
  ],
} as const;

/** @param isUnsent whether it is certain that nothing of the request was sent, to this enclave or an earlier one */
export function imageError(code: keyof typeof IMAGES, isUnsent: boolean): ClientError {
  const [what, remedy] = IMAGES[code];
  const notSent = isUnsent
    ? 'the request was not sent'
    : 'nothing was sent to it; another enclave may have received your prompt';
  return { ...server(502, `${what}, so ${notSent}. ${remedy}`), code };
}

function forbidden(reason: string, message: string): ClientError {
  return { ...invalid(403, reason, message), reason };
}

const SERVES =
  'This proxy serves only POST /v1/chat/completions, POST /v1/embeddings, GET /v1/models, GET /health and GET /ready.';
const BUSY = { ...server(503, ''), code: PROXY_BUSY, headers: ['retry-after', '1'] } as const;
const MESSAGES_BASE =
  'The base URL that you set in the client must end with /anthropic, or with /anthropic/v1 if the client does not add /v1 itself.';
const RESPONSES_BASE = 'The base URL that you set in the client must end with /responses/v1.';
const DIALECT_SERVES: Readonly<Record<DialectName, string>> = {
  messages: `Below /anthropic, this proxy serves only POST /anthropic/v1/messages, POST /anthropic/v1/messages/count_tokens and GET /anthropic/v1/models. ${MESSAGES_BASE}`,
  responses: `Below /responses, this proxy serves only POST /responses/v1/responses, POST /responses/v1/responses/input_tokens and GET /responses/v1/models. ${RESPONSES_BASE}`,
};

/** The longest body of a request, and the error for a longer one. */
export interface BodyLimit {
  /** In bytes. */
  readonly max: number;
  readonly error: ClientError;
}

export interface BodyLimits {
  /** Of a request that is relayed as it is. */
  readonly relayed: BodyLimit;
  /** Of a request of a dialect, which is kept in memory and translated. */
  readonly translated: BodyLimit;
}

export function bodyLimits({ largestBody, largestTranslatedBody, constrainedTo }: MemoryLimits): BodyLimits {
  const remedy = ' Send fewer or smaller images, or start a new conversation.';
  return {
    relayed: bodyLimit(largestBody, constrainedTo),
    translated: bodyLimit(largestTranslatedBody, constrainedTo, remedy),
  };
}

/** @param max in bytes */
function bodyLimit(max: number, constrainedTo: number | undefined, remedy = ''): BodyLimit {
  const memory =
    constrainedTo === undefined
      ? ''
      : ` The proxy may use only ${Math.floor(constrainedTo / MIB)} MiB of memory: give it more for larger requests.`;
  const message = `The request body is larger than ${max / MIB} MiB.${remedy}${memory}`;
  return { max, error: invalid(413, 'request_too_large', message) };
}

/** Also the end of the request in the log. */
export const MODEL_NOT_ALLOWED = 'model_not_allowed';

export const PROXY_ERRORS = {
  badRequest: invalid(
    400,
    'bad_request',
    'The proxy cannot read this request: it is not valid HTTP. Check the client.',
  ),
  badTarget: invalid(
    400,
    'bad_request',
    'The request target is not a path or an http URL, or contains characters that cannot be forwarded, such as "#" or "\\". Percent-encode them.',
  ),
  badHost: invalid(
    400,
    'bad_request',
    'The request needs exactly one Host header with the name and port of the proxy, such as 127.0.0.1:14114.',
  ),
  keyInQuery: invalid(
    400,
    'access_key_in_query',
    'The query of the URL contains an access key, so the request was not forwarded. Send the key only in the header "Authorization: Bearer <ACCESS_KEY>".',
  ),
  noKey: unauthorized(
    'no_key',
    null,
    'The request has no API key. Send one in the header "Authorization: Bearer <API_KEY>". To make an access key for this client, run "Sealed Proxy: Create Access Key" in VS Code, or ask the operator of the proxy for one.',
  ),
  badKey: unauthorized(
    'malformed_key',
    'invalid_api_key',
    'This is not a valid API key: a key has 1 to 16,384 visible ASCII characters and no spaces. Check that you copied it correctly.',
  ),
  unknownAccessKey: unauthorized(
    'unknown_access_key',
    'invalid_api_key',
    'The proxy does not know this access key: it was revoked or mistyped. Send only what begins with "sealed-", without a name or quotes, or create a new access key or ask the operator of the proxy for one.',
  ),
  keyNotAllowed: unauthorized(
    'key_not_allowed',
    'invalid_api_key',
    'This proxy accepts only its own access keys, which begin with "sealed-". Ask its operator for one, and send it in place of the API key.',
  ),
  noApiKey: unauthorized(
    'no_api_key',
    null,
    'The proxy has no API key yet, so access keys do not work. Set the API key of the proxy first.',
  ),
  foreignHost: forbidden(
    'forbidden_host',
    'The Host header does not name this computer. Use http://127.0.0.1 with the port, or add the name to the allowed hosts in the proxy settings (PROXY_ALLOWED_HOSTS).',
  ),
  foreignOrigin: forbidden(
    'forbidden_origin',
    'Web pages of this origin may not use the proxy. To allow them, add the origin to the allowed origins in the proxy settings (PROXY_ALLOWED_ORIGINS).',
  ),
  unreadableModel: {
    ...invalid(
      403,
      MODEL_NOT_ALLOWED,
      'This access key may be used only for some models, so the proxy must be able to read the model of a request. Send it as application/json in UTF-8, without the header "Content-Encoding" and without a query in the URL.',
    ),
    reason: 'unreadable_model',
  },
  noSuchPath: invalid(404, 'not_found', `${SERVES} The base URL that you set in the client must end with /v1.`),
  noSuchModelRoute: invalid(
    404,
    'not_found',
    'The proxy does not serve single models. GET /v1/models lists all models that the key can use.',
  ),
  uploadTimeout: invalid(
    408,
    'request_timeout',
    'The request body did not arrive in time: the client stopped sending.',
  ),
  targetTooLong: invalid(414, 'uri_too_long', `The request target is longer than ${MAX_TARGET / 1024} KiB.`),
  expectation: invalid(417, 'expectation_failed', 'The proxy supports only the expectation "100-continue".'),
  tooManyHeaders: invalid(
    431,
    'headers_too_large',
    `The request has more than ${MAX_REQUEST_HEADERS} headers, or more than 128 KiB of headers.`,
  ),
  headTooLarge: invalid(
    431,
    'headers_too_large',
    'The request head is too long. Shorten the key, the target or the headers.',
  ),
  httpVersion: server(505, 'This route requires HTTP/1.1: older versions cannot show that a response is incomplete.'),
  busy: { ...BUSY, message: 'The proxy is handling too many requests at once. Try again in a moment.' },
  busyKey: {
    ...BUSY,
    message:
      'This access key has too many requests in progress, or too large ones. Wait until some of them have ended, then try again.',
  },
  imageUnconfirmed: imageError(IMAGE_UNCONFIRMED, true),
  imageRefused: imageError(IMAGE_REFUSED, true),
  timeout: { ...server(504, 'The backend did not start responding within the timeout.'), code: 'timeout' },
} as const satisfies Record<string, ClientError>;

/** Those for clients of dialects alone. */
export const DIALECT_ERRORS = {
  /** The path of a client of Messages whose base URL does not end with /anthropic. */
  messagesElsewhere: invalid(404, 'not_found', `${SERVES} For Anthropic's Messages API: ${MESSAGES_BASE}`),
  /** The same for a client of Responses. */
  responsesElsewhere: invalid(404, 'not_found', `${SERVES} For OpenAI's Responses API: ${RESPONSES_BASE}`),
  noCompaction: invalid(
    404,
    'not_found',
    'The proxy does not serve compaction of responses. Let the client summarize the conversation itself.',
  ),
  contentCoding: invalid(
    415,
    'unsupported_content_encoding',
    'The proxy cannot read a compressed request body. Send it without the header "Content-Encoding".',
  ),
} as const satisfies Record<string, ClientError>;

function server(status: number, message: string): ClientError {
  return { status, type: 'server_error', code: null, message };
}

/** For a method that a known path does not support. */
export function methodNotAllowed(allow: string, dialect?: DialectName): ClientError {
  const serves = dialect === undefined ? SERVES : DIALECT_SERVES[dialect];
  return invalid(405, 'method_not_allowed', `This path supports ${allow}. ${serves}`, allowHeader(allow));
}

/** Names the methods of a route. The proxy answers OPTIONS for each. */
export function allowHeader(methods: string): string[] {
  return ['allow', `${methods}, OPTIONS`];
}

/** @param day the last one on which the key was accepted */
export function accessKeyExpired(day: string): ClientError {
  const message = `This access key was valid until the end of ${day} (UTC). Ask the operator of the proxy for a new one.`;
  return unauthorized('expired_access_key', 'invalid_api_key', message);
}

/** @param models those that the client may use */
export function modelNotAllowed(models: readonly string[]): ClientError {
  const message = `This access key may be used only for ${models.join(', ')}. Name one of these models in the request, once, or ask the operator of the proxy for others.`;
  return invalid(403, MODEL_NOT_ALLOWED, message);
}

/** @param seconds after which the client may try again */
export function limitReached(limit: number, unit: 'requests' | 'tokens', seconds: number): ClientError {
  const amount = `${limit.toLocaleString('en')} ${limit === 1 ? unit.slice(0, -1) : unit}`;
  const message = `This client may use ${amount} in a minute, and has used them. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return {
    ...invalid(429, 'rate_limit_exceeded', message, ['retry-after', String(seconds)]),
    type: 'rate_limit_error',
    reason: `${unit}_limit`,
  };
}

/** For an unknown path in the folder of a dialect. */
export function noDialectPath(dialect: DialectName): ClientError {
  return invalid(404, 'not_found', DIALECT_SERVES[dialect]);
}

/** For a request that exceeds the limits on all requests together. */
export function busyError(withAccessKey: boolean): ClientError {
  return withAccessKey ? PROXY_ERRORS.busyKey : PROXY_ERRORS.busy;
}

/** The JSON body: `{"error":{message,type,param,code}}`. */
export function errorBody({ message, type, code }: ClientError): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}
