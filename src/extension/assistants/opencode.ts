import { fileAssistant, jsonFile } from './fileAssistant.ts';
import { openCodeEntry } from './openCodeEntry.ts';
import type { Assistant } from './types.ts';

/** https://opencode.ai/docs/config: of the two files, what the second says counts. */
export const opencode: Assistant = fileAssistant({
  id: 'opencode',
  name: 'opencode',
  next: 'opencode reads it when it starts.',
  folders: ['.config/opencode', '.opencode', '.local/share/opencode'],
  files: ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
  ...jsonFile(openCodeEntry),
});
