// The rules about where unit tests are and how their describe blocks are named.
import ts from 'typescript';

/** The path below `src` of the file that a unit test tests, given the test's path below `test/unit`. */
export function sourceOf(testPath: string): string {
  return testPath.replace(/(\.\w+)?\.test\.ts$/, '.ts');
}

/**
 * The titles of the describe blocks that have tests of their own, but name no symbol of the source, and are not inside a
 * block that does. A title that is a variable is not checked.
 */
export function titlesWithoutSymbol(test: string, source: string): string[] {
  const symbols = symbolsOf(source);
  const found: string[] = [];
  const visit = (node: ts.Node, title: string | undefined): void => {
    if (isCallOf(node, 'it') && title !== undefined && !found.includes(title)) found.push(title);
    if (isCallOf(node, 'describe')) {
      const [words] = node.arguments;
      const own = words === undefined ? undefined : textOf(words);
      if (own === undefined || (own.match(/\w+/g) ?? []).some((word) => symbols.has(word))) return;
      title = own;
    }
    ts.forEachChild(node, (child) => {
      visit(child, title);
    });
  };
  visit(parse(test), '(none)');
  return found;
}

/**
 * What of mocha's functions a file that tests import uses while it is imported. A worker of mocha imports such a file once, but
 * each test file has functions of its own: a test that is defined with those of an earlier file never runs.
 */
export function usedOnImport(support: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isTypeNode(node)) return;
    if (ts.isPropertyAccessExpression(node)) visit(node.expression);
    else if (ts.isIdentifier(node) && ['describe', 'it'].includes(node.text)) found.push(node.text);
    else ts.forEachChild(node, visit);
  };
  visit(parse(support));
  return found;
}

/** The names that a source declares at its top level. */
function symbolsOf(source: string): ReadonlySet<string> {
  const names = parse(source).statements.flatMap(declaredNames);
  return new Set(names.flatMap((name) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : [])));
}

function declaredNames(statement: ts.Statement): readonly (ts.Node | undefined)[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name);
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return [statement.name];
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) ? [statement.name] : [];
}

function isCallOf(node: ts.Node, name: string): node is ts.CallExpression {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name;
}

/** The text of a string, or of a template without its values; undefined for any other expression. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(' ');
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest);
}
