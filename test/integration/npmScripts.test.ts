import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromRoot } from '../support/e2e/process.ts';

const { scripts } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { scripts: Record<string, string> };

describe('The scripts of package.json', () => {
  // The editor runs the other kind, in an installed extension.
  for (const [name, commands] of Object.entries(scripts).filter(([script]) => !script.startsWith('vscode:'))) {
    it(`npm run ${name} installs missing dependencies first`, () => {
      for (const command of commands.split(' && ')) {
        const [node, run, script = ''] = command.split(' ');
        assert.deepEqual([node, run], ['node', 'scripts/run.mjs']);
        assert.ok(existsSync(fromRoot(script)), script);
      }
    });
  }

  it('need nothing from node_modules to install it', () => {
    for (const script of ['run', 'npm']) {
      const source = readFileSync(fromRoot(`scripts/${script}.mjs`), 'utf8');
      for (const [, module = ''] of source.matchAll(/ from '([^']*)'/g)) assert.match(module, /^(node:|\.\/)/);
    }
  });
});

describe('scripts/reporter.mjs', () => {
  it('counts the tests of a suite, and names those that failed with the reason', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-counts-'));
    try {
      const [file, counts] = [join(folder, 'red.test.cjs'), join(folder, 'counts')];
      writeFileSync(file, `describe('A suite', () => { it('passes', () => {}); it('fails', () => { throw 1; }); });`);
      const args = ['node_modules/mocha/bin/mocha.js', '--no-config', '--reporter', 'scripts/reporter.mjs', file];
      const env = { ...process.env, TEST_COUNTS: counts };
      const { status } = spawnSync(process.execPath, args, { cwd: fromRoot('.'), env });
      assert.equal(status, 1);
      assert.deepEqual(JSON.parse(readFileSync(counts, 'utf8')), {
        passes: 1,
        failures: 1,
        failed: ['A suite fails: the number 1 was thrown, throw an Error :)'],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('scripts/mocha.mjs', () => {
  it('runs every file of a suite, also with the options of npm test, and counts its tests', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-counts-'));
    try {
      const env = { ...process.env, TEST_COUNTS: join(folder, 'counts') };
      const options = ['--reporter', 'scripts/reporter.mjs', '--dry-run'];
      for (const suite of ['unit', 'e2e']) {
        const args = ['scripts/mocha.mjs', suite, ...options];
        const { status, stderr } = spawnSync(process.execPath, args, { cwd: fromRoot('.'), env, encoding: 'utf8' });
        assert.equal(status, 0, stderr);
      }
      const counts = readFileSync(env.TEST_COUNTS, 'utf8').trim().split('\n');
      const passes = counts.map((line) => (JSON.parse(line) as { passes: number }).passes);
      assert.ok(passes.length === 2 && passes.every((count) => count > 500), String(passes));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
