// Forwards requests to another OpenAI-compatible server (`--forward URL`).
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { HOP_BY_HOP_HEADERS, MAX_RESPONSE_HEADERS } from '../../session/wire.ts';
import type { HeaderField } from '../../session/wire.ts';
import { codeOf } from '../../shared/errors.ts';
import { ApiError, answerApiError } from './apiErrors.ts';
import type { ApiHandler, ApiRequest, ApiResponseWriter } from './apiHandler.ts';

/**
 * Forwards every request to `base`, with the API key as a bearer token, and streams the response back.
 * @param base http or https; its path, if any, precedes the target of the request
 */
export function createForwarder(base: URL): ApiHandler {
  return async (request, response) => {
    const answer = await send(base, request, response.signal).catch((error: unknown) => {
      response.signal.throwIfAborted();
      return unreachable(error);
    });
    if (answer instanceof ApiError) answerApiError(response, answer);
    else await stream(answer, response);
  };
}

/** Parses the base URL of `--forward`: http or https without user name, query and fragment; else undefined. */
export function parseForwardUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  const plain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return plain && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

async function send(base: URL, request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { method, target, headers, credential, body } = request;
  const fields = headers.map(({ name, value }) => [name, value]);
  if (credential !== null) fields.push(['authorization', `Bearer ${credential}`]);
  if (body !== undefined) fields.push(['content-length', String(body.length)]);
  fields.push(['host', base.host]);
  const open = base.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = open(base, {
    method,
    path: base.pathname.replace(/\/$/, '') + target,
    headers: fields.flat(),
    signal,
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined); // errors after the head are reported by `answer`
  return answer;
}

async function stream(answer: IncomingMessage, response: ApiResponseWriter): Promise<void> {
  const headers = endToEndFields(answer.rawHeaders).slice(0, MAX_RESPONSE_HEADERS);
  response.start({ status: answer.statusCode ?? 502, headers });
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (!response.write(chunk)) await response.drained();
    }
  } catch {
    response.signal.throwIfAborted();
    response.fail('upstream_provider_error');
    return;
  }
  response.end();
}

/** The fields of Node's `rawHeaders` (name, value, name, value ...) that are neither hop-by-hop nor named by `connection`. */
function endToEndFields(rawHeaders: readonly string[]): HeaderField[] {
  const fields: HeaderField[] = [];
  const dropped = new Set<string>(HOP_BY_HOP_HEADERS);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (name === 'connection') for (const token of value.split(',')) dropped.add(token.trim().toLowerCase());
    fields.push({ name, value });
  }
  return fields.filter(({ name }) => !dropped.has(name));
}

function unreachable(error: unknown): ApiError {
  const code = codeOf(error);
  const detail = code === undefined ? '' : `: ${code}`;
  return new ApiError(502, 'upstream_provider_error', `Cannot connect to the server of --forward${detail}`);
}
