import type { Assistant } from './adapters/assistant.ts';
import { claudeCode } from './adapters/claudeCode.ts';
import { cline } from './adapters/cline.ts';
import { codex } from './adapters/codex.ts';
import { continueDev } from './adapters/continue.ts';
import { customEndpoint } from './adapters/customEndpoint.ts';
import type { EndpointList } from './adapters/customEndpoint.ts';
import { llamaVscode } from './adapters/llamaVscode.ts';
import type { UserSettings } from './adapters/llamaVscode.ts';
import { kilo, opencode } from './adapters/opencode.ts';
import { qwenCode } from './adapters/qwenCode.ts';

/** The assistants that keep their configuration in a file. */
export const FILE_ASSISTANTS: readonly Assistant[] = [claudeCode, codex, continueDev, cline, kilo, opencode, qwenCode];

/** All assistants that Sealed Proxy can configure, in the order in which they are offered. */
export function allAssistants(settings: UserSettings, endpoints: EndpointList): readonly Assistant[] {
  return [...FILE_ASSISTANTS, llamaVscode(settings), customEndpoint(endpoints)];
}
