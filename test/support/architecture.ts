// The rules about what may import what, and about sizes, checked against the syntax of the sources.
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/** A source file: its path below `src`, with slashes, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

interface Layer {
  /** The layers that it may import, besides itself. */
  readonly below: readonly string[];
  /** The packages and Node modules that it may import. */
  readonly packages: RegExp;
  /** The globals that it must not use. */
  readonly forbidden: readonly string[];
}

const CLOCKS = ['Date.now', 'new Date()', 'performance', 'setTimeout', 'setInterval'];
const ENVIRONMENT = ['fetch', 'WebSocket', 'console', 'process'];

const LAYERS: Readonly<Record<string, Layer>> = {
  shared: { below: [], packages: /^node:/, forbidden: [...CLOCKS, ...ENVIRONMENT] },
  disk: { below: [], packages: /^node:.+$/, forbidden: ENVIRONMENT },
  attestation: {
    below: ['shared'],
    packages: /^(node:crypto|cborg)$/,
    forbidden: [...CLOCKS, ...ENVIRONMENT, 'setImmediate', 'queueMicrotask', 'Math.random'],
  },
  session: {
    below: ['attestation', 'shared'],
    packages: /^(node:crypto|@noble\/hashes\/.+)$/,
    forbidden: [...CLOCKS, ...ENVIRONMENT, 'Math.random'],
  },
  dialects: {
    below: ['shared'],
    packages: /^(@anthropic-ai\/sdk|openai)\/resources\/.+$/, // only types
    forbidden: [...CLOCKS, ...ENVIRONMENT, 'Math.random'],
  },
  settings: { below: ['shared'], packages: /^node:net$/, forbidden: [...CLOCKS, ...ENVIRONMENT, 'Math.random'] },
  proxy: {
    below: ['dialects', 'settings', 'session', 'attestation', 'shared'],
    packages: /^(node:(?!fs|child_process|worker_threads|cluster|vm|inspector)[a-z0-9/_]+|undici|prom-client)$/,
    forbidden: ['Math.random', 'fetch', 'console'],
  },
  keys: { below: ['disk', 'shared'], packages: /^node:.+$/, forbidden: [] },
  presentation: {
    below: ['keys', 'shared'],
    packages: /^node:.+$/,
    forbidden: [...CLOCKS, ...ENVIRONMENT],
  },
  usageHistory: { below: ['disk', 'shared'], packages: /^node:.+$/, forbidden: [...ENVIRONMENT] },
  supervisor: { below: ['settings', 'shared'], packages: /^node:.+$/, forbidden: [] },
  chat: {
    below: ['dialects', 'supervisor', 'presentation', 'settings', 'shared'],
    packages: /^node:.+$/,
    forbidden: [],
  },
  assistants: {
    below: ['chat', 'dialects', 'supervisor', 'keys', 'presentation', 'settings', 'disk', 'shared'],
    packages: /^(node:.+|jsonc-parser|toml-eslint-parser|yaml)$/,
    forbidden: [],
  },
  promptMap: {
    below: ['assistants', 'chat', 'presentation', 'settings', 'shared'],
    packages: /^node:.+$/,
    forbidden: [...CLOCKS, ...ENVIRONMENT],
  },
  diagnostics: {
    below: ['promptMap', 'assistants', 'chat', 'supervisor', 'keys', 'presentation', 'settings', 'shared'],
    packages: /^node:.+$/,
    forbidden: [],
  },
  dashboard: {
    below: [
      'promptMap',
      'assistants',
      'chat',
      'supervisor',
      'keys',
      'presentation',
      'usageHistory',
      'settings',
      'shared',
    ],
    packages: /^node:timers\/promises$/,
    forbidden: [...ENVIRONMENT, 'Math.random'],
  },
  'dashboard/web': {
    below: ['dashboard', 'promptMap', 'chat', 'keys', 'presentation', 'shared'],
    packages: /^(@vscode-elements\/elements\/.+|lit(\/.+)?|uplot)$/,
    forbidden: [...ENVIRONMENT, 'Buffer', 'Math.random'],
  },
  extension: {
    below: [
      'diagnostics',
      'promptMap',
      'assistants',
      'chat',
      'supervisor',
      'keys',
      'presentation',
      'dashboard',
      'usageHistory',
      'settings',
      'shared',
    ],
    packages: /^(node:.+|vscode)$/,
    forbidden: [],
  },
  devEnclave: { below: ['session', 'attestation', 'shared'], packages: /^(node:.+|cborg|undici)$/, forbidden: [] },
};

/** What a single file may import besides; its first lines say why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'proxy/backend/certificates.ts': 'node:child_process',
  'proxy/dialects/translationThread.ts': 'node:worker_threads',
  'proxy/hosts/commandLineFiles.ts': 'node:fs/promises',
};

const MAX_CLASS_LINES = 250;
const MAX_FOLDER_FILES = 20;

/** Every TypeScript file below `src`. */
export function readSources(): Source[] {
  const root = new URL('../../src/', import.meta.url);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

/** Every violation of a rule, as `path: reason`. */
export function findViolations(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  const parsed = sources.map((source) => cache.get(source) ?? parse(source));
  const imports = new Map(parsed.map((file) => [file.path, file.imports.flatMap((name) => resolve(file.path, name))]));
  return [
    ...parsed.flatMap((file) => [...checkLayer(file, paths), ...checkExports(file), ...checkClasses(file)]),
    ...checkFolders(paths),
    ...findCycles(imports),
  ];
}

interface Parsed {
  readonly path: string;
  /** As they are written. */
  readonly imports: readonly string[];
  readonly exportsDefault: boolean;
  readonly reExports: boolean;
  /** The globals that it uses, of those that a layer may forbid. */
  readonly globals: ReadonlySet<string>;
  /** Name and lines. */
  readonly classes: readonly (readonly [string, number])[];
}

const cache = new WeakMap<Source, Parsed>();

function parse(source: Source): Parsed {
  const { path, text } = source;
  const imports: string[] = [];
  const globals = new Set<string>();
  const classes: (readonly [string, number])[] = [];
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
    if (ts.isClassLike(node)) classes.push([node.name?.text ?? 'class', countLines(node.getText())]);
    for (const name of globalsOf(node)) globals.add(name);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  const parsed = { path, imports, exportsDefault, reExports, globals, classes };
  cache.set(source, parsed);
  return parsed;
}

function isDefault({ kind }: ts.Modifier): boolean {
  return kind === ts.SyntaxKind.DefaultKeyword;
}

function countLines(text: string): number {
  return text.split('\n').length;
}

/** `fetch`, `Date.now`, `new Date()`: a global, and not a property, key or type of the same name. */
function globalsOf(node: ts.Node): string[] {
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

function checkLayer({ path, imports, globals }: Parsed, paths: ReadonlySet<string>): string[] {
  const own = layerOf(path);
  const layer = LAYERS[own];
  if (layer === undefined) return [`${path}: there is no layer ${own}`];
  const violations = layer.forbidden.filter((name) => globals.has(name)).map((name) => `${path}: must not use ${name}`);
  for (const name of imports) {
    const [target] = resolve(path, name);
    if (target === undefined) {
      if (!layer.packages.test(name) && EXCEPTIONS[path] !== name) violations.push(`${path}: must not import ${name}`);
    } else if (!paths.has(target)) {
      violations.push(`${path}: imports ${name}, which does not exist`);
    } else if (layerOf(target) !== own && !layer.below.includes(layerOf(target))) {
      violations.push(`${path}: imports upward, ${target}`);
    }
  }
  return violations;
}

function checkExports({ path, exportsDefault, reExports }: Parsed): string[] {
  return [
    ...(exportsDefault ? [`${path}: has a default export`] : []),
    ...(reExports ? [`${path}: re-exports another file`] : []),
  ];
}

function checkClasses({ path, classes }: Parsed): string[] {
  return classes
    .filter(([, count]) => count > MAX_CLASS_LINES)
    .map(([name, count]) => `${path}: ${name} has ${count} lines, more than ${MAX_CLASS_LINES}`);
}

function checkFolders(paths: ReadonlySet<string>): string[] {
  const folders = Map.groupBy(paths, (path) => posix.dirname(path));
  return [...folders]
    .filter(([, files]) => files.length > MAX_FOLDER_FILES)
    .map(([folder, files]) => `${folder}: has ${files.length} files, more than ${MAX_FOLDER_FILES}`);
}

/** The path below `src` of a relative import; nothing for a package. */
function resolve(from: string, name: string): string[] {
  return name.startsWith('.') ? [posix.join(posix.dirname(from), name)] : [];
}

function layerOf(path: string): string {
  return path.startsWith('dashboard/web/') ? 'dashboard/web' : (path.split('/', 1)[0] ?? '');
}

function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const visited = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) cycles.push(`${path}: imports itself through ${[...trail.slice(at), path].join(' -> ')}`);
    if (at !== -1 || visited.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    visited.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}
