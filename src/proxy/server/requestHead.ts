// Turns the head of a request for the backend into the metadata of its envelope.
import { encodeMetadata, isTarget } from '../../session/envelope.ts';
import { SessionError } from '../../session/errors.ts';
import { MAX_REQUEST_HEADERS, MAX_TARGET } from '../../session/wire.ts';
import { requestHeaders, singleValue } from '../http/headers.ts';
import { DIALECT_ERRORS, PROXY_ERRORS } from '../http/openaiErrors.ts';
import type { BodyLimit, BodyLimits, ClientError } from '../http/openaiErrors.ts';
import type { AccessKeys } from './accessKeys.ts';

export interface RequestHead {
  /** The result of `encodeMetadata`. */
  readonly metadata: Uint8Array;
  /** In bytes; undefined for a chunked body; 0 for no body. */
  readonly bodyLength: number | undefined;
}

/** The head of a request for the backend, as the client sent it. */
export interface ClientHead {
  readonly method: string;
  readonly target: string;
  /** Name, value, name, value ... */
  readonly rawHeaders: readonly string[];
  readonly keys: Pick<AccessKeys, 'isIn'>;
  readonly limits: BodyLimits;
}

/**
 * The metadata and the body length of a request, or the error for one that does not fit into an envelope. Headers that
 * contain an access key are left out: clients send them in addition to the one that the proxy reads.
 * @param cacheNamespaceRoot null for all but chat completions
 */
export function readRequestHead(
  { method, target, rawHeaders: raw, keys, limits }: ClientHead,
  credential: string,
  cacheNamespaceRoot: Uint8Array | null,
): RequestHead | ClientError {
  if (target.length > MAX_TARGET) return PROXY_ERRORS.targetTooLong;
  if (!isTarget(target)) return PROXY_ERRORS.badTarget;
  if (target.split(/[?&]/).some((part) => keys.isIn(...nameAndValue(part)))) return PROXY_ERRORS.keyInQuery;
  const headers = requestHeaders(raw).filter(({ name, value }) => !keys.isIn(name, value));
  if (headers.length > MAX_REQUEST_HEADERS) return PROXY_ERRORS.tooManyHeaders;
  const framing = readFraming(raw, limits.relayed);
  if ('status' in framing) return framing;
  const { bodyLength, bodyPresent } = framing;
  try {
    const metadata = encodeMetadata({ credential, cacheNamespaceRoot, method, target, headers, bodyPresent });
    return { metadata, bodyLength };
  } catch (error) {
    if (error instanceof SessionError) return PROXY_ERRORS.tooManyHeaders;
    throw error;
  }
}

function nameAndValue(parameter: string): [string, string] {
  const [name = '', ...value] = parameter.split('=');
  return [name, value.join('=')];
}

/** The body length of a request of a dialect, or the error for one that the proxy cannot read. */
export function readDialectHead({
  rawHeaders: raw,
  limits,
}: Pick<ClientHead, 'rawHeaders' | 'limits'>): Framing | ClientError {
  const coding = singleValue(raw, 'content-encoding') ?? 'identity';
  return coding === 'identity' ? readFraming(raw, limits.translated) : DIALECT_ERRORS.contentCoding;
}

interface Framing {
  /** In bytes; undefined for a chunked body; 0 for no body. */
  readonly bodyLength: number | undefined;
  readonly bodyPresent: boolean;
}

/** How long the body of a request will be, or the error for one that cannot be read. */
function readFraming(raw: readonly string[], limit: BodyLimit): Framing | ClientError {
  const announced = singleValue(raw, 'content-length');
  const coding = singleValue(raw, 'transfer-encoding');
  const chunked = coding !== undefined;
  if (chunked && coding?.toLowerCase() !== 'chunked') return PROXY_ERRORS.badRequest; // the body would stay encoded
  const bodyLength = chunked ? undefined : Number(announced ?? 0);
  if (bodyLength !== undefined && bodyLength > limit.max) return limit.error;
  return { bodyLength, bodyPresent: chunked || announced !== undefined };
}
