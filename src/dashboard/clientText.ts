// Sentences about clients that the dashboard and the view in the activity bar share. Pure.
import type { AccessKey, KeyOrigin } from '../keys/accessKeys.ts';

/** What a client without a configuration that Sealed Proxy changes is, by the origin of its access key. */
export const ORIGINS: Readonly<Record<KeyOrigin, string>> = {
  user: 'Access key that you created',
  client: 'Extension that you allowed',
  assistant: 'Configuration or code that you copied',
  terminal: "VS Code's terminals",
  own: 'Sealed Proxy itself',
};

/**
 * The first request, until a later one is recorded: the proxy reports the use of a key at most once a minute.
 * @param timeOf words for the time of the last request, in milliseconds since 1970
 * @param firstTimeOf the same for the first request
 */
export function describeUse(
  { firstUsedAt, lastUsedAt }: Pick<AccessKey, 'firstUsedAt' | 'lastUsedAt'>,
  timeOf: (at: number) => string,
  firstTimeOf = timeOf,
): string {
  if (lastUsedAt === null) return 'Waiting for the first request…';
  return firstUsedAt === lastUsedAt
    ? `First request ${firstTimeOf(firstUsedAt)}`
    : `Last request ${timeOf(lastUsedAt)}`;
}
