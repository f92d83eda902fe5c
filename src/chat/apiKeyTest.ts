// Tests an API key before it is stored: the backend lists its models for it.
import { isKeyRefusal } from '../shared/modelList.ts';
import { isFromProxy, modelIds } from '../supervisor/localProxy.ts';
import type { VerifiedConnection } from '../supervisor/localProxy.ts';
import { toChatError } from './chatError.ts';

export type ApiKeyTestResult =
  | { readonly kind: 'accepted' | 'refused' }
  /** The backend could not be asked; `reason` is a sentence for the user. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** In milliseconds. */
const LIMIT = 30_000;
const SILENT: ApiKeyTestResult = { kind: 'unknown', reason: 'The backend did not respond in time.' };

/**
 * Sends the key to the backend, as a client that uses it in place of an access key would. The proxy does not store it.
 * @param connection to our own proxy, which has proved it
 * @throws Error if the connection to the proxy fails, or the signal aborts
 */
export async function testApiKey(
  connection: VerifiedConnection,
  apiKey: string,
  signal: AbortSignal,
  limit = LIMIT,
): Promise<ApiKeyTestResult> {
  try {
    const response = await connection.askModels(apiKey, limit, signal);
    const { status, headers, body } = response;
    if (status === 200 && modelIds(body) !== undefined) return { kind: 'accepted' };
    if (isKeyRefusal(status) && !isFromProxy(response)) return { kind: 'refused' };
    if (status === 200 || status === 401) return { kind: 'unknown', reason: 'The backend did not list its models.' };
    return { kind: 'unknown', reason: toChatError(status, body, headers, false).message };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ETIMEDOUT') throw error;
    return SILENT;
  }
}
