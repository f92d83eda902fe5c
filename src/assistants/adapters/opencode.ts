import type { Assistant } from '../types.ts';
import { fileAssistant, jsonFile } from './fileAssistant.ts';
import { openCodeEntry } from './openCodeEntry.ts';

/** https://opencode.ai/docs/config: if both files exist, the first one takes precedence. */
export const opencode: Assistant = fileAssistant({
  id: 'opencode',
  name: 'opencode',
  next: 'Restart opencode to use it.',
  folders: ['.config/opencode', '.opencode', '.local/share/opencode'],
  files: ['.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
  ...jsonFile(openCodeEntry),
});
