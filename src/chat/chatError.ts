// Why a chat request failed, in sentences for the user: the cause, then the remedy. Pure.
import { clockTime } from '../presentation/text.ts';
import { IMAGE_REFUSED, IMAGE_UNCONFIRMED, PROXY_BUSY, isBackendCode } from '../shared/errors.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';

/** The kinds of errors that the editor's chat distinguishes. */
export type ChatErrorKind = 'noPermissions' | 'notFound' | 'blocked' | 'other';

/** The message is for the user. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly kind: ChatErrorKind;

  constructor(message: string, kind: ChatErrorKind = 'other') {
    super(message);
    this.kind = kind;
  }
}

const REVIEW = 'Nothing was sent to it. "Sealed Proxy: Review New Enclave Image" lets you decide.';

/** A longer text from a backend is not a message for users. In characters. */
const MAX_MESSAGE = 500;

/** The headers that say when a busy backend can be asked again. The second one is that of the OpenAI libraries, and more exact. */
interface RetryHeaders {
  readonly 'retry-after'?: string | undefined;
  readonly 'retry-after-ms'?: string | string[] | undefined;
}

/**
 * The error for a response with an error status.
 * @param body any text
 * @param withDetails whether to quote what the backend says, which may contain account names or the key
 */
export function toChatError(
  status: number,
  body: string,
  headers: RetryHeaders = {},
  withDetails = true,
  now = Date.now(),
): ChatError {
  const error = parseJson(body);
  const code = fieldsOf(fieldsOf(error)['error'])['code'];
  const message = withDetails ? backendMessage(error) : '';
  const details = message === '' ? '' : ` Details: ${message}`;
  switch (status) {
    case 401:
      return new ChatError(
        'The backend refused the API key, or no key is set. Set a new one with "Sealed Proxy: Set API Key".',
        'noPermissions',
      );
    case 403:
      return new ChatError(
        `The API key does not give access to this model. Choose another model.${details}`,
        'noPermissions',
      );
    case 404:
      return new ChatError(
        `The backend does not offer this model any more. Choose another model.${details}`,
        'notFound',
      );
    case 413:
      return new ChatError('The conversation is too large for the backend. Start a new chat, or attach less.');
    case 429:
    case 503: {
      if (code === PROXY_BUSY) {
        const text = 'Too many requests through Sealed Proxy are in progress.';
        return new ChatError(`${text} Wait until some of them have ended, then try again.`, 'blocked');
      }
      return new ChatError(`The backend is busy. Try again ${retryTime(headers, now)}.${details}`, 'blocked');
    }
    case 502:
      if (code === IMAGE_UNCONFIRMED)
        return new ChatError(`The enclave runs a new image, which you have not accepted yet. ${REVIEW}`);
      if (code === IMAGE_REFUSED)
        return new ChatError(`The enclave runs an image that you have chosen not to use. ${REVIEW}`);
      if (isBackendCode(code) && message !== '') return new ChatError(message);
      return new ChatError(
        'Sealed Proxy has no secure connection to the backend. Its status bar item shows the reason.',
      );
    case 504:
      if (isBackendCode(code) && message !== '') return new ChatError(message);
      return new ChatError('The backend did not respond in time. Try again.');
    default:
      return new ChatError(`The backend responded with status ${status}.${details}`);
  }
}

/** The message in an OpenAI error object or in the backend's own format, as one line; empty if there is none. */
function backendMessage(value: unknown): string {
  const { error, message } = fieldsOf(value);
  const text = fieldsOf(error)['message'] ?? message;
  return typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE) : '';
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A longer time is not a time to wait for. */
const LONGEST = 7 * DAY;
const HTTP_DATE = /^[A-Z][a-z]+,? .* GMT$/;

/**
 * The end of the sentence "Try again …".
 * @param now milliseconds since 1970
 */
export function retryTime(headers: RetryHeaders, now: number): string {
  const wait = waitOf(headers, now);
  if (!(wait >= 0)) return 'in a moment';
  if (wait > LONGEST) return 'later';
  if (wait < 2 * MINUTE) return `in ${Math.max(1, Math.ceil(wait / 1000))} s`;
  if (wait <= HOUR) return `in ${Math.ceil(wait / MINUTE)} minutes`;
  return wait < DAY ? `at ${clockTime(now + wait)}` : `on ${new Date(now + wait).toLocaleString()}`;
}

/** Milliseconds; NaN if the headers do not say. */
function waitOf(headers: RetryHeaders, now: number): number {
  const { 'retry-after-ms': exact, 'retry-after': after = '' } = headers;
  if (typeof exact === 'string' && /^\d{1,12}(\.\d{1,9})?$/.test(exact)) return Number(exact);
  if (/^\d{1,12}(\.\d{1,9})?$/.test(after)) return Number(after) * 1000;
  return HTTP_DATE.test(after) ? Date.parse(after) - now : NaN;
}
