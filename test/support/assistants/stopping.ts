// Measures how long an abort takes from the assistant to the enclave.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { EventQueue } from '../e2e/eventQueue.ts';
import { DEADLINE, eventually, withTimeout } from '../withTimeout.ts';
import type { Bench } from './bench.ts';
import { BEGIN } from './script.ts';

/** In milliseconds. */
export interface Stop {
  /** From the signal until the enclave is notified, including the time that the assistant needs. */
  readonly fromSignal: number;
  /** From the end of the assistant's connection, which is the proxy's own share. */
  readonly fromClose: number;
}

/** The same handler, which adds the time of each abort to `aborted`. */
export function watched(handler: ApiHandler, aborted: EventQueue<number>): ApiHandler {
  return (request, response) => {
    response.signal.addEventListener('abort', () => {
      aborted.add(performance.now());
    });
    return handler(request, response);
  };
}

/** Waits for the response to begin, stops the assistant with `stop`, and waits for the abort in the enclave. */
export async function measureStop({ recorder }: Bench, aborted: EventQueue<number>, stop: () => void): Promise<Stop> {
  const hasBegun = () => recorder.received.includes(BEGIN);
  await eventually('the response to begin', hasBegun);
  const connection = recorder.connections.items.find(({ received }) => Buffer.concat(received).includes(BEGIN));
  assert.ok(connection);
  const closed = connection.closed.then(() => performance.now());
  const begin = performance.now();
  stop();
  const known = await aborted.find('the abort to reach the enclave', (at) => at > begin);
  return { fromSignal: known - begin, fromClose: known - (await withTimeout('the connection', DEADLINE, closed)) };
}
