// Sentences about clients that the dashboard and the view in the activity bar share. Pure.
import type { KeyOrigin } from '../keys/accessKeys.ts';

/** What a client without a configuration that Sealed Proxy changes is, by the origin of its access key. */
export const ORIGINS: Readonly<Record<KeyOrigin, string>> = {
  user: 'Access key that you created',
  client: 'Extension that you allowed',
  assistant: 'Configuration or code that you copied',
  terminal: "VS Code's terminals",
  own: 'Sealed Proxy itself',
};

/** @param timeOf words for a time in milliseconds since 1970 */
export function describeUse(lastUsedAt: number | null, timeOf: (at: number) => string): string {
  return lastUsedAt === null ? 'Waiting for the first request…' : `Last request ${timeOf(lastUsedAt)}`;
}
