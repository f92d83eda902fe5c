// docs/security.md promises only what a test proves: it names code and tests that exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fromRoot } from '../support/e2e/process.ts';
import { declaredSymbols, findWrongPromises, promisesIn, testTitles } from '../support/promises.ts';

describe('docs/security.md', () => {
  const page = readFileSync(fromRoot('docs/security.md'), 'utf8');

  it('names only code, tests and cases that exist, in each row of its tables of promises', () => {
    assert.ok(promisesIn(page).length > 50);
    assert.deepEqual(findWrongPromises(page), []);
  });

  it('makes each promise once', () => {
    const promises = promisesIn(page).map(({ cells: [promise] }) => promise);
    assert.equal(new Set(promises).size, promises.length);
  });
});

describe('findWrongPromises()', () => {
  const FILES: Readonly<Record<string, string>> = {
    'src/a.ts': 'export function open() {}\nexport class Door { #lock() {} close = () => 1 }\nconst KEY = 1;\n',
    'test/a.test.ts':
      "describe('A door', () => { it('opens'); describe('of glass', () => { it(`breaks: ${x}`); }); it.skip('sings'); });\n" +
      "describe.skip('A wall', () => { it('stands'); });\nfor (const x of y) describe(x, () => { it('is | `there`'); });\n",
    'cases/some.json': '{"cases": [1, 2, 3]}',
    'cases/groups.json': '{"numberOfTests": 5, "testGroups": []}',
    'cases/none.json': '{}',
  };
  const CODE = '`src/a.ts`: `open()`, `Door.lock()`, `Door.close()`, `KEY`';
  const PROOF = '`test/a.test.ts`: A door › opens';
  const pageOf = (...rows: readonly string[]) =>
    ['# A page', '', '| Promise | Kept by | Proved by |', '| --- | :-- | --- |', ...rows, '', 'The end.'].join('\n');
  const problemsOf = (...cells: readonly string[]) =>
    findWrongPromises(pageOf(`| ${cells.join(' | ')} |`), (path) => FILES[path]).map((problem) =>
      problem.replace(/^line 5: /, ''),
    );

  it('finds nothing wrong with a complete row', () => {
    for (const proof of [
      PROOF,
      `${PROOF}<br>A door › of glass › breaks: …`,
      `${PROOF}<br>\`cases/some.json\` (3 cases)<br>\`cases/groups.json\` (5 vectors)`,
      `\`cases/some.json\` (3 cases)<br>\`test/a.test.ts\`: … › is \\| \\\`there\\\``,
    ]) {
      assert.deepEqual(problemsOf('It opens.', CODE, proof), [], proof);
    }
  });

  it('looks only at tables of promises', () => {
    assert.deepEqual(promisesIn('| who | what |\n| --- | --- |\n| a | b |\n'), []);
    assert.equal(promisesIn(pageOf('| It opens. | a | b |', '| It closes. | a | b |')).length, 2);
  });

  it('finds a missing or empty cell, and a table with another header', () => {
    for (const cells of [['It opens.', CODE], ['It opens.'], ['It opens.', CODE, PROOF, 'more']]) {
      assert.deepEqual(problemsOf(...cells), ['a row has the cells Promise, Kept by, Proved by']);
    }
    assert.deepEqual(problemsOf('', CODE, PROOF), ['the promise is not a sentence']);
    assert.deepEqual(problemsOf('It opens', CODE, PROOF), ['the promise is not a sentence']);
    assert.deepEqual(problemsOf('It opens.', '', PROOF), ['not a file with its functions: ""']);
    assert.deepEqual(problemsOf('It opens.', CODE, ''), [
      'not a test, and not a list of cases: ""',
      'no test proves it',
    ]);
    const table = `| Promise | Proved by |\n| --- | --- |\n| It opens. | ${PROOF} |\n`;
    assert.equal(findWrongPromises(table, (path) => FILES[path]).length, 2);
  });

  it('finds a file or a function that does not exist', () => {
    assert.deepEqual(problemsOf('It opens.', '`src/b.ts`: `open()`', PROOF), ['there is no src/b.ts']);
    assert.deepEqual(problemsOf('It opens.', '`src/a.ts`: `shut()`', PROOF), ['src/a.ts declares no shut']);
    assert.deepEqual(problemsOf('It opens.', '`src/a.ts`: `lock()`', PROOF), ['src/a.ts declares no lock']);
    for (const code of ['`src/a.ts`', '`src/a.ts`: open()', 'the door', `${CODE}<br>the door`]) {
      assert.equal(problemsOf('It opens.', code, PROOF).length, 1, code);
    }
  });

  it('finds a test that does not exist, or does not run', () => {
    for (const title of [
      ...['opens', 'A door', 'A door › opens ', 'A door › open', 'A window › opens', 'A door › breaks: …'],
      ...['A door › of glass › breaks: x', 'A door › sings', 'A wall › stands', 'stands'],
    ]) {
      const wanted = title.trim();
      const isThere = wanted === 'A door › opens';
      const problems = isThere ? [] : [`test/a.test.ts has no test "${wanted}"`];
      assert.deepEqual(problemsOf('It opens.', CODE, `\`test/a.test.ts\`: ${title}`), problems, title);
    }
    assert.deepEqual(problemsOf('It opens.', CODE, '`test/b.test.ts`: A door › opens'), ['there is no test/b.test.ts']);
    assert.deepEqual(problemsOf('It opens.', CODE, `${PROOF}<br>A door › shuts`), [
      'test/a.test.ts has no test "A door › shuts"',
    ]);
  });

  it('finds a proof that is not a test: prose, a file without a title, cases alone', () => {
    for (const proof of ['A door › opens', '`test/a.test.ts`', '`src/a.ts`: open', 'by design']) {
      assert.deepEqual(problemsOf('It opens.', CODE, proof), [
        `not a test, and not a list of cases: "${proof}"`,
        'no test proves it',
      ]);
    }
    assert.deepEqual(problemsOf('It opens.', CODE, '`cases/some.json` (3 cases)'), ['no test proves it']);
  });

  it('finds cases that do not exist, or another number of them', () => {
    for (const [list, problem] of [
      ['`cases/other.json` (3 cases)', 'there is no cases/other.json'],
      ['`cases/some.json` (4 cases)', 'cases/some.json has 3 cases, not 4'],
      ['`cases/groups.json` (4 vectors)', 'cases/groups.json has 5 cases, not 4'],
      ['`cases/none.json` (0 cases)', 'cases/none.json has no list of cases, not 0'],
      ['`cases/some.json`', 'not a test, and not a list of cases: "`cases/some.json`"'],
    ] as const) {
      assert.deepEqual(problemsOf('It opens.', CODE, `${PROOF}<br>${list}`), [problem]);
    }
  });
});

describe('testTitles() and declaredSymbols()', () => {
  it('find nothing in comments and texts', () => {
    assert.deepEqual([...testTitles("// it('a')\nconst x = \"it('b')\"; other('c');")], []);
    assert.deepEqual([...declaredSymbols('// function a() {}\nb(); class C extends D {}')], ['C']);
  });
});
