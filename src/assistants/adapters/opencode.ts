import { fileAssistant, jsonFile } from './fileAssistant.ts';
import { openCodeEntry } from './openCodeEntry.ts';
import type { Assistant } from '../types.ts';

/** https://opencode.ai/docs/config: where there are both files, the first of them counts. */
export const opencode: Assistant = fileAssistant({
  id: 'opencode',
  name: 'opencode',
  next: 'opencode reads it when it starts.',
  folders: ['.config/opencode', '.opencode', '.local/share/opencode'],
  files: ['.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
  ...jsonFile(openCodeEntry),
});
