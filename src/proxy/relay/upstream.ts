// What the backend is asked for, and with which key.
import { hash } from 'node:crypto';

export const CHAT_COMPLETIONS = '/v1/chat/completions';
export const MODELS = '/v1/models';

/** The API key that a request is sent with. */
export interface UpstreamKey {
  readonly value: string;
  /** The access key that the client sent instead; null if the client sent the API key itself. */
  readonly accessKeyId: string | null;
}

/** Identifies an API key without keeping it. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
