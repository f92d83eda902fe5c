import { asObject } from '../shared/json.ts';

/** The `type` of a text in a prompt of @vscode/prompt-tsx (`PromptNodeType.Text`). */
const TEXT = 2;

/** The text of a prompt of @vscode/prompt-tsx, in its JSON form. Anything else becomes a JSON text. */
export function tsxText(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = textOf(asObject(value)?.['node']);
  return text === '' && value !== undefined ? JSON.stringify(value) : text;
}

function textOf(node: unknown): string {
  const { type, text, lineBreakBefore, children } = asObject(node) ?? {};
  if (type === TEXT && typeof text === 'string') return lineBreakBefore === true ? `\n${text}` : text;
  return Array.isArray(children) ? children.map(textOf).join('') : '';
}
