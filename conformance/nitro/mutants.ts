// Copies of the verifier from each of which one refusal is missing.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { CHECK_IDS, type CheckId } from '../../src/shared/checks.ts';

export const ATTESTATION = new URL('../../src/attestation/', import.meta.url);

/** A file without one refusal. */
export interface Mutant {
  readonly check: CheckId;
  /** Below src/attestation. */
  readonly file: string;
  /** What is removed, as it is written there. */
  readonly removed: string;
  readonly text: string;
}

/** The check that the refusals of a file belong to. In checks.ts, each check has its own. */
const FILES: Readonly<Record<string, CheckId>> = {
  'cbor.ts': 'document_format',
  'cose.ts': 'document_format',
  'document.ts': 'document_format',
  'trust.ts': 'trusted_root',
  'certificates.ts': 'certificate_chain',
  'chain.ts': 'certificate_chain',
  'der.ts': 'certificate_chain',
  'distinguishedName.ts': 'certificate_chain',
  'extensions.ts': 'certificate_chain',
  'signature.ts': 'document_signature',
  'validity.ts': 'certificate_validity',
};

/** What a check that cannot fail has found, so that the later ones have something to look at. */
const FOUND: Readonly<Record<CheckId, string>> = {
  document_format: 'anyDocument(known.bytes)',
  trusted_root: 'undefined',
  certificate_chain: 'anyChain(known.document)',
  document_signature: 'undefined',
  challenge: 'undefined',
  certificate_validity: 'undefined',
  debug_mode: '{ pcr0: toHex(known.document.pcrs.get(0) ?? new Uint8Array(0)) }',
  image_approved: "{ approval: { by: 'setting' } }",
  server_key: '{ serverPublicKey: new Uint8Array(32) }',
  client_key: 'undefined',
};

/** A part of a text and what takes its place. */
interface Edit {
  readonly node: ts.Node;
  readonly replacement: string;
}

const LENIENT = "import { anyChain, anyDocument } from '../../conformance/nitro/lenient.ts';\n";

/** Each of the ten checks, which passes whatever it finds. */
export function checkMutants(): readonly Mutant[] {
  const file = 'checks.ts';
  const source = parse(file);
  const mutants: Mutant[] = [];
  walk(source, (node) => {
    if (!ts.isObjectLiteralExpression(node)) return;
    const property = (name: string) =>
      node.properties.filter(ts.isPropertyAssignment).find((one) => one.name.getText() === name)?.initializer;
    const check = CHECK_IDS.find((id) => property('id')?.getText() === `'${id}'`);
    const run = property('run');
    if (check === undefined || run === undefined) return;
    const replacement = `(known) => { try { return (${run.getText()})(known); } catch { return ${FOUND[check]}; } }`;
    const text = LENIENT + apply(source, { node: run, replacement });
    mutants.push({ check, file, removed: `check ${check}`, text });
  });
  return mutants.toSorted((a, b) => CHECK_IDS.indexOf(a.check) - CHECK_IDS.indexOf(b.check));
}

/** Each refusal of the files that make up a check. */
export function refusalMutants(): readonly Mutant[] {
  return Object.entries(FILES).flatMap(([file, check]) => {
    const source = parse(file);
    return editsOf(source).map((edit) => {
      return { check, file, removed: describe(edit), text: apply(source, edit) };
    });
  });
}

function editsOf(source: ts.SourceFile): readonly Edit[] {
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (ts.isIfStatement(node) && refuses(node.thenStatement)) {
      const operands = operandsOf(node.expression, ts.SyntaxKind.BarBarToken);
      // The condition may also read something.
      if (operands.length === 1) edits.push({ node, replacement: `void (${node.expression.getText()});` });
      else edits.push(...operands.map((operand) => ({ node: operand, replacement: 'false' })));
    }
    if (ts.isExpressionStatement(node) && /\.end\(\);$|^require|^distinguishedName\(/.test(node.getText())) {
      edits.push({ node, replacement: '' });
    }
    // A variable whose opposite is refused.
    const isCondition = ts.isVariableDeclaration(node) && source.text.includes(`!${node.name.getText()}`);
    const value = ts.isReturnStatement(node) || isCondition ? expressionOf(node) : undefined;
    const condition = value !== undefined && ts.isConditionalExpression(value) ? value.condition : value;
    const operands = condition === undefined ? [] : operandsOf(condition, ts.SyntaxKind.AmpersandAmpersandToken);
    if (operands.length > 1) edits.push(...operands.map((operand) => ({ node: operand, replacement: 'true' })));
    if (ts.isPropertyAssignment(node) && node.name.getText() in OPTIONS) {
      edits.push({ node: node.initializer, replacement: OPTIONS[node.name.getText()] ?? '' });
    }
  });
  return edits;
}

/** The options of the CBOR decoder that refuse something, and their opposite. */
const OPTIONS: Readonly<Record<string, string>> = {
  allowIndefinite: 'true',
  allowUndefined: 'true',
  rejectDuplicateMapKeys: 'false',
  strict: 'false',
};

function refuses(statement: ts.Statement): boolean {
  if (ts.isBlock(statement)) return statement.statements.length === 1 && statement.statements.every(refuses);
  return ts.isThrowStatement(statement);
}

function expressionOf(node: ts.ReturnStatement | ts.VariableDeclaration): ts.Expression | undefined {
  const expression = ts.isReturnStatement(node) ? node.expression : node.initializer;
  return expression && bare(expression);
}

function bare(expression: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(expression) ? bare(expression.expression) : expression;
}

function operandsOf(expression: ts.Expression, operator: ts.SyntaxKind): readonly ts.Expression[] {
  const inner = bare(expression);
  if (!ts.isBinaryExpression(inner) || inner.operatorToken.kind !== operator) return [expression];
  return [...operandsOf(inner.left, operator), ...operandsOf(inner.right, operator)];
}

function describe({ node }: Edit): string {
  const text = ts.isIfStatement(node) ? node.expression.getText() : nameOf(node);
  return text.replaceAll(/\s+/g, ' ');
}

/** An operand alone does not say where it is. */
function nameOf(node: ts.Node): string {
  const property = ts.isPropertyAssignment(node.parent) ? `${node.parent.name.getText()}: ` : '';
  let place: ts.Node = node;
  while (!ts.isFunctionLike(place) && !ts.isSourceFile(place)) place = place.parent;
  const owner = ts.isFunctionDeclaration(place) || ts.isMethodDeclaration(place) ? place.name?.getText() : undefined;
  return `${property}${node.getText()}${owner === undefined ? '' : ` (${owner})`}`;
}

function parse(file: string): ts.SourceFile {
  const text = readFileSync(new URL(file, ATTESTATION), 'utf8');
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function apply(source: ts.SourceFile, { node, replacement }: Edit): string {
  return source.text.slice(0, node.getStart()) + replacement + source.text.slice(node.getEnd());
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => {
    walk(child, visit);
  });
}
