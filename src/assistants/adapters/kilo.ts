import type { Assistant } from '../types.ts';
import { fileAssistant, jsonFile } from './fileAssistant.ts';
import { openCodeEntry } from './openCodeEntry.ts';

/** The extension and the command line share one file, which has the format of opencode's. */
export const kilo: Assistant = fileAssistant({
  id: 'kilo',
  name: 'Kilo Code',
  next: 'Reload the window, or restart Kilo Code on the command line, to use it.',
  extension: 'kilocode.Kilo-Code',
  folders: ['.config/kilo', '.local/share/kilo'],
  files: ['.config/kilo/kilo.jsonc', '.config/kilo/kilo.json'],
  ...jsonFile(openCodeEntry),
});
