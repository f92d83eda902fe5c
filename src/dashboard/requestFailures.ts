// Why a request failed, and what to do about it. Pure.
import { NEW_KEY } from '../presentation/apiKeyText.ts';
import { CAUSES, remedyOf } from '../presentation/causes.ts';
import { COMMANDS } from '../presentation/commands.ts';
import { joined } from '../presentation/text.ts';
import type { RequestRecord } from '../shared/activity.ts';
import { causeOf } from '../shared/status.ts';
import type { DIRECT } from '../shared/usage.ts';
import type { FailureAction } from './model.ts';

export interface Failure {
  /** In a few words, which may follow a colon. Ends with a code from the proxy if that is not known. */
  readonly reason: string;
  /** In sentences; before it, that nothing was sent, if that is certain. */
  readonly remedy: string;
  /** What helps, as a button. */
  readonly action?: FailureAction;
}

type Text = Omit<Failure, 'remedy'> & {
  /** Without one, that of the cause of the code. */
  readonly remedy?: string;
};

/** The value is beside code for Node, which the web view cannot have. */
const CALLER_WITH_API_KEY: typeof DIRECT = 'direct';

const NOT_SENT = 'The request was not sent to the backend.';
const SEND_AGAIN = 'Send the request again.';
const SEE_CLIENT = 'The error message in the client says what is wrong.';
const UNKNOWN_MODEL = {
  reason: 'unknown model',
  remedy: 'Select one that the backend offers, in the client or with Connect an Assistant.',
  action: 'showModels',
} as const;
const HEADERS_TOO_LARGE = { reason: 'headers too large', remedy: 'Send fewer or shorter headers.' };
const BODY_TOO_LARGE = {
  reason: 'body too large',
  remedy: 'Send fewer or smaller images, or start a new conversation.',
};
const BUSY = {
  reason: 'too many requests at once',
  remedy: 'Wait until some of them have ended, then send the request again.',
};
const CLIENT_STOPPED = { reason: 'the client stopped sending', remedy: SEND_AGAIN };

/** By the code of the cause, which says more than the code. */
const BY_DETAIL: Readonly<Record<string, Text>> = {
  clock: { reason: "this computer's clock is wrong", action: 'checkConnection' },
  pcr0_not_approved: { reason: 'enclave image not trusted', action: 'showAttestation' },
};

const CONNECT_CLIENT = {
  remedy: 'Connect the client again, or give it a new access key.',
  action: 'connectAssistant',
} as const;

/** By the reason in the log why the proxy refused a client. */
const BY_REFUSAL: Readonly<Record<string, Text>> = {
  no_key: { reason: 'the client sent no key', ...CONNECT_CLIENT },
  malformed_key: { reason: 'the client sent a key that cannot be one', ...CONNECT_CLIENT },
  unknown_access_key: { reason: 'access key revoked or mistyped', ...CONNECT_CLIENT },
  key_not_allowed: { reason: 'the client sent a key that is not an access key', ...CONNECT_CLIENT },
  no_api_key: {
    reason: 'no API key is set',
    remedy: 'Access keys work only while an API key is set.',
    action: 'setApiKey',
  },
  forbidden_host: {
    reason: 'the client used another name for this computer',
    remedy: 'Use the base URL as it is shown, or add the name to sealedProxy.allowedHosts.',
  },
  forbidden_origin: {
    reason: 'a web page that is not allowed',
    remedy: 'To allow it, add its origin to sealedProxy.allowedOrigins.',
  },
};

/** By the code in the log; docs/troubleshooting.md explains the codes. */
const BY_CODE: readonly (readonly [code: RegExp, text: Text])[] = [
  [/^network$/, { reason: 'backend unreachable', action: 'diagnose' }],
  [
    /^timeout$/,
    {
      reason: 'backend did not respond in time',
      remedy:
        'Send the request again. If this continues, raise sealedProxy.requestTimeoutSeconds or ' +
        'sealedProxy.streamIdleTimeoutSeconds.',
      action: 'diagnose',
    },
  ],
  [
    /^(attestation_refused|weak_public_key|session_id_mismatch)$/,
    { reason: 'enclave not verified', action: 'showAttestation' },
  ],
  [/^image_unconfirmed$/, { reason: 'new enclave image not accepted', action: 'reviewImage' }],
  [/^image_refused$/, { reason: 'enclave image refused by you', action: 'reviewImage' }],
  [/^history_unavailable$/, { reason: 'list of enclave images unavailable', action: 'diagnose' }],
  [/^handshake_unavailable$/, { reason: 'the backend accepts no connections right now', action: 'diagnose' }],
  [/^handshake_/, { reason: 'the server is not a working enclave', action: 'diagnose' }],
  [/^response_/, { reason: 'a response that is not from the enclave', remedy: SEND_AGAIN, action: 'diagnose' }],
  [/^session_rejected$/, { reason: 'the enclave rejected the session', remedy: SEND_AGAIN }],
  [/^(record_|truncated$)/, { reason: 'response damaged or cut off', remedy: SEND_AGAIN }],
  [/^enclave_error$/, { reason: 'the enclave reported an error' }],
  [/^request_too_large$/, HEADERS_TOO_LARGE],
  [/^body_too_large$/, BODY_TOO_LARGE],
  [/^busy$/, BUSY],
  [/^upload_timeout$/, CLIENT_STOPPED],
  [/^read_timeout$/, { reason: 'the client stopped reading', remedy: SEND_AGAIN }],
  [/^shutdown$/, { reason: 'the proxy was stopped', remedy: SEND_AGAIN }],
  [/^invalid_response$/, { reason: 'response reports an error, or cannot be translated', remedy: SEND_AGAIN }],
  [
    /^translation_failed$/,
    { reason: 'translation failed', remedy: 'This is a mistake in Sealed Proxy: please report it.', action: 'showLog' },
  ],
];

/** By the status of an error of the proxy itself. */
const BY_OWN_STATUS: Readonly<Record<number, Text>> = {
  400: { reason: 'invalid request', remedy: SEE_CLIENT },
  401: { reason: 'key missing or invalid', ...CONNECT_CLIENT },
  404: {
    ...UNKNOWN_MODEL,
    remedy: `${UNKNOWN_MODEL.remedy} sealedProxy.messagesModel and sealedProxy.responsesModel can name a replacement.`,
  },
  408: CLIENT_STOPPED,
  413: BODY_TOO_LARGE,
  415: { reason: 'body is compressed', remedy: 'Turn compression of requests off in the client.' },
  431: HEADERS_TOO_LARGE,
  503: BUSY,
};

/** By the status of the backend's response. */
const BY_BACKEND_STATUS: Readonly<Record<number, Text>> = {
  400: {
    reason: 'the backend did not accept the request',
    remedy: `${SEE_CLIENT} If it names the model, select one that the backend offers.`,
    action: 'showModels',
  },
  401: { reason: 'the backend refused the API key', remedy: NEW_KEY, action: 'setApiKey' },
  404: UNKNOWN_MODEL,
  413: BODY_TOO_LARGE,
  429: { reason: 'rate limit or quota', remedy: CAUSES.backend.remedy },
  503: { reason: 'no capacity', remedy: CAUSES.backend.remedy },
};

const CLIENT_KEY_REFUSED: Text = {
  reason: 'the backend refused the key that the client sent',
  remedy: 'The client sent a key of its own, not an access key of Sealed Proxy. Connect it, or give it an access key.',
  action: 'connectAssistant',
};

/**
 * Of a request that was refused, failed or broken. The reason may contain text from outside.
 * @param models the ids of the models that the backend offers; empty if they are not known
 */
export function failureOf(record: RequestRecord, models: readonly string[] = []): Failure {
  const { end: code, detail, isUnsent } = record;
  const { remedy, ...text } = withModel(textOf(record), record, models);
  const failure = { code, detail };
  const what = remedy ?? remedyOf({ cause: causeOf(failure), failure });
  return { ...text, remedy: joined(isUnsent ? NOT_SENT : '', what) };
}

/** Of the button. */
export function titleOf(action: FailureAction): string {
  return action === 'showModels' ? 'Show Models' : COMMANDS[action].title;
}

/** Names a model that the backend does not offer. The backend's status says so with 404; 400 may have other reasons. */
function withModel(text: Text, { requestedModel, outcome, status }: RequestRecord, models: readonly string[]): Text {
  if (requestedModel === null || models.includes(requestedModel)) return text;
  const named = { ...UNKNOWN_MODEL, reason: `the backend does not know the model ${requestedModel}` };
  if (outcome === 'failed' && status === 400 && models.length > 0) return named;
  return text.reason === UNKNOWN_MODEL.reason ? { ...text, reason: named.reason } : text;
}

function textOf({ outcome, end, detail, status, caller }: RequestRecord): Text {
  if (outcome === 'failed') {
    const isKeyOfClient = status === 401 && caller === CALLER_WITH_API_KEY;
    return isKeyOfClient ? CLIENT_KEY_REFUSED : (BY_BACKEND_STATUS[status] ?? otherStatus(status));
  }
  if (end === 'complete') return entryOf(BY_REFUSAL, detail) ?? BY_OWN_STATUS[status] ?? otherStatus(status);
  const known = entryOf(BY_DETAIL, detail) ?? BY_CODE.find(([code]) => code.test(end))?.[1];
  return known ?? { reason: `interrupted (${end})`, remedy: SEND_AGAIN, action: 'diagnose' };
}

function entryOf(texts: Readonly<Record<string, Text>>, name: string | null): Text | undefined {
  return name !== null && Object.hasOwn(texts, name) ? texts[name] : undefined;
}

function otherStatus(status: number): Text {
  return { reason: `status ${status}`, remedy: status < 500 ? SEE_CLIENT : CAUSES.backend.remedy };
}
