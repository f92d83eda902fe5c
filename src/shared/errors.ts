/** The code of an error with which the proxy refuses a request because of its own limits. */
export const PROXY_BUSY = 'proxy_busy';
/** The codes of errors for requests that were not sent, because the user has not accepted the enclave's image. */
export const IMAGE_UNCONFIRMED = 'image_unconfirmed';
export const IMAGE_REFUSED = 'image_refused';
/** The codes of errors for requests that the backend did not answer. */
export const BACKEND_CODES = [
  'backend_unreachable',
  'not_an_enclave',
  'attestation_failed',
  'image_not_approved',
  IMAGE_UNCONFIRMED,
  IMAGE_REFUSED,
  'response_invalid',
  'timeout',
] as const;
export type BackendCode = (typeof BACKEND_CODES)[number];

export function isBackendCode(code: unknown): code is BackendCode {
  return BACKEND_CODES.some((known) => known === code);
}

/** Said only where it is certain. */
export const PROMPT_NOT_SENT = 'Your prompt was not sent.';

/** The message of an error, or the text of another value that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system or of Node, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
