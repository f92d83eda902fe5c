// Bounds how deeply the values nest that are passed on as they are: writing JSON needs a stack.
import { invalidField } from '../dialectError.ts';

/** Far more than any schema has. */
const MAX_DEPTH = 200;

/** @throws DialectError if the value nests too deeply */
export function checkDepth(path: string, value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalidField(path, `must not nest more than ${MAX_DEPTH} levels.`);
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item as Record<string, unknown>) : [],
    );
  }
}
