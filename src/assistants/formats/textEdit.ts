// Edits of a text by offsets. Pure.

/** The text with one range removed, or replaced by another text. */
export function replaceRange(text: string, start: number, end: number, inserted = ''): string {
  return text.slice(0, start) + inserted + text.slice(end);
}

/** Where the line at an offset begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line after an offset begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** The line ending that a text uses. */
export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
