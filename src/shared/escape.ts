// Makes text from outside (a backend, a file, another program) safe to show: the editor would take some of it for links,
// commands, icons or formatting. Pure.

/** The longest text of a list row, in characters. */
const LONGEST_LABEL = 100;

/** For a Markdown document or tooltip: one line in which nothing becomes a link, image, icon, format or table cell. */
export function asMarkdown(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/^[#+-]|[\\`*_[\]<>|&~$]/g, '\\$&');
}

/** For a Markdown document: an identifier or address as code. Characters that none of them needs become `?`. */
export function asCode(identifier: string): string {
  return `\`${identifier.replaceAll(/[^\x21-\x7e]|[`|$]/g, '?')}\``;
}

/** For a notification, where the editor turns Markdown links into links and commands. */
export function asNotice(text: string): string {
  return text.replaceAll('](', '] (');
}

/** For a row of a list, where the editor draws icons: a check mark from outside would look like a verdict. */
export function asLabel(text: string, longest = LONGEST_LABEL): string {
  return text.slice(0, longest).replaceAll(/\s+/g, ' ').replaceAll('$(', '$ (');
}
