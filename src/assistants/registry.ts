import { cline } from './adapters/cline.ts';
import { continueDev } from './adapters/continue.ts';
import { customEndpoint } from './adapters/customEndpoint.ts';
import type { EndpointList } from './adapters/customEndpoint.ts';
import { kilo } from './adapters/kilo.ts';
import { llamaVscode } from './adapters/llamaVscode.ts';
import type { ExtensionSettings } from './adapters/llamaVscode.ts';
import { opencode } from './adapters/opencode.ts';
import { qwenCode } from './adapters/qwenCode.ts';
import type { Assistant } from './types.ts';

/** Those that have files. */
export const FILE_ASSISTANTS: readonly Assistant[] = [continueDev, cline, kilo, opencode, qwenCode];

/** All that are written for the person, in the order in which they are offered. */
export function allAssistants(llama: ExtensionSettings, endpoints: EndpointList): readonly Assistant[] {
  return [...FILE_ASSISTANTS, llamaVscode(llama), customEndpoint(endpoints)];
}
