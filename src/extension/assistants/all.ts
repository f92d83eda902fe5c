import { cline } from './cline.ts';
import { continueDev } from './continue.ts';
import { customEndpoint } from './customEndpoint.ts';
import type { EndpointList } from './customEndpoint.ts';
import { kilo } from './kilo.ts';
import { llamaVscode } from './llamaVscode.ts';
import type { ExtensionSettings } from './llamaVscode.ts';
import { opencode } from './opencode.ts';
import { qwenCode } from './qwenCode.ts';
import type { Assistant } from './types.ts';

/** Those that have files. */
export const FILE_ASSISTANTS: readonly Assistant[] = [continueDev, cline, kilo, opencode, qwenCode];

/** All that are written for the person, in the order in which they are offered. */
export function allAssistants(llama: ExtensionSettings, endpoints: EndpointList): readonly Assistant[] {
  return [...FILE_ASSISTANTS, llamaVscode(llama), customEndpoint(endpoints)];
}
