import OpenAI from 'openai';
import { ACCESS_KEY } from './scope.ts';

/** The official client, told to use the proxy as its documentation says, without repeating what fails. */
export function openaiClient({ url }: { readonly url: string }, apiKey = ACCESS_KEY): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}
