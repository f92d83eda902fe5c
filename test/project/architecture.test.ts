import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { findViolations, readSources } from '../support/architecture.ts';
import type { Source } from '../support/architecture.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { sourceOf, titlesWithoutSymbol, usedOnImport } from '../support/unitTests.ts';

const SOURCES = readSources();
const file = (path: string, text: string): Source => ({ path, text });

/** The violations that these files add. */
function violationsOf(...files: readonly Source[]): string[] {
  return findViolations([...SOURCES, ...files]);
}

describe('The architecture', () => {
  it('is followed by every source file', () => {
    assert.ok(SOURCES.length > 50);
    assert.deepEqual(findViolations(SOURCES), []);
  });

  for (const [path, target] of [
    ['shared/x.ts', '../session/wire.ts'],
    ['shared/x.ts', '../attestation/errors.ts'],
    ['shared/x.ts', '../proxy/process/log.ts'],
    ['attestation/x.ts', '../session/wire.ts'],
    ['attestation/x.ts', '../proxy/process/log.ts'],
    ['session/x.ts', '../proxy/process/log.ts'],
    ['session/x.ts', '../devEnclave/server.ts'],
    ['dialects/x.ts', '../session/wire.ts'],
    ['dialects/messages/x.ts', '../../proxy/process/log.ts'],
    ['session/x.ts', '../dialects/dialect.ts'],
    ['devEnclave/x.ts', '../dialects/dialect.ts'],
    ['extension/x.ts', '../dialects/dialect.ts'],
    ['proxy/x.ts', '../devEnclave/server.ts'],
    ['proxy/x.ts', '../supervisor/supervisor.ts'],
    ['devEnclave/x.ts', '../proxy/process/log.ts'],
    ['settings/x.ts', '../supervisor/supervisor.ts'],
    ['keys/x.ts', '../extension/main.ts'],
    ['presentation/x.ts', '../supervisor/supervisor.ts'],
    ['supervisor/x.ts', '../chat/models.ts'],
    ['supervisor/x.ts', '../proxy/process/log.ts'],
    ['chat/x.ts', '../assistants/registry.ts'],
    ['assistants/x.ts', '../extension/main.ts'],
    ['assistants/adapters/x.ts', '../../proxy/process/log.ts'],
    ['diagnostics/x.ts', '../extension/main.ts'],
    ['extension/x.ts', '../proxy/process/log.ts'],
    ['extension/x.ts', '../session/wire.ts'],
    ['extension/x.ts', '../attestation/errors.ts'],
    ['extension/commands/x.ts', '../../devEnclave/server.ts'],
  ] as const) {
    it(`forbids ${path.split('/', 1).join()} to import ${target.replaceAll('../', '')}`, () => {
      const violation = [`${path}: imports upward, ${target.replaceAll('../', '')}`];
      for (const text of [
        `import { x } from '${target}';`,
        `import type { x } from '${target}';`,
        `import '${target}';`,
        `const x = await import('${target}');`,
        `type X = import('${target}').X;`,
      ]) {
        assert.deepEqual(violationsOf(file(path, text)), violation, text);
      }
    });
  }

  it('lets each layer import those below it', () => {
    for (const [path, target] of [
      ['extension/x.ts', '../shared/bytes.ts'],
      ['extension/languageModel/x.ts', '../../chat/models.ts'],
      ['diagnostics/x.ts', '../assistants/registry.ts'],
      ['assistants/x.ts', '../chat/models.ts'],
      ['chat/x.ts', '../supervisor/supervisor.ts'],
      ['proxy/x.ts', '../session/wire.ts'],
      ['proxy/x.ts', '../dialects/dialect.ts'],
      ['dialects/messages/x.ts', '../../shared/json.ts'],
      ['proxy/relay/x.ts', '../../attestation/errors.ts'],
      ['session/x.ts', '../attestation/errors.ts'],
      ['devEnclave/x.ts', '../attestation/errors.ts'],
    ] as const) {
      assert.deepEqual(violationsOf(file(path, `import { x } from '${target}';`)), []);
    }
  });

  const folders = [
    'shared',
    'settings',
    'attestation',
    'session',
    'dialects',
    'proxy',
    'supervisor',
    'keys',
    'presentation',
  ];
  for (const [path, name] of [
    ...[...folders, 'chat', 'assistants', 'diagnostics', 'devEnclave'].map((own) => [`${own}/x.ts`, 'vscode'] as const),
    ['shared/x.ts', 'undici'],
    ['shared/x.ts', '@noble/hashes/sha2.js'],
    ...[
      'http',
      'https',
      'http2',
      'net',
      'tls',
      'dgram',
      'dns',
      'timers',
      'timers/promises',
      'perf_hooks',
      'fs',
      'process',
    ].map((module) => ['attestation/x.ts', `node:${module}`] as const),
    ['attestation/x.ts', 'undici'],
    ...['http', 'net', 'tls', 'dns', 'timers', 'fs', 'process'].map(
      (module) => ['session/x.ts', `node:${module}`] as const,
    ),
    ['session/x.ts', 'undici'],
    ...['fs', 'fs/promises', 'child_process', 'worker_threads'].map(
      (module) => ['proxy/x.ts', `node:${module}`] as const,
    ),
    ['proxy/x.ts', 'openai'],
    ...['node:http', 'node:crypto', 'node:fs', 'undici', 'openai', '@anthropic-ai/sdk'].map(
      (module) => ['dialects/x.ts', module] as const,
    ),
  ] as const) {
    it(`forbids ${path.split('/', 1).join()} to import ${name}`, () => {
      const violation = [`${path}: must not import ${name}`];
      assert.deepEqual(violationsOf(file(path, `import { x } from '${name}';`)), violation);
      assert.deepEqual(violationsOf(file(path, `const x = require('${name}');`)), violation);
    });
  }

  it('allows dialects to import the types of the official packages', () => {
    for (const name of ['openai/resources/chat/completions', '@anthropic-ai/sdk/resources/messages']) {
      assert.deepEqual(violationsOf(file('dialects/messages/x.ts', `import type { X } from '${name}';`)), []);
    }
  });

  it('allows the extension to import vscode', () => {
    assert.deepEqual(violationsOf(file('extension/views/x.ts', `import * as vscode from 'vscode';`)), []);
  });

  for (const layer of ['shared', 'attestation', 'session', 'dialects', 'settings', 'presentation']) {
    it(`forbids clocks and the environment in ${layer}`, () => {
      for (const [text, name] of [
        ['const now = Date.now();', 'Date.now'],
        ['const now = new Date();', 'new Date()'],
        ['const now = performance.now();', 'performance'],
        ['setTimeout(() => 1, 1);', 'setTimeout'],
        ['globalThis.setInterval(() => 1, 1);', 'setInterval'],
        ['console.log(1);', 'console'],
        ['const { env } = process;', 'process'],
        ['await fetch("x");', 'fetch'],
        ['const x = { fetch };', 'fetch'],
      ] as const) {
        assert.deepEqual(violationsOf(file(`${layer}/x.ts`, text)), [`${layer}/x.ts: must not use ${name}`], text);
      }
    });
  }

  it('allows a date made from a time, and properties with the name of a global', () => {
    const text = `
      // Date.now() and console in a comment are only words.
      const clock = { process: 1, console: 2 };
      export const x = new Date(5).toISOString() + clock.process + clock.console;
      export interface Y { fetch(): void; performance: number }
    `;
    assert.deepEqual(violationsOf(file('attestation/x.ts', text)), []);
  });

  it('forbids default exports', () => {
    for (const text of [
      'export default 1;',
      'export default function x() {}',
      'const x = 1; export { x as default };',
    ]) {
      assert.deepEqual(violationsOf(file('proxy/x.ts', text)), ['proxy/x.ts: has a default export'], text);
    }
  });

  it('forbids barrels', () => {
    for (const text of [
      `export * from './main.ts';`,
      `export { Log } from './main.ts';`,
      `export * as l from './main.ts';`,
    ]) {
      assert.deepEqual(violationsOf(file('proxy/x.ts', text)), ['proxy/x.ts: re-exports another file'], text);
    }
  });

  it('forbids import cycles, even of types', () => {
    const violations = violationsOf(
      file('proxy/x.ts', `import type { y } from './y.ts';`),
      file('proxy/y.ts', `import type { z } from './z.ts';`),
      file('proxy/z.ts', `import type { x } from './x.ts';`),
    );
    assert.equal(violations.length, 1);
    assert.match(
      violations[0] ?? '',
      /imports itself through proxy\/x\.ts -> proxy\/y\.ts -> proxy\/z\.ts -> proxy\/x\.ts$/,
    );
  });

  it('forbids files outside the layers, and imports of files that do not exist', () => {
    assert.deepEqual(violationsOf(file('utils/x.ts', '')), ['utils/x.ts: there is no layer utils']);
    assert.deepEqual(violationsOf(file('proxy/x.ts', `import './none.ts';`)), [
      'proxy/x.ts: imports ./none.ts, which does not exist',
    ]);
    assert.deepEqual(violationsOf(file('proxy/x.ts', 'const x = await import(name);')), [
      'proxy/x.ts: must not import ?',
    ]);
  });

  it('forbids classes over 250 lines and folders over 20 files', () => {
    const fields = (count: number) => `class X {\n${'  x = 1;\n'.repeat(count)}}`;
    assert.deepEqual(violationsOf(file('proxy/x.ts', fields(248))), []);
    assert.deepEqual(violationsOf(file('proxy/x.ts', fields(249))), ['proxy/x.ts: X has 251 lines, more than 250']);
    const files = (count: number) => Array.from({ length: count }, (_, index) => file(`proxy/x/x${index}.ts`, ''));
    assert.deepEqual(violationsOf(...files(20)), []);
    assert.deepEqual(violationsOf(...files(21)), ['proxy/x: has 21 files, more than 20']);
  });
});

describe('The unit tests', () => {
  const tests = readdirSync(fromRoot('test/unit'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'));

  it('mirror src: x.test.ts and x.aspect.test.ts test x.ts of the same folder', () => {
    assert.ok(tests.length > 50);
    const misplaced = tests.filter((path) => !existsSync(fromRoot(`src/${sourceOf(path)}`)));
    assert.deepEqual(misplaced, []);
  });

  it('name the tested symbol in a describe block', () => {
    const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
    const nameless = tests.flatMap((path) =>
      titlesWithoutSymbol(read(`test/unit/${path}`), read(`src/${sourceOf(path)}`)).map((title) => `${path}: ${title}`),
    );
    assert.deepEqual(nameless, []);
  });
});

describe('What tests import', () => {
  it('defines no test while it is imported, and keeps no function that does', () => {
    const files = readdirSync(fromRoot('test'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
    );
    assert.ok(files.length > 50);
    const found = files.filter((path) => usedOnImport(readFileSync(fromRoot(`test/${path}`), 'utf8')).length > 0);
    assert.deepEqual(found, []);
  });
});

describe('usedOnImport()', () => {
  it('finds functions that are kept or called outside of a function', () => {
    for (const text of [
      "export const itOnLinux = process.platform === 'linux' ? it : it.skip;",
      "describe('x', () => {});",
      'class X { static test = it; }',
    ]) {
      assert.equal(usedOnImport(text).length > 0, true, text);
    }
    for (const text of [
      "function test() { it('x'); }",
      "const test = () => it('x');",
      'x.it(1);',
      'type X = { it: 1 };',
    ]) {
      assert.deepEqual(usedOnImport(text), [], text);
    }
  });
});

describe('titlesWithoutSymbol()', () => {
  it('finds blocks that name no function, class or constant of the source', () => {
    const source = 'export class Relay {}\nfunction begin() {}\nexport const LIMIT = 1;\n';
    const test = (title: string) => `for (const x of []) describe(${title}, () => { it('works', () => {}); });`;
    for (const title of ["'Relay'", "'begin() with a body'", '`LIMIT on ${x}`']) {
      assert.deepEqual(titlesWithoutSymbol(test(title), source), [], title);
    }
    assert.deepEqual(titlesWithoutSymbol(test("'A relay'"), source), ['A relay']);
    assert.deepEqual(titlesWithoutSymbol(`it('works', () => {});`, source), ['(none)']);
  });

  it('accepts a block that only groups others', () => {
    const group = (title: string) => `describe('relay.ts', () => { describe('${title}', () => { it('works'); }); });`;
    assert.deepEqual(titlesWithoutSymbol(group('begin()'), 'function begin() {}'), []);
    assert.deepEqual(titlesWithoutSymbol(group('the start'), 'function begin() {}'), ['the start']);
  });
});
