// The parts of package.json and docs/ that are derived from the sources: the schema of the settings, and the list of checks.
import { VARIABLES } from '../src/settings/environment.ts';
import { EDITOR_SETTING_NAMES, RESTART_SETTINGS, SCHEMA, SETTING_GROUPS } from '../src/settings/schema.ts';
import { CHECK_IDS, EVIDENCE_VERSION } from '../src/shared/checks.ts';

interface Manifest {
  readonly capabilities: { readonly untrustedWorkspaces: { restrictedConfigurations: readonly string[] } };
  readonly contributes: { configuration: readonly object[] };
}

const BEGIN = '<!-- generated from src/settings/schema.ts by "npm run generate" -->\n\n';
const END = '\n\n<!-- end -->';

/** The settings of the editor, in their order. */
const EDITOR_SETTINGS = EDITOR_SETTING_NAMES.map((name) => {
  return { ...SCHEMA[name], fullName: `sealedProxy.${name}`, restarts: name in RESTART_SETTINGS };
});

/**
 * The files with generated parts, by path, with their up-to-date text.
 * @param read the present text of the file at a path
 */
export function generatedFiles(read: (path: string) => string): ReadonlyMap<string, string> {
  const tables = {
    'docs/cli.md': [['Variable', 'Default', 'Description'], ...VARIABLES.map(variableRow)],
    'docs/settings.md': [
      ['Setting', 'Default', 'Scope', 'Restarts the proxy', 'Description'],
      ...EDITOR_SETTINGS.map(({ fullName, default: value, scope, restarts, description }) => {
        const place = scope === 'application' ? 'user' : 'computer';
        return [`\`${fullName}\``, `\`${JSON.stringify(value)}\``, place, restarts ? 'yes' : 'no', description];
      }),
    ],
  };
  return new Map([
    ['package.json', updateManifest(read('package.json'))],
    ['docs/evidence.schema.json', updateChecks(read('docs/evidence.schema.json'))],
    ...Object.entries(tables).map(([path, rows]) => [path, replaceTable(read(path), rows)] as const),
  ]);
}

function variableRow({ variable, byDefault, description }: (typeof VARIABLES)[number]): string[] {
  const isValue = byDefault !== '' && !byDefault.startsWith('(');
  return [`\`${variable}\``, isValue ? `\`${byDefault}\`` : byDefault, description];
}

function updateManifest(text: string): string {
  const manifest = JSON.parse(text) as Manifest;
  manifest.contributes.configuration = SETTING_GROUPS.map((title, index) => ({
    title,
    order: index + 1,
    properties: Object.fromEntries(EDITOR_SETTINGS.filter(({ group }) => group === title).map(propertyOf)),
  }));
  manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = EDITOR_SETTINGS.map(({ fullName }) => fullName);
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Never wider than `machine`, because a workspace that somebody else wrote must not redirect the API key. */
function propertyOf(
  { fullName, json, default: value, scope, description }: (typeof EDITOR_SETTINGS)[number],
  order: number,
) {
  const { type, ...limits } = json;
  const property = {
    type,
    default: value,
    ...limits,
    order,
    scope: scope ?? 'machine',
    markdownDescription: description,
  };
  return [fullName, property] as const;
}

/** The schema of evidence with its version and one entry for each check. Only these lines change: Prettier formats the others differently. */
function updateChecks(schema: string): string {
  const items = CHECK_IDS.map((id) => ({
    allOf: [{ $ref: '#/definitions/check' }, { properties: { id: { const: id } } }],
  }));
  const list = JSON.stringify({ minItems: items.length, maxItems: items.length, items }, null, 2);
  const lines = list.slice(2, -2).replaceAll(/^/gm, '    ');
  return schema
    .replace(/("formatVersion": \{\s*"const": )\d+/, `$1${EVIDENCE_VERSION}`)
    .replace(/^ {6}"minItems": \d+,\n.*?\n {6}\]$/ms, lines);
}

/** The text with this table between its markers; the first row is the head. */
function replaceTable(text: string, rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const [head = '', ...lines] = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [begin, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  return text.slice(0, begin) + [head, rule, ...lines].join('\n') + text.slice(end);
}
