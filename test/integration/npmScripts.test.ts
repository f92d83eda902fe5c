import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fromRoot } from '../support/e2e/process.ts';

const { scripts } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { scripts: Record<string, string> };

describe('The scripts of package.json', () => {
  for (const [name, commands] of Object.entries(scripts)) {
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
