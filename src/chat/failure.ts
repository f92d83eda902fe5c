// What a failed request means to the person who chats, and to the editor. Pure.
import { fieldsOf } from '../shared/json.ts';

export interface ChatFailure {
  /** As the editor tells errors apart. */
  readonly kind: 'noPermissions' | 'notFound' | 'blocked' | 'other';
  readonly message: string;
}

/** Longer ones of a backend are no sentences for people. */
const MAX_DETAIL = 500;

/**
 * @param body of the answer, which may be anything
 * @param retryAfter seconds, as the header says; undefined if it does not
 */
export function describeFailure(status: number, body: string, retryAfter: string | undefined): ChatFailure {
  const detail = detailOf(body);
  const said = detail === '' ? '' : ` It says: ${detail}`;
  switch (status) {
    case 401:
      return {
        kind: 'noPermissions',
        message: 'The backend refused the API key, or none is set. Set one with "Sealed Proxy: Set API Key".',
      };
    case 403:
      return { kind: 'noPermissions', message: `The API key may not use this model.${said}` };
    case 404:
      return { kind: 'notFound', message: `The backend does not know this model any more. Choose another.${said}` };
    case 413:
      return {
        kind: 'other',
        message: 'The conversation is too large for the backend. Begin a new one, or attach less.',
      };
    case 429:
    case 503: {
      const when = /^\d+$/.test(retryAfter ?? '') ? `in ${retryAfter} s` : 'in a moment';
      return { kind: 'blocked', message: `The backend is busy. Try again ${when}.${said}` };
    }
    case 502:
      return {
        kind: 'other',
        message: 'The backend could not be reached in a verified session. The status bar of Sealed Proxy says why.',
      };
    case 504:
      return { kind: 'other', message: 'The backend did not answer in time.' };
    default:
      return { kind: 'other', message: `The backend answered with status ${status}.${said}` };
  }
}

/** The sentence of an OpenAI error object, or of the backend's own form. */
function detailOf(body: string): string {
  try {
    const { error, message } = fieldsOf(JSON.parse(body));
    const text = fieldsOf(error)['message'] ?? message;
    return typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_DETAIL) : '';
  } catch {
    return '';
  }
}
