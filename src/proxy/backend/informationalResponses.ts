// undici breaks the connection at a `100 Continue` that it did not ask for, and has no option against it. A client must
// accept any number of informational responses before the final one, and may ignore them (RFC 9110 section 15.2). So they
// are taken out of what undici reads.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** The beginning of an informational response; 101 is left to undici, because it ends HTTP on the connection. */
const INFORMATIONAL = /^HTTP\/1\.\d 1(?!01)\d\d\s/;
const VERSION = 'HTTP/1.';
/** The length of a status line up to the end of the status. */
const STATUS_END = 12;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Finds the beginning of the final response in the bytes that follow a request. */
export class FinalResponseFinder {
  /** The first bytes of a status line that is not complete up to its status. */
  #held: Buffer = Buffer.alloc(0);
  /** Whether the next bytes belong to an informational response. */
  #skipping = false;
  #lineIsEmpty = false;

  /** Returns the bytes from the beginning of the final response on; undefined as long as it has not begun. */
  take(chunk: Buffer): Buffer | undefined {
    let rest: Buffer = chunk;
    for (;;) {
      if (this.#skipping) rest = this.#skipHead(rest);
      if (this.#skipping) return undefined;
      const start = this.#held.length === 0 ? rest : Buffer.concat([this.#held, rest]);
      const line = start.toString('latin1', 0, STATUS_END + 1);
      if (line.length <= STATUS_END && VERSION.startsWith(line.slice(0, VERSION.length))) {
        this.#held = start;
        return undefined;
      }
      if (!INFORMATIONAL.test(line)) return start;
      this.#held = Buffer.alloc(0);
      this.#skipping = true;
      this.#lineIsEmpty = false;
      rest = start.subarray(STATUS_END);
    }
  }

  /** Skips bytes up to the end of the blank line that ends the head. Returns what follows. */
  #skipHead(bytes: Buffer): Buffer {
    for (const [index, byte] of bytes.entries()) {
      if (byte === LINE_FEED) {
        if (this.#lineIsEmpty) {
          this.#skipping = false;
          return bytes.subarray(index + 1);
        }
        this.#lineIsEmpty = true;
      } else if (byte !== CARRIAGE_RETURN) {
        this.#lineIsEmpty = false;
      }
    }
    return Buffer.alloc(0);
  }
}

/** Hides the informational responses that precede the next final response on this socket from its reader. */
function skipInformational(socket: Socket): void {
  const finder = new FinalResponseFinder();
  Reflect.deleteProperty(socket, 'read'); // of an earlier request; what remains is the method of the class
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk === null) return null;
      const rest = finder.take(chunk);
      if (rest === undefined) continue;
      Reflect.deleteProperty(socket, 'read');
      return rest;
    }
  };
}

/** undici announces each request here, with its socket, just before it writes the request's head. */
const REQUESTS = 'undici:client:sendHeaders';

/** Hides informational responses from undici, in all connections of this process, until the returned function is called. */
export function hideInformationalResponses(): () => void {
  const onRequest = (message: unknown) => {
    skipInformational((message as { readonly socket: Socket }).socket);
  };
  subscribe(REQUESTS, onRequest);
  return () => {
    unsubscribe(REQUESTS, onRequest);
  };
}
