// The versions of Node: every place that names one agrees with the others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { FIXED_NODES } from '../../src/proxy/process/nodeVersion.ts';
import { OLDEST_NODE } from '../support/e2e/oldestNode.ts';
import { fromRoot } from '../support/e2e/process.ts';

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const lineOf = (version: string) => Number(version.split('.')[0]);

describe('The versions of Node', () => {
  const { engines, devDependencies } = JSON.parse(read('package.json')) as {
    readonly engines: { readonly node: string };
    readonly devDependencies: { readonly node: string };
  };
  const line = Number(read('.node-version'));

  it('have one line for development, for checks of changes and in the container', () => {
    const [, installed] = /^\^(\d+)\./.exec(devDependencies.node) ?? [];
    const dockerfile = read('Dockerfile');
    const images = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, image]) => image);
    assert.equal(Number(installed), line);
    assert.match(dockerfile, new RegExp(`^ARG NODE_IMAGE=node:${line}-slim$`, 'm'));
    assert.deepEqual(images, ['${NODE_IMAGE}', '${NODE_IMAGE}']);
    for (const workflow of ['test', 'build', 'release']) {
      const text = read(`.github/workflows/${workflow}.yml`);
      for (const [, found] of text.matchAll(/node-version: (\d+)$/gm)) assert.equal(Number(found), line);
      assert.match(text, /node-version-file: .*\.node-version$/m);
    }
  });

  it('are lines with a known security release, wherever changes are checked', () => {
    const [, matrix = ''] = /^ {8}node: \[(.*)\]$/m.exec(read('.github/workflows/test.yml')) ?? [];
    const lines = matrix.split(', ').map(Number);
    const fixed = FIXED_NODES.map(lineOf);
    assert.deepEqual(lines, [lineOf(OLDEST_NODE), line]);
    assert.ok(
      lines.every((one) => fixed.includes(one)),
      matrix,
    );
  });

  it('are named to users: the oldest that runs, and those with the fixes', () => {
    assert.equal(engines.node, `>=${OLDEST_NODE}`);
    const page = read('docs/cli.md');
    assert.ok(page.includes(`Node ${OLDEST_NODE.replace(/\.0$/, '')} or later`));
    for (const version of FIXED_NODES) assert.ok(page.includes(version), version);
  });
});
