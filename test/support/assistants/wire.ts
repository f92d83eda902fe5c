// Splits the bytes of one connection between an assistant and the proxy into HTTP messages.
import { parseChunks } from '../e2e/rawHttp.ts';

/** One message on the wire. */
interface Message {
  readonly startLine: string;
  readonly body: Buffer;
  readonly end: number;
}

export interface WireExchange {
  readonly method: string;
  readonly target: string;
  readonly request: Buffer;
  /** Undefined if it is incomplete. */
  readonly response: { readonly status: number; readonly body: Buffer } | undefined;
}

/** Each complete request on a connection, with its response. */
export function exchangesOn(sent: Buffer, received: Buffer): WireExchange[] {
  const exchanges: WireExchange[] = [];
  let [request, response] = [readMessage(sent, 0), readFinal(received, 0)];
  while (request !== undefined) {
    const [method = '', target = ''] = request.startLine.split(' ');
    const status = Number(response?.startLine.split(' ')[1]);
    exchanges.push({
      ...{ method, target, request: request.body },
      response: response && { status, body: response.body },
    });
    request = readMessage(sent, request.end);
    response = response && readFinal(received, response.end);
  }
  return exchanges;
}

/** Skips 100 Continue. */
function readFinal(bytes: Buffer, start: number): Message | undefined {
  const message = readMessage(bytes, start);
  return message?.startLine.startsWith('HTTP/1.1 1') ? readFinal(bytes, message.end) : message;
}

/** RFC 9112 section 6.3: a body is delimited by its chunks or its length, else there is none. */
function readMessage(bytes: Buffer, start: number): Message | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n', start);
  if (headEnd === -1) return undefined;
  const [startLine = '', ...fields] = bytes.toString('latin1', start, headEnd).split('\r\n');
  const valueOf = (name: string) => {
    const field = fields.find((line) => line.toLowerCase().startsWith(`${name}:`));
    return field?.slice(name.length + 1).trim();
  };
  const bodyStart = headEnd + 4;
  if (valueOf('transfer-encoding')?.toLowerCase() === 'chunked') {
    const content = parseChunks(bytes, bodyStart);
    return content && { startLine, ...content };
  }
  const end = bodyStart + Number(valueOf('content-length') ?? 0);
  return end > bytes.length ? undefined : { startLine, body: bytes.subarray(bodyStart, end), end };
}
