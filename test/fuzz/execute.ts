// Runs a target on one input, and says what is wrong.
import { inspect } from 'node:util';
import type { FuzzTarget } from './target.ts';

/**
 * In milliseconds of CPU time, for one input of the usual length. Most take less than one; what grows faster than the input
 * takes far more.
 */
const LIMIT = 2000;

export interface Failure {
  /** Equal for failures of the same kind. */
  readonly kind: string;
  /** With the stack. */
  readonly details: string;
}

export async function execute(target: FuzzTarget, input: Buffer): Promise<Failure | undefined> {
  const before = process.threadCpuUsage();
  try {
    await target.run(input);
  } catch (error) {
    const first = error instanceof Error ? `${error.name}: ${error.message.split('\n', 1)[0] ?? ''}` : String(error);
    return { kind: first.replaceAll(/\d+|(["'`]).*\1/g, '_').slice(0, 100), details: inspect(error) };
  }
  const { user, system } = process.threadCpuUsage(before);
  const milliseconds = Math.round((user + system) / 1000);
  if (milliseconds <= LIMIT) return undefined;
  return { kind: 'slow', details: `it takes ${milliseconds} ms of CPU time, more than ${LIMIT} ms` };
}
