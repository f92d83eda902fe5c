import type { Duplex } from 'node:stream';
import type { ProxyError } from './openaiErrors.ts';

/** What a relay writes a response to: Node's response, or one that translates what it is given. */
export interface ClientResponse {
  sendDate: boolean;
  readonly headersSent: boolean;
  /** Null while an earlier response on the connection is not complete. */
  readonly socket: (Pick<Duplex, 'destroy'> & { destroySoon(): void }) | null;
  /** @param headers name, value, name, value ... */
  writeHead(status: number, headers: string[]): unknown;
  flushHeaders(): void;
  /** False: wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  end(text?: string): unknown;
  /** `timeout`: the connection took nothing for the time that `setTimeout` set. */
  on(event: 'timeout', listener: () => void): unknown;
  once(event: 'drain' | 'socket', listener: () => void): unknown;
  setTimeout(milliseconds: number): unknown;
  /**
   * The response has begun, and the backend's cannot be completed.
   * @returns whether it ended with this error, as its format allows; otherwise the connection must break
   */
  endWithError?(error: ProxyError): boolean;
}
