import { bodyLimits } from '../../src/proxy/http/openaiErrors.ts';
import { limitMemory } from '../../src/proxy/process/memory.ts';

/** Those of a computer with enough memory. */
export const BODY_LIMITS = bodyLimits(limitMemory({ total: 64 * 1024 ** 3 }));
