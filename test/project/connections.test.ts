// The product connects to the backend, to the signed history of enclave images, and to programs on this computer: nothing
// else could receive a prompt, a key or a number of ours.
import assert from 'node:assert/strict';
import ts from 'typescript';
import { readSources } from '../support/architecture.ts';
import type { Source } from '../support/architecture.ts';

/** What opens connections, and to what. */
const OPENERS: Readonly<Record<string, string>> = {
  'proxy/backend/network.ts': 'the backend and the history: see below',
  'proxy/backend/tunnelPool.ts': 'the HTTP proxy of this network, for network.ts',
  'proxy/hosts/probe.ts': 'the proxy of --health and --ready',
  'supervisor/localHttp.ts': '127.0.0.1',
  'supervisor/freePort.ts': '127.0.0.1',
  'diagnostics/localChecks.ts': 'this computer',
};
const MODULES = ['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'dns/promises'].map((name) => `node:${name}`);
/** What these modules have that opens no connection. */
const HARMLESS = [
  ...['createServer', 'createSecureContext', 'getCACertificates', 'STATUS_CODES', 'isIP', 'BlockList', 'Agent'],
  'Dispatcher', // the base class of a dispatcher that is given others
];
const GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'sendBeacon', 'WebTransport'];

/** What in a file could open a connection. */
function openersIn({ path, text }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const { text: module } = node.moduleSpecifier;
      const clause = node.importClause;
      const isNetwork = MODULES.includes(module) || MODULES.includes(`node:${module}`) || module.startsWith('undici');
      if (isNetwork && clause?.phaseModifier !== ts.SyntaxKind.TypeKeyword) {
        const bindings = clause?.namedBindings;
        const names =
          bindings !== undefined && ts.isNamedImports(bindings)
            ? bindings.elements
                .filter(({ isTypeOnly }) => !isTypeOnly)
                .map(({ name, propertyName }) => (propertyName ?? name).text)
            : ['*'];
        found.push(...names.filter((name) => !HARMLESS.includes(name)).map((name) => `${module}: ${name}`));
      }
      return;
    }
    // A property of this name is one of our own, except `globalThis.fetch` and `navigator.sendBeacon`.
    if (ts.isPropertyAccessExpression(node)) {
      const owner = node.expression.getText();
      if (GLOBALS.includes(node.name.text) && ['globalThis', 'window', 'self', 'navigator'].includes(owner))
        found.push(node.name.text);
      visit(node.expression);
      return;
    }
    if (ts.isIdentifier(node) && GLOBALS.includes(node.text) && !isName(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** The name of a method or of a property that is declared. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isClassElement(parent) || ts.isPropertyAssignment(parent) || ts.isTypeElement(parent)) && parent.name === node
  );
}

describe('Connections', () => {
  const sources = readSources().filter(({ path }) => !path.startsWith('devEnclave/'));

  it('are opened only by the files that are listed here', () => {
    const openers = sources.filter((source) => openersIn(source).length > 0).map(({ path }) => path);
    assert.deepEqual(openers.toSorted(), Object.keys(OPENERS).toSorted());
  });

  it('leave this computer only to the backend and to the history', () => {
    const uses = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\.dispatcher\((.*?),/g)].map(([, use]) => `${path}: ${use}`),
    );
    assert.deepEqual(uses.toSorted(), [
      "proxy/backend/connection.ts: 'history'",
      "proxy/backend/undiciTransport.ts: 'backend'",
    ]);
    for (const path of ['supervisor/localHttp.ts', 'supervisor/freePort.ts', 'diagnostics/localChecks.ts']) {
      const { text = '' } = sources.find((source) => source.path === path) ?? {};
      assert.match(text, /127\.0\.0\.1|localhost|::1/, path);
    }
  });

  it('are found in whatever way a file opens them', () => {
    for (const text of [
      "import { request } from 'node:https';",
      "import { createServer, connect as open } from 'node:net';",
      "import * as http from 'http';",
      "import tls from 'node:tls';",
      "import { request } from 'undici';",
      "await fetch('https://collector.example');",
      "globalThis.fetch('x');",
      'const send = fetch;',
      "new WebSocket('wss://collector.example');",
      "navigator.sendBeacon('x');",
    ]) {
      assert.equal(openersIn({ path: 'x.ts', text }).length, 1, text);
    }
    for (const text of [
      "import type { Socket } from 'node:net';",
      "import { createServer, type Socket } from 'node:net';",
      'class X { fetch() { return this.fetch(); } }',
      "const x = { fetch: 1 }; // fetch('https://collector.example')",
    ]) {
      assert.deepEqual(openersIn({ path: 'x.ts', text }), [], text);
    }
  });
});
