// Words of others (a backend's, a file's) where the editor would take them for more than words. Pure.

/** More does not fit into a row. */
const LONGEST = 100;

/** For a notification, which makes links, and commands, of what looks like Markdown. */
export function asNotice(text: string): string {
  return text.replaceAll('](', '] (');
}

/** For a row of a list, which draws icons: a tick would say that all is well. */
export function asLabel(text: string, longest = LONGEST): string {
  return text.slice(0, longest).replaceAll(/\s+/g, ' ').replaceAll('$(', '$ (');
}
