// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// `--forward URL`: another OpenAI-compatible server answers the logical requests.
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { MAX_RESPONSE_HEADERS } from '../../session/wire.ts';
import { ApiError, answerApiError } from './apiErrors.ts';
import { endToEnd, headerFields } from '../transport/headerFields.ts';
import type { LogicalHandler, LogicalRequest, LogicalResponseWriter } from './logical.ts';

/**
 * Sends every logical request on to `base`, with the credential as a bearer token, and passes the answer back as it
 * comes.
 * @param base http or https; its path, if it has one, goes in front of the logical target
 */
export function createForwarder(base: URL): LogicalHandler {
  return async (request, response) => {
    const answer = await ask(base, request, response.signal).catch((error: unknown) => {
      response.signal.throwIfAborted();
      return unreachable(error);
    });
    if (answer instanceof ApiError) answerApiError(response, answer);
    else await passOn(answer, response);
  };
}

/** Reads the base URL of `--forward`; undefined if it is none. */
export function parseForwardUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  const plain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return plain && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

async function ask(base: URL, request: LogicalRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { method, target, headers, credential, body } = request;
  const fields = headers.map(({ name, value }) => [name, value]);
  if (credential !== null) fields.push(['authorization', `Bearer ${credential}`]);
  if (body !== undefined) fields.push(['content-length', String(body.length)]);
  fields.push(['host', base.host]);
  const send = base.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = send(base, {
    method,
    path: base.pathname.replace(/\/$/, '') + target,
    headers: fields.flat(),
    signal,
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined); // from here on the answer reports what breaks
  return answer;
}

async function passOn(answer: IncomingMessage, response: LogicalResponseWriter): Promise<void> {
  const headers = endToEnd(headerFields(answer.rawHeaders)).slice(0, MAX_RESPONSE_HEADERS);
  response.start({ status: answer.statusCode ?? 502, headers });
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      if (!response.write(piece)) await response.drained();
    }
  } catch {
    response.signal.throwIfAborted();
    response.fail('upstream_provider_error');
    return;
  }
  response.end();
}

function unreachable(error: unknown): ApiError {
  const code = (error as { code?: unknown } | null)?.code;
  const detail = typeof code === 'string' ? `: ${code}` : '';
  return new ApiError(502, 'upstream_provider_error', `The server behind this enclave cannot be reached${detail}`);
}
