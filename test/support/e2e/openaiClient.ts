import OpenAI from 'openai';
import { ACCESS_KEY } from './scope.ts';

/** The OpenAI client, configured for the proxy as its documentation describes, without retries. */
export function openaiClient({ url }: { readonly url: string }, apiKey = ACCESS_KEY): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}
