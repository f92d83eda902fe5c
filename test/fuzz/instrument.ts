// Counts what runs: each function, branch, case and right side of `&&`, `||` and `??` of src gets a counter. V8's own block
// coverage takes milliseconds to read after each input; these counters take microseconds.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SRC = new URL('../../src/', import.meta.url).href;
/** It is what the proxy is tested with. */
const NOT_TESTED = new URL('devEnclave/', SRC).href;
const MAX_COUNTERS = 1 << 16;
const LONGEST_WORD = 60;

declare global {
  var fuzzCounters: Uint8Array;
}

export interface Coverage {
  /** One for each place, modulo 256. */
  readonly counters: Uint8Array;
  /** How many places there are in the modules that are loaded so far. */
  readonly places: () => number;
  /** The texts in these modules, for inputs. */
  readonly words: () => readonly string[];
}

/** From now on, modules of src are instrumented when they are loaded. */
export function instrumentSources(): Coverage {
  const words = new Set<string>();
  let places = 0;
  globalThis.fuzzCounters = new Uint8Array(MAX_COUNTERS);
  const transformer = instrument(
    () => places++ % MAX_COUNTERS,
    (word) => words.add(word),
  );
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith(SRC) || url.startsWith(NOT_TESTED) || !url.endsWith('.ts')) return nextLoad(url, context);
      const path = fileURLToPath(url);
      const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
        fileName: path,
        compilerOptions: {
          target: ts.ScriptTarget.ESNext,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          inlineSourceMap: true,
        },
        transformers: { before: [transformer] },
      });
      return { format: 'module', source: outputText, shortCircuit: true };
    },
  });
  return { counters: globalThis.fuzzCounters, places: () => places, words: () => [...words] };
}

function instrument(nextPlace: () => number, addWord: (word: string) => void): ts.TransformerFactory<ts.SourceFile> {
  const { factory } = ts;
  const count = () =>
    factory.createPostfixIncrement(
      factory.createElementAccessExpression(factory.createIdentifier('fuzzCounters'), nextPlace()),
    );
  const counted = (expression: ts.Expression) =>
    factory.createParenthesizedExpression(factory.createComma(count(), expression));
  const withCount = (statements: readonly ts.Statement[]) => [
    factory.createExpressionStatement(count()),
    ...statements,
  ];
  const asBlock = (statement: ts.Statement) =>
    ts.isBlock(statement) ? statement : factory.createBlock(withCount([statement]));

  return (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      if (ts.isImportDeclaration(node)) return node;
      if (ts.isStringLiteralLike(node) && node.text.length > 1 && node.text.length <= LONGEST_WORD) addWord(node.text);
      const inner = ts.visitEachChild(node, visit, context);
      if (ts.isBlock(inner)) return factory.updateBlock(inner, withCount(inner.statements));
      if (ts.isArrowFunction(inner) && !ts.isBlock(inner.body)) {
        const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken, body } = inner;
        return factory.updateArrowFunction(
          inner,
          modifiers,
          typeParameters,
          parameters,
          type,
          equalsGreaterThanToken,
          counted(body),
        );
      }
      if (ts.isIfStatement(inner)) {
        const { expression, thenStatement, elseStatement } = inner;
        return factory.updateIfStatement(
          inner,
          expression,
          asBlock(thenStatement),
          elseStatement && asBlock(elseStatement),
        );
      }
      if (ts.isConditionalExpression(inner)) {
        const { condition, questionToken, whenTrue, colonToken, whenFalse } = inner;
        return factory.updateConditionalExpression(
          inner,
          condition,
          questionToken,
          counted(whenTrue),
          colonToken,
          counted(whenFalse),
        );
      }
      if (ts.isCaseClause(inner)) return factory.updateCaseClause(inner, inner.expression, withCount(inner.statements));
      if (ts.isDefaultClause(inner)) return factory.updateDefaultClause(inner, withCount(inner.statements));
      if (ts.isBinaryExpression(inner) && SHORT_CIRCUITS.has(inner.operatorToken.kind)) {
        return factory.updateBinaryExpression(inner, inner.left, inner.operatorToken, counted(inner.right));
      }
      return inner;
    };
    return ts.visitEachChild(file, visit, context);
  };
}

const SHORT_CIRCUITS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);
