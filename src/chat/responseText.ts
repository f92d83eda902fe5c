import type { IncomingMessage } from 'node:http';

/** The maximum length of an error response, in characters. The rest is ignored. */
export const MAX_ERROR = 64 * 1024;

/** The body of a response as text. Stops reading after about `limit` characters. */
export async function readText(response: IncomingMessage, limit: number): Promise<string> {
  let body = '';
  for await (const text of response.setEncoding('utf8')) {
    body += text as string;
    if (body.length > limit) break;
  }
  return body;
}
