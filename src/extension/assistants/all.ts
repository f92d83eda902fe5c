import { cline } from './cline.ts';
import { continueDev } from './continue.ts';
import { kilo } from './kilo.ts';
import { opencode } from './opencode.ts';
import { qwenCode } from './qwenCode.ts';
import type { Assistant } from './types.ts';

/** Those whose files are written, in the order in which they are offered. */
export const ASSISTANTS: readonly Assistant[] = [continueDev, cline, kilo, opencode, qwenCode];
