// A Node that is too old is named in one sentence, before the bundle does anything that this Node cannot do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { transform } from 'esbuild';
import { VERSION } from '../../src/shared/version.ts';
import { OLDEST_NODE } from '../support/e2e/oldestNode.ts';
import { ENCLAVE, PROXY, RunningProcess, spawnNode } from '../support/e2e/process.ts';
import type { ProcessOptions } from '../support/e2e/process.ts';

const BUNDLES = [
  ['the proxy', PROXY],
  ['the development enclave', ENCLAVE],
] as const;

/** Makes this Node report another version. */
function reporting(version: string): ProcessOptions {
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return { nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(code)}`] };
}

/** The versions of the Nodes on the search path that are really too old, and how to run them. */
function oldNodesOfThisComputer(): (readonly [string, ProcessOptions])[] {
  const folders = process.env['PATH']?.split(delimiter) ?? [];
  const nodes = new Map<string, string>();
  for (const folder of new Set(folders)) {
    const node = join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (status === 0) nodes.set(stdout.trim().slice(1), node);
  }
  const isOld = (version: string) => version.localeCompare(OLDEST_NODE, 'en', { numeric: true }) < 0;
  return [...nodes].filter(([version]) => isOld(version)).map(([version, node]) => [version, { node }]);
}

describe('refuseOldNode()', () => {
  const run = async (script: string, options: ProcessOptions) => {
    const child = new RunningProcess(spawnNode(script, options));
    const { code } = await child.exit();
    return { code, stdout: child.stdout.items, stderr: child.stderr.items };
  };

  const simulated = ['16.20.2', '18.20.8', '20.20.2', '22.9.0', '22.18.1'];
  for (const [what, script] of BUNDLES) {
    it(`ends ${what} with one sentence and exit code 2 on a Node that is too old`, async () => {
      const nodes = [
        ...simulated.map((version) => [version, reporting(version)] as const),
        ...oldNodesOfThisComputer(),
      ];
      for (const [version, options] of nodes) {
        const sentence = `Sealed Proxy needs Node ${OLDEST_NODE} or later, and this is Node ${version}: install a later one from https://nodejs.org`;
        for (const args of [[], ['--help']]) {
          assert.deepEqual(await run(script, { ...options, args }), { code: 2, stdout: [], stderr: [sentence] });
        }
      }
    });

    it(`lets ${what} run on the oldest supported Node and on later ones`, async () => {
      for (const version of [OLDEST_NODE, '22.20.0', '23.0.0', '24.1.0', '100.0.0-nightly20300101']) {
        const { code, stdout, stderr } = await run(script, { ...reporting(version), args: ['--help'] });
        assert.deepEqual([code, stderr], [0, []], version);
        assert.ok(stdout.length > 5);
      }
    });

    it(`can be reached: Node 18 can parse all of ${what}, in strict mode`, async () => {
      const [, ...lines] = readFileSync(script, 'utf8').split('\n');
      assert.equal(lines[0], '"use strict";');
      const code = `function bundle(require, module, exports, __filename, __dirname) {\n${lines.join('\n')}\n}`;
      const [old, recent] = await Promise.all(
        ['node18', 'esnext'].map((target) => transform(code, { target, logLevel: 'silent' })),
      );
      assert.ok(old?.code === recent?.code, 'esbuild would replace syntax that Node 18 does not know');
    });
  }

  it('is checked with a proxy that prints its own version', async () => {
    const { stdout } = await run(PROXY, { ...reporting('22.19.0'), args: ['--version'] });
    assert.deepEqual(stdout, [`sealed-proxy ${VERSION}`]);
  });
});
