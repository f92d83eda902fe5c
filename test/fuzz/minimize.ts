import { execute } from './execute.ts';
import type { Failure } from './execute.ts';
import type { FuzzTarget } from './target.ts';

/** In milliseconds: shorter than what main.ts takes for an input that does not end. */
const LIMIT = 20_000;

/** A shorter input that fails in the same way. */
export async function minimize(target: FuzzTarget, input: Buffer, { kind }: Failure): Promise<Buffer> {
  const deadline = performance.now() + LIMIT;
  let best = input;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && performance.now() < deadline;) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      const failure = await execute(target, shorter);
      if (failure?.kind === kind) best = shorter;
      else at += size;
    }
  }
  return best;
}
