// How words are written in a command for the user's shell. Pure.

/** How to quote: as in PowerShell on Windows, as in a POSIX shell elsewhere. */
export type Shell = 'posix' | 'powershell';

export function shellOf(platform: NodeJS.Platform): Shell {
  return platform === 'win32' ? 'powershell' : 'posix';
}

/** Unquoted if no shell treats any of its characters specially. */
export function word(text: string, shell: Shell): string {
  return /^[A-Za-z0-9_./:-]+$/.test(text) ? text : quote(text, shell);
}

/** In single quotes only the quote itself is special. PowerShell also treats curly quotes as quotes. */
export function quote(text: string, shell: Shell): string {
  if (shell === 'powershell') return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
