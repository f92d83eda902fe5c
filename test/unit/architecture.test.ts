import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { VERSION } from '../../src/shared/version.ts';
import { findViolations, readSources } from '../support/architecture.ts';
import type { Source } from '../support/architecture.ts';

const SOURCES = readSources();
const file = (path: string, text: string): Source => ({ path, text });

/** The violations that further files bring. */
function broughtBy(...files: readonly Source[]): string[] {
  return findViolations([...SOURCES, ...files]);
}

describe('The architecture', () => {
  it('is that of this code', () => {
    assert.ok(SOURCES.length > 50);
    assert.deepEqual(findViolations(SOURCES), []);
  });

  for (const [path, target] of [
    ['shared/x.ts', '../session/wire.ts'],
    ['shared/x.ts', '../attestation/errors.ts'],
    ['shared/x.ts', '../proxy/log.ts'],
    ['attestation/x.ts', '../session/wire.ts'],
    ['attestation/x.ts', '../proxy/log.ts'],
    ['session/x.ts', '../proxy/log.ts'],
    ['session/x.ts', '../devEnclave/der.ts'],
    ['proxy/x.ts', '../devEnclave/der.ts'],
    ['devEnclave/x.ts', '../proxy/log.ts'],
    ['extension/x.ts', '../proxy/log.ts'],
    ['extension/x.ts', '../session/wire.ts'],
    ['extension/x.ts', '../attestation/errors.ts'],
    ['extension/x.ts', '../devEnclave/der.ts'],
    ['extension/assistants/x.ts', '../../proxy/log.ts'],
  ] as const) {
    it(`has no arrow from ${path.replace('/x.ts', '')} to ${target.replaceAll('../', '')}`, () => {
      const violation = [`${path}: imports upward, ${target.replaceAll('../', '')}`];
      for (const text of [
        `import { x } from '${target}';`,
        `import type { x } from '${target}';`,
        `import '${target}';`,
        `const x = await import('${target}');`,
        `type X = import('${target}').X;`,
      ]) {
        assert.deepEqual(broughtBy(file(path, text)), violation, text);
      }
    });
  }

  it('lets each layer import those below it', () => {
    for (const [path, target] of [
      ['extension/x.ts', '../shared/bytes.ts'],
      ['extension/languageModels/x.ts', '../../shared/bytes.ts'],
      ['proxy/x.ts', '../session/wire.ts'],
      ['proxy/x.ts', '../attestation/errors.ts'],
      ['session/x.ts', '../attestation/errors.ts'],
      ['devEnclave/x.ts', '../attestation/errors.ts'],
    ] as const) {
      assert.deepEqual(broughtBy(file(path, `import { x } from '${target}';`)), []);
    }
  });

  for (const [path, foreign] of [
    ['shared/x.ts', 'undici'],
    ['shared/x.ts', '@noble/hashes/sha2.js'],
    ['proxy/x.ts', 'vscode'],
    ['session/x.ts', 'vscode'],
    ['devEnclave/x.ts', 'vscode'],
    ['shared/x.ts', 'vscode'],
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
    ].map((name) => ['attestation/x.ts', `node:${name}`] as const),
    ['attestation/x.ts', 'undici'],
    ...['http', 'net', 'tls', 'dns', 'timers', 'fs', 'process'].map(
      (name) => ['session/x.ts', `node:${name}`] as const,
    ),
    ['session/x.ts', 'undici'],
    ...['fs', 'fs/promises', 'child_process'].map((name) => ['proxy/x.ts', `node:${name}`] as const),
    ['proxy/x.ts', 'openai'],
  ] as const) {
    it(`has no ${foreign} in ${path.replace('/x.ts', '')}`, () => {
      const violation = [`${path}: must not import ${foreign}`];
      assert.deepEqual(broughtBy(file(path, `import { x } from '${foreign}';`)), violation);
      assert.deepEqual(broughtBy(file(path, `const x = require('${foreign}');`)), violation);
    });
  }

  it('has the editor in the extension alone', () => {
    assert.deepEqual(broughtBy(file('extension/x.ts', `import * as vscode from 'vscode';`)), []);
  });

  for (const layer of ['shared', 'attestation', 'session']) {
    it(`has no clock and no surroundings in ${layer}`, () => {
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
        assert.deepEqual(broughtBy(file(`${layer}/x.ts`, text)), [`${layer}/x.ts: touches ${name}`], text);
      }
    });
  }

  it('may call a date by its time, and its own things as it likes', () => {
    const text = `
      // Date.now() and console in a comment are only words.
      const clock = { process: 1, console: 2 };
      export const x = new Date(5).toISOString() + clock.process + clock.console;
      export interface Y { fetch(): void; performance: number }
    `;
    assert.deepEqual(broughtBy(file('attestation/x.ts', text)), []);
  });

  it('has no default exports', () => {
    for (const text of [
      'export default 1;',
      'export default function x() {}',
      'const x = 1; export { x as default };',
    ]) {
      assert.deepEqual(broughtBy(file('proxy/x.ts', text)), ['proxy/x.ts: exports a default'], text);
    }
  });

  it('has no barrels', () => {
    for (const text of [
      `export * from './log.ts';`,
      `export { Log } from './log.ts';`,
      `export * as l from './log.ts';`,
    ]) {
      const violation = ['proxy/x.ts: exports again what another file exports'];
      assert.deepEqual(broughtBy(file('proxy/x.ts', text)), violation, text);
    }
  });

  it('has no cycles, not even of types', () => {
    const violations = broughtBy(
      file('proxy/x.ts', `import type { y } from './y.ts';`),
      file('proxy/y.ts', `import type { z } from './z.ts';`),
      file('proxy/z.ts', `import type { x } from './x.ts';`),
    );
    assert.equal(violations.length, 1);
    assert.match(
      violations[0] ?? '',
      /imports itself by proxy\/x\.ts -> proxy\/y\.ts -> proxy\/z\.ts -> proxy\/x\.ts$/,
    );
  });

  it('has no file of no layer, and no import of a file that is not there', () => {
    assert.deepEqual(broughtBy(file('utils/x.ts', '')), ['utils/x.ts: there is no layer utils']);
    assert.deepEqual(broughtBy(file('proxy/x.ts', `import './none.ts';`)), [
      'proxy/x.ts: imports ./none.ts, which is not there',
    ]);
    assert.deepEqual(broughtBy(file('proxy/x.ts', 'const x = await import(name);')), ['proxy/x.ts: must not import ?']);
  });
});

describe('The version', () => {
  it('is the same in the code and in the package', () => {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    assert.equal(VERSION, (JSON.parse(text) as { version: string }).version);
  });
});
