// What the head of a request names: the target and the host (RFC 9112 section 3.2).
import { withoutBrackets } from '../../settings/loopback.ts';
import { singleValue } from '../http/headers.ts';

export interface RequestTarget {
  /** A path with optional query, or `*`. */
  readonly target: string;
  /** The host and the port in an absolute target. */
  readonly authority?: string;
}

const ORIGIN_FORM = /^\/[\x21-\x7e]*$/;
const ABSOLUTE_FORM = /^(https?):\/\/([^/?]*)([/?].*)?$/i;
const RESERVED = /[#\\]/;
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(?::\d{0,5})?$/i;

/**
 * The target of a request; undefined if it is not a valid one for this method.
 * @param scheme that of the connection
 */
export function readTarget(method: string, url: string, scheme: 'http' | 'https' = 'http'): RequestTarget | undefined {
  if (RESERVED.test(url)) return undefined;
  if (url === '*') return method === 'OPTIONS' ? { target: '*' } : undefined;
  if (ORIGIN_FORM.test(url)) return { target: url };
  const [, named, authority, rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined || named?.toLowerCase() !== scheme) return undefined;
  if (rest === '') return { target: method === 'OPTIONS' ? '*' : '/', authority };
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  return ORIGIN_FORM.test(target) ? { target, authority } : undefined;
}

/**
 * The host that a request names, in lower case and without a port. An absolute target decides over the `Host` header, but
 * does not replace it. Undefined: the header is missing or repeated, or the host is not valid.
 */
export function readHost(raw: readonly string[], authority?: string): string | undefined {
  const field = hostOf(singleValue(raw, 'host') ?? '');
  return field === undefined || authority === undefined ? field : hostOf(authority);
}

function hostOf(authority: string): string | undefined {
  const host = AUTHORITY.exec(authority)?.[1];
  return host === undefined ? undefined : withoutBrackets(host).toLowerCase();
}
