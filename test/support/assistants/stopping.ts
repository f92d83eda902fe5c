// How long the enclave works on after a person has stopped the assistant in the middle of an answer.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { EventQueue } from '../e2e/eventQueue.ts';
import { DEADLINE, withTimeout } from '../withTimeout.ts';
import { eventually } from '../vscode/processes.ts';
import type { Bench } from './bench.ts';
import { BEGIN } from './script.ts';

/** In milliseconds. */
export interface Stop {
  /** From the signal until the enclave knows: with what the assistant itself takes to let go. */
  readonly fromSignal: number;
  /** From the moment the assistant's connection closes: ours alone. */
  readonly fromClose: number;
}

/** The same handler; `gone` hears at what time nobody waits any more for an answer. */
export function watched(handler: ApiHandler, gone: EventQueue<number>): ApiHandler {
  return (request, response) => {
    response.signal.addEventListener('abort', () => {
      gone.add(performance.now());
    });
    return handler(request, response);
  };
}

/** Waits for the answer to begin, stops the assistant by `stop`, and waits until the enclave knows. */
export async function measureStop(
  { tap }: Bench,
  gone: EventQueue<number>,
  stop: () => void,
  patience: number,
): Promise<Stop> {
  const isAnswered = () => tap.received.includes(BEGIN);
  await eventually('the answer to begin', isAnswered, patience);
  const connection = tap.connections.items.find(({ received }) => Buffer.concat(received).includes(BEGIN));
  assert.ok(connection);
  const closed = connection.closed.then(() => performance.now());
  const begin = performance.now();
  stop();
  const known = await gone.find('the enclave to know', (at) => at > begin, 0, patience);
  return { fromSignal: known - begin, fromClose: known - (await withTimeout('the connection', DEADLINE, closed)) };
}
