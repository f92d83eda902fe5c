// The rules of the house about what may import what, judged from the syntax of the sources.
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/** Path below `src`, with slashes, and text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

interface Layer {
  /** The layers that it may import, besides itself. */
  readonly below: readonly string[];
  /** The packages and modules of the runtime that it may import. */
  readonly foreign: RegExp;
  /** The names of the environment that it must not touch. */
  readonly untouched: readonly string[];
}

const CLOCKS = ['Date.now', 'new Date()', 'performance', 'setTimeout', 'setInterval'];
const SURROUNDINGS = ['fetch', 'WebSocket', 'console', 'process'];

const LAYERS: Readonly<Record<string, Layer>> = {
  shared: { below: [], foreign: /^node:/, untouched: [...CLOCKS, ...SURROUNDINGS] },
  attestation: {
    below: ['shared'],
    foreign: /^(node:crypto|cborg|@sigstore\/core)$/,
    untouched: [...CLOCKS, ...SURROUNDINGS, 'setImmediate', 'queueMicrotask', 'Math.random'],
  },
  session: {
    below: ['attestation', 'shared'],
    foreign: /^(node:crypto|@noble\/(ciphers|hashes)\/.+)$/,
    untouched: [...CLOCKS, ...SURROUNDINGS, 'Math.random'],
  },
  settings: { below: ['shared'], foreign: /^node:net$/, untouched: [...CLOCKS, ...SURROUNDINGS, 'Math.random'] },
  proxy: {
    below: ['settings', 'session', 'attestation', 'shared'],
    foreign: /^(node:(?!fs|child_process|worker_threads|cluster|vm|inspector)[a-z/_]+|undici)$/,
    untouched: ['Math.random', 'fetch', 'console'],
  },
  keys: { below: ['shared'], foreign: /^node:.+$/, untouched: [] },
  presentation: { below: ['keys', 'shared'], foreign: /^node:.+$/, untouched: [...CLOCKS, ...SURROUNDINGS] },
  supervisor: { below: ['settings', 'shared'], foreign: /^node:.+$/, untouched: [] },
  chat: { below: ['supervisor', 'presentation', 'settings', 'shared'], foreign: /^node:.+$/, untouched: [] },
  assistants: {
    below: ['chat', 'supervisor', 'keys', 'presentation', 'settings', 'shared'],
    foreign: /^(node:.+|jsonc-parser|yaml)$/,
    untouched: [],
  },
  diagnostics: {
    below: ['assistants', 'chat', 'supervisor', 'keys', 'presentation', 'settings', 'shared'],
    foreign: /^node:.+$/,
    untouched: [],
  },
  extension: {
    below: ['diagnostics', 'assistants', 'chat', 'supervisor', 'keys', 'presentation', 'settings', 'shared'],
    foreign: /^(node:.+|vscode)$/,
    untouched: [],
  },
  devEnclave: { below: ['session', 'attestation', 'shared'], foreign: /^(node:.+|cborg|undici)$/, untouched: [] },
};

/** Every TypeScript file below `src`. */
export function readSources(): Source[] {
  const root = new URL('../../src/', import.meta.url);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

/** What breaks a rule, as `path: reason`; empty where nothing does. */
export function findViolations(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  const parsed = sources.map((source) => parsedBefore.get(source) ?? parse(source));
  return [
    ...parsed.flatMap((file) => [...judgeLayer(file, paths), ...judgeForm(file)]),
    ...findCycles(new Map(parsed.map(({ path, imports }) => [path, imports.flatMap((name) => resolve(path, name))]))),
  ];
}

interface Parsed {
  readonly path: string;
  /** As they are written. */
  readonly imports: readonly string[];
  readonly exportsDefault: boolean;
  readonly reExports: boolean;
  /** The names of the environment that it touches, of those that any layer leaves alone. */
  readonly touched: ReadonlySet<string>;
}

const parsedBefore = new WeakMap<Source, Parsed>();

function parse(source: Source): Parsed {
  const { path, text } = source;
  const imports: string[] = [];
  const touched = new Set<string>();
  let [exportsDefault, reExports] = [false, false];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const { moduleSpecifier } = node;
      if (moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier)) {
        imports.push(moduleSpecifier.text);
        reExports ||= ts.isExportDeclaration(node);
      }
    }
    exportsDefault ||=
      ts.isExportAssignment(node) ||
      (ts.isExportSpecifier(node) && node.name.text === 'default') ||
      (ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(isDefault));
    if (ts.isCallExpression(node)) {
      const [argument] = node.arguments;
      const loads = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require';
      if (loads) imports.push(argument !== undefined && ts.isStringLiteral(argument) ? argument.text : '?');
    }
    if (ts.isImportTypeNode(node)) imports.push(node.argument.getText().slice(1, -1));
    for (const name of touchedBy(node)) touched.add(name);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  const parsed = { path, imports, exportsDefault, reExports, touched };
  parsedBefore.set(source, parsed);
  return parsed;
}

function isDefault({ kind }: ts.Modifier): boolean {
  return kind === ts.SyntaxKind.DefaultKeyword;
}

/** `fetch`, `Date.now`, `new Date()`: a name that stands for itself and is no property, key or type. */
function touchedBy(node: ts.Node): string[] {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0) {
    return ['new Date()'];
  }
  if (!ts.isIdentifier(node)) return [];
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) {
    if (parent.name !== node) return [node.text, parent.getText()];
    return parent.expression.getText() === 'globalThis' ? [node.text] : [];
  }
  const isName = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return isName || ts.isTypeNode(parent) ? [] : [node.text];
}

function judgeLayer({ path, imports, touched }: Parsed, paths: ReadonlySet<string>): string[] {
  const own = layerOf(path);
  const layer = LAYERS[own];
  if (layer === undefined) return [`${path}: there is no layer ${own}`];
  const violations = layer.untouched.filter((name) => touched.has(name)).map((name) => `${path}: touches ${name}`);
  for (const name of imports) {
    const [target] = resolve(path, name);
    if (target === undefined) {
      if (!layer.foreign.test(name)) violations.push(`${path}: must not import ${name}`);
    } else if (!paths.has(target)) {
      violations.push(`${path}: imports ${name}, which is not there`);
    } else if (layerOf(target) !== own && !layer.below.includes(layerOf(target))) {
      violations.push(`${path}: imports upward, ${target}`);
    }
  }
  return violations;
}

function judgeForm({ path, exportsDefault, reExports }: Parsed): string[] {
  return [
    ...(exportsDefault ? [`${path}: exports a default`] : []),
    ...(reExports ? [`${path}: exports again what another file exports`] : []),
  ];
}

/** The path below `src` of a relative import; nothing for a foreign one. */
function resolve(from: string, name: string): string[] {
  return name.startsWith('.') ? [posix.join(posix.dirname(from), name)] : [];
}

function layerOf(path: string): string {
  return path.split('/', 1)[0] ?? '';
}

function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) cycles.push(`${path}: imports itself by ${[...trail.slice(at), path].join(' -> ')}`);
    if (at !== -1 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}
