import { fileAssistant, jsonFile } from './fileAssistant.ts';
import { openCodeEntry } from './openCodeEntry.ts';
import type { Assistant } from '../types.ts';

/** The extension and the command line read one file, which is opencode's by another name. */
export const kilo: Assistant = fileAssistant({
  id: 'kilo',
  name: 'Kilo Code',
  next: 'Kilo Code reads it when it starts: reload the window, or start its command line anew.',
  extension: 'kilocode.Kilo-Code',
  folders: ['.config/kilo', '.local/share/kilo'],
  files: ['.config/kilo/kilo.jsonc', '.config/kilo/kilo.json'],
  ...jsonFile(openCodeEntry),
});
