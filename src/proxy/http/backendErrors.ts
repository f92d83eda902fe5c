// The errors for requests that the backend did not answer: what happened, whether the prompt was sent, and what to do.
// Addresses are left out, because clients show and store these texts; the log has them.
import { IMAGE_REFUSED, IMAGE_UNCONFIRMED, PROMPT_NOT_SENT } from '../../shared/errors.ts';
import type { BackendCode } from '../../shared/errors.ts';
import { causeOf } from '../../shared/status.ts';
import { PROXY_ERRORS, imageError } from './openaiErrors.ts';
import type { ClientError } from './openaiErrors.ts';

/** Why an exchange failed before its response started, as `describeError` has it. */
export interface BackendFailure {
  readonly code: string;
  readonly detail: string | null;
}

interface Problem {
  /** For programs. */
  readonly code: BackendCode;
  /** A sentence about the backend. */
  readonly what: string;
}

const FAILED = 'Failed to communicate securely with the backend.';
const MAYBE_SENT = 'The enclave may have received your prompt.';
/** The proxy does not know whether the client is the user of the editor, or of a proxy that others run. */
const REMEDY = 'In VS Code, run "Sealed Proxy: Run Diagnostics"; elsewhere, tell the operator of the proxy.';

const UNREACHABLE: Problem = { code: 'backend_unreachable', what: 'It cannot be reached.' };
const BROKEN: Problem = { ...UNREACHABLE, what: 'The connection to it broke.' };
const NOT_AN_ENCLAVE: Problem = {
  code: 'not_an_enclave',
  what: 'The server at its address is not a working enclave.',
};
const UNVERIFIED: Problem = { code: 'attestation_failed', what: 'Its enclave could not be verified.' };
const WRONG_CLOCK: Problem = {
  code: 'attestation_failed',
  what: 'Its enclave cannot be verified, because the clock of this computer is wrong.',
};
const NOT_APPROVED: Problem = {
  code: 'image_not_approved',
  what: 'Its enclave runs an image that is not approved.',
};
const INVALID: Problem = { code: 'response_invalid', what: 'Its response broke off, or is not valid.' };

/** Where a failure needs other words than its cause. */
const DETAILS: Readonly<Record<string, Problem>> = {
  malformed_document: NOT_AN_ENCLAVE,
  certificate_expired: { ...UNVERIFIED, what: 'A certificate of its enclave has expired.' },
  history_invalid: {
    ...NOT_APPROVED,
    what: 'The list of approved images is not valid, so the image of its enclave could not be checked.',
  },
  certificate_not_yet_valid: { ...UNVERIFIED, what: 'A certificate of its enclave is not valid yet.' },
};
const CODES: Readonly<Record<string, Problem>> = {
  history_unavailable: {
    ...NOT_APPROVED,
    what: 'The list of approved images cannot be downloaded, so the image of its enclave could not be checked.',
  },
  handshake_status: NOT_AN_ENCLAVE,
  handshake_unavailable: { ...UNREACHABLE, what: 'It cannot accept connections right now.' },
  handshake_malformed: NOT_AN_ENCLAVE,
  enclave_error: { ...INVALID, what: 'Its enclave reported an error.' },
};

/** What a request gets its own error for. */
const HANDSHAKES: Readonly<Record<string, Problem>> = {
  timeout: { code: 'timeout', what: 'It did not answer in time.' },
  image_unconfirmed: { code: 'image_unconfirmed', what: 'Its enclave runs a new image that is not accepted yet.' },
  image_refused: { code: 'image_refused', what: 'Its enclave runs an image that was refused.' },
};

/** Codes of the system, of TLS and of checks, such as `ECONNREFUSED`; anything else is not for clients. */
const DETAIL = /^\w{1,60}$/;

/** Why there is no session with the enclave, for programs and in a sentence. */
export function reasonOf(failure: BackendFailure): { readonly code: BackendCode; readonly message: string } {
  const { code, what } = HANDSHAKES[failure.code] ?? problemOf(failure, true);
  return { code, message: `${FAILED} ${what}${detailsOf(failure)}` };
}

/** @param isUnsent whether it is certain that nothing of the request was sent */
export function errorOfExchange(failure: BackendFailure, isUnsent: boolean): ClientError {
  const { code } = failure;
  if (code === IMAGE_UNCONFIRMED || code === IMAGE_REFUSED) return imageError(code, isUnsent);
  if (code === 'request_too_large') return PROXY_ERRORS.tooManyHeaders;
  const prompt = isUnsent ? PROMPT_NOT_SENT : MAYBE_SENT;
  if (code === 'timeout') {
    const { message } = PROXY_ERRORS.timeout;
    return { ...PROXY_ERRORS.timeout, message: `${message} ${prompt} ${REMEDY}` };
  }
  const problem = problemOf(failure, isUnsent);
  const message = `${FAILED} ${problem.what} ${prompt} ${REMEDY}${detailsOf(failure)}`;
  return { status: 502, type: 'server_error', code: problem.code, message };
}

function detailsOf({ detail }: BackendFailure): string {
  return detail !== null && DETAIL.test(detail) ? ` (${detail})` : '';
}

function problemOf(failure: BackendFailure, isUnsent: boolean): Problem {
  const known = DETAILS[failure.detail ?? ''] ?? CODES[failure.code];
  if (known !== undefined) return known;
  switch (causeOf(failure)) {
    case 'network':
      return isUnsent ? UNREACHABLE : BROKEN;
    case 'attestation':
      return UNVERIFIED;
    case 'clock':
      return WRONG_CLOCK;
    case 'pcr0':
      return NOT_APPROVED;
    case 'newImage':
    case 'protocol':
    case 'backend':
      return INVALID;
  }
}
