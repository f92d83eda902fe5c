// Reads the tables of promises in docs/security.md, and finds what they name that does not exist.
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { fromRoot } from './e2e/process.ts';

const HEADER = ['Promise', 'Kept by', 'Proved by'];
/** Between the titles of blocks and the title of the test in the last of them. */
const IN = ' › ';
/** Stands for each value in a title that is a template, and for a title that is not a text. */
const ANY = '…';
const SEPARATOR = /<br ?\/?>/;

/** A row of a table, and its cells as they are in the text. */
export interface PromiseRow {
  /** Counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Reads a file of the project by its path; undefined: there is none. */
export type ReadFile = (path: string) => string | undefined;

export const readProjectFile: ReadFile = (path) =>
  existsSync(fromRoot(path)) ? readFileSync(fromRoot(path), 'utf8') : undefined;

/** The rows of all tables whose first column has promises. A pipe in a cell is written as `\|`. */
export function promisesIn(page: string): readonly PromiseRow[] {
  const found: PromiseRow[] = [];
  let isTable = false;
  page.split('\n').forEach((text, index) => {
    if (!text.startsWith('|')) {
      isTable = false;
      return;
    }
    const cells = text
      .replace(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    if (!isTable && cells[0] === HEADER[0]) {
      isTable = true;
      if (cells.join('|') !== HEADER.join('|')) found.push({ line: index + 1, cells: [] });
    } else if (isTable && !cells.every((cell) => /^:?-+:?$/.test(cell))) {
      found.push({ line: index + 1, cells });
    }
  });
  return found;
}

/** What is wrong with the rows: a missing cell, or a name of something that does not exist. Empty: nothing. */
export function findWrongPromises(page: string, read: ReadFile = readProjectFile): readonly string[] {
  const files = new Files(read);
  return promisesIn(page).flatMap(({ line, cells }) => {
    const [promise = '', code = '', proof = ''] = cells;
    if (cells.length !== HEADER.length) return [`line ${line}: a row has the cells ${HEADER.join(', ')}`];
    const problems = [
      ...(/^_?\p{Lu}.*\.$/u.test(promise) ? [] : ['the promise is not a sentence']),
      ...problemsOfCode(code, files),
      ...problemsOfProof(proof, files),
    ];
    return problems.map((problem) => `line ${line}: ${problem}`);
  });
}

/** `src/a.ts`: `name()`, `Class.method()`, `CONSTANT` - one such item for each file. */
function problemsOfCode(cell: string, files: Files): string[] {
  return cell.split(SEPARATOR).flatMap((item) => {
    const [, path, names] = /^`(src\/[\w/.-]+\.ts)`: (`[^`]+`(?:, `[^`]+`)*)$/.exec(item.trim()) ?? [];
    if (path === undefined || names === undefined) return [`not a file with its functions: "${item.trim()}"`];
    const declared = files.symbolsOf(path);
    if (declared === undefined) return [`there is no ${path}`];
    const named = names.split(', ').map((name) => name.replaceAll('`', '').replace(/\(\)$/, ''));
    return named.filter((name) => !declared.has(name)).map((name) => `${path} declares no ${name}`);
  });
}

/**
 * `test/a.test.ts`: BLOCK › TEST - an item without a file is another test of the file before it; and
 * `path/to/cases.json` (COUNT cases). At least one item is a test, because a list of cases proves nothing by itself.
 */
function problemsOfProof(cell: string, files: Files): string[] {
  const problems: string[] = [];
  let file: string | undefined;
  let hasTest = false;
  for (const item of cell.split(SEPARATOR).map((text) => text.trim())) {
    const [, list, count] = /^`([\w/.-]+\.json)` \((\d+) (?:cases|vectors)\)$/.exec(item) ?? [];
    if (list !== undefined) {
      problems.push(...files.problemsOfList(list, Number(count)));
      continue;
    }
    const [, path, ofFile] = /^`(test\/[\w/.-]+\.test\.ts)`: (.+)$/.exec(item) ?? [];
    file = path ?? file;
    if (file === undefined || (path === undefined && item.startsWith('`'))) {
      problems.push(`not a test, and not a list of cases: "${item}"`);
      continue;
    }
    const title = (ofFile ?? item).replace(/\\([\\`*_{}[\]<>()#+!|.-])/g, '$1');
    hasTest = true;
    const titles = files.titlesOf(file);
    if (titles === undefined) problems.push(`there is no ${file}`);
    else if (!titles.has(title)) problems.push(`${file} has no test "${title}"`);
  }
  return hasTest ? problems : [...problems, 'no test proves it'];
}

/** The files that the page names, each parsed once. */
class Files {
  readonly #read: ReadFile;
  readonly #titles = new Map<string, ReadonlySet<string> | undefined>();
  readonly #symbols = new Map<string, ReadonlySet<string> | undefined>();

  constructor(read: ReadFile) {
    this.#read = read;
  }

  titlesOf(path: string): ReadonlySet<string> | undefined {
    return this.#once(this.#titles, path, testTitles);
  }

  symbolsOf(path: string): ReadonlySet<string> | undefined {
    return this.#once(this.#symbols, path, declaredSymbols);
  }

  problemsOfList(path: string, count: number): string[] {
    const text = this.#read(path);
    if (text === undefined) return [`there is no ${path}`];
    const found = lengthOf(JSON.parse(text));
    return found === count ? [] : [`${path} has ${found ?? 'no list of'} cases, not ${count}`];
  }

  #once(
    known: Map<string, ReadonlySet<string> | undefined>,
    path: string,
    parse: (text: string) => ReadonlySet<string>,
  ): ReadonlySet<string> | undefined {
    if (!known.has(path)) {
      const text = this.#read(path);
      known.set(path, text === undefined ? undefined : parse(text));
    }
    return known.get(path);
  }
}

/** The length of the one list in such a file; for Wycheproof's, which has groups, the number that it states. */
function lengthOf(json: unknown): number | undefined {
  const { numberOfTests, cases, vectors, agreements } = json as Readonly<Record<string, unknown>>;
  if (typeof numberOfTests === 'number') return numberOfTests;
  const list = [cases, vectors, agreements].find(Array.isArray);
  return list?.length;
}

/**
 * The titles of all tests that run (`itWithSignals` everywhere but on Windows), each after those of the blocks that it is in. A
 * test or a block with `skip` or `only`, or one that another function makes, is not among them.
 */
export function testTitles(text: string): ReadonlySet<string> {
  const titles = new Set<string>();
  const visit = (node: ts.Node, blocks: readonly string[]): void => {
    const isTest = isCallOf(node, 'it') || isCallOf(node, 'itWithSignals');
    const [title] = isTest || isCallOf(node, 'describe') ? node.arguments : [];
    const path = title === undefined ? blocks : [...blocks, textOf(title)];
    if (title !== undefined && isTest) titles.add(path.join(IN));
    if (!isSkipped(node))
      ts.forEachChild(node, (child) => {
        visit(child, path);
      });
  };
  visit(parse(text), []);
  return titles;
}

/** Functions, classes, their members as `Class.member` (without a #), and constants, at any level of the file. */
export function declaredSymbols(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node, owner: string | undefined): void => {
    let inner = owner;
    if (ts.isClassDeclaration(node) && node.name !== undefined) {
      inner = node.name.text;
      names.add(inner);
    } else if (ts.isClassElement(node) && node.name !== undefined && inner !== undefined) {
      names.add(`${inner}.${node.name.getText().replace(/^#/, '')}`);
    } else if ((ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && node.name !== undefined) {
      names.add(node.name.getText());
    }
    ts.forEachChild(node, (child) => {
      visit(child, inner);
    });
  };
  visit(parse(text), undefined);
  return names;
}

function isCallOf(node: ts.Node, name: string): node is ts.CallExpression {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name;
}

/** `describe.skip(…)` and the like. */
function isSkipped(node: ts.Node): boolean {
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    ts.isIdentifier(node.expression.expression) &&
    ['describe', 'it'].includes(node.expression.expression.text)
  );
}

function textOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return ANY;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(ANY);
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
}
