/** A term as a link to its heading in docs/glossary.md, as Markdown; `text` shows it in other words. */
export function glossaryLink(term: string, text = term): string {
  const anchor = term.toLowerCase().replaceAll(' ', '-');
  return `[${text}](https://github.com/sealed-proxy/sealed-proxy/blob/main/docs/glossary.md#${anchor})`;
}
