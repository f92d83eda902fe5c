// A server of PCR0 histories of plain sockets, and a loader that downloads from it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Agent } from 'undici';
import type { PcrHistory } from '../../src/attestation/history.ts';
import { PINS } from '../../src/attestation/pins.ts';
import type { Environment } from '../../src/attestation/pins.ts';
import { createHistoryLoader } from '../../src/proxy/backend/pcrHistory.ts';
import { FakeClock } from './fakeClock.ts';
import { RawServer } from './rawServer.ts';
import type { RawConnection } from './rawServer.ts';
import { DEADLINE, withTimeout } from './withTimeout.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url));

/** The published histories. */
export const HISTORIES = { production: fixture('pcr-history-prod'), development: fixture('pcr-history-dev') };

/** The PCR0 values in the published history that are not in the pinned list, the oldest first. */
export function namedOnlyIn(environment: Environment): readonly [string, ...string[]] {
  const known = PINS[environment].pcr0;
  const [first, ...others] = entriesOf(environment).flatMap(({ PCR0 }) => (known.includes(PCR0) ? [] : [PCR0]));
  return [first ?? assert.fail(), ...others];
}

/** The published history without these images: still signed, because each entry has its own signature. */
export function historyWithout(environment: Environment, ...pcr0: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(entriesOf(environment).filter(({ PCR0 }) => !pcr0.includes(PCR0))));
}

function entriesOf(environment: Environment): readonly { readonly PCR0: string }[] {
  return JSON.parse(HISTORIES[environment].toString()) as readonly { readonly PCR0: string }[];
}

export class HistoryServer {
  readonly clock = new FakeClock();
  readonly server: RawServer;
  readonly dispatcher: Agent;

  private constructor(server: RawServer) {
    this.server = server;
    this.dispatcher = new Agent({
      // Every connection goes to the server of the test, without TLS.
      connect: (_options, callback) => {
        const socket = connect(server.port, '127.0.0.1', () => {
          callback(null, socket);
        });
      },
    });
  }

  static async open(): Promise<HistoryServer> {
    return new HistoryServer(await RawServer.listen());
  }

  async close(): Promise<void> {
    await withTimeout('the dispatcher to close', DEADLINE, this.dispatcher.destroy());
    await this.server.close();
  }

  /** How many downloads have begun. */
  get downloads(): number {
    return this.server.connections.length;
  }

  loader(environment: Environment = 'production') {
    return createHistoryLoader(environment, this.dispatcher, this.clock);
  }

  async answer(connection: RawConnection, body: Uint8Array, status = 200): Promise<void> {
    await connection.takeHead();
    connection.write(`HTTP/1.1 ${status} X\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`);
    connection.write(body);
  }

  /** Waits for the result of a call, and answers its download. */
  async answered(asked: Promise<PcrHistory>, body: Uint8Array, status = 200): Promise<PcrHistory> {
    asked.catch(() => undefined);
    await this.answer(await this.server.next('the download'), body, status);
    return withTimeout('the history', DEADLINE, asked);
  }
}
