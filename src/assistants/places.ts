import { homedir } from 'node:os';
import type { Places } from './types.ts';

/** The user's own folders. */
export function userPlaces(): Places {
  return {
    home: homedir(),
    configHome: process.env['XDG_CONFIG_HOME'],
    claudeHome: process.env['CLAUDE_CONFIG_DIR'],
    codexHome: process.env['CODEX_HOME'],
  };
}
