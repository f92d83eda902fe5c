import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fieldsOf, parseJson } from '../../../../src/shared/json.ts';
import { fromRoot } from '../../../support/e2e/process.ts';

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
/** Of the legend, in the order of the series. */
const VARIABLES = Array.from(
  read('src/dashboard/web/styles/usage.css').matchAll(/\.series-\d \{\s*--series: var\((--[\w-]+)\)/g),
  ([, variable = '']) => variable,
);

describe('SERIES, and the legend', () => {
  it('are the same in the legend and on the canvas', () => {
    const [, list = ''] = /const SERIES = \[([^\]]*)\]/.exec(read('src/dashboard/web/theme.ts')) ?? [];
    assert.equal(VARIABLES.length, 8);
    assert.deepEqual(
      Array.from(list.matchAll(/'([^']+)'/g), ([, variable]) => variable),
      VARIABLES,
    );
  });

  for (const [theme, value] of Object.entries(fieldsOf(parseJson(read('test/fixtures/vscode-themes.json')))))
    it(`all differ in the theme ${theme}`, () => {
      const variables = fieldsOf(fieldsOf(value)['variables']);
      const colors = VARIABLES.map((name) => variables[name]);
      assert.ok(
        colors.every((color) => typeof color === 'string' && color !== ''),
        JSON.stringify(colors),
      );
      assert.equal(new Set(colors).size, colors.length, JSON.stringify(colors));
    });
});
