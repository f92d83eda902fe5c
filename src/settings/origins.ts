/** Matches the `Origin` header of a request (RFC 6454). */
export type OriginPattern = (origin: string) => boolean;

const PATTERN = /^([a-z][a-z0-9+.-]*):\/\/(\*|[^/*\s?#@]+)$/;

/**
 * `scheme://host[:port]`, or `scheme://*` for every host of a scheme; undefined for anything else. There is no pattern
 * for every origin: any web page could then spend the key.
 */
export function parseOriginPattern(text: string): OriginPattern | undefined {
  const [, scheme, host] = PATTERN.exec(text.toLowerCase()) ?? [];
  if (scheme === undefined || host === undefined) return undefined;
  const isWeb = scheme === 'http' || scheme === 'https';
  if (host !== '*') return (origin) => origin.toLowerCase() === `${scheme}://${host}`;
  if (isWeb) return undefined;
  return (origin) => {
    const [, actual, rest = '*'] = PATTERN.exec(origin.toLowerCase()) ?? [];
    return actual === scheme && rest !== '*';
  };
}
