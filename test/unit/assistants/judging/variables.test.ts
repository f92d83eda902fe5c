import assert from 'node:assert/strict';
import type { Environment, Surroundings } from '../../../../src/assistants/judging/surroundings.ts';
import { overlay, parseDotEnv, startVariables, withFile } from '../../../../src/assistants/judging/variables.ts';

describe('parseDotEnv()', () => {
  for (const [what, text, expected] of [
    ['blanks and tabs around the sign', 'HTTP_PROXY\t =  http://p', { HTTP_PROXY: 'http://p' }],
    ['a colon as the sign', 'HTTP_PROXY: http://p', { HTTP_PROXY: 'http://p' }],
    ['several blanks after export', ' export  HTTP_PROXY=http://p', { HTTP_PROXY: 'http://p' }],
    ['a byte order mark', '\ufeffHTTP_PROXY=http://p', { HTTP_PROXY: 'http://p' }],
    ['Windows line ends', 'A=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['old line ends', 'A=1\rB=2\r', { A: '1', B: '2' }],
    ['an empty value', 'A=\nB=2', { A: '', B: '2' }],
    ['comments', '# A=1\nB=2 # 3\n#C=4', { B: '2' }],
    ['a comment with our address', 'NO_PROXY=example.com # ,127.0.0.1', { NO_PROXY: 'example.com' }],
    ['quotes of each kind', `A="1 # 2"\nB='3'\nC=\`4\``, { A: '1 # 2', B: '3', C: '4' }],
    ['quotes around several lines', 'A="1\nB=2\n"\nC=3', { A: '1\nB=2\n', C: '3' }],
    ['a quote that does not end', 'A="1\nB=2', { A: '"1', B: '2' }],
    ['a value that is set twice', 'A=1\nA=2', { A: '2' }],
  ] as const) {
    it(`reads ${what}`, () => {
      assert.deepEqual(parseDotEnv(text), expected);
    });
  }
});

describe('startVariables()', () => {
  const start = (platform: NodeJS.Platform, editor: Environment) => {
    const surroundings: Surroundings = {
      ...{ editor, terminal: editor, folders: [], system: '/', platform, setting: () => undefined },
    };
    const [variables] = startVariables(surroundings);
    assert.ok(variables);
    return variables;
  };

  it('finds one value for all spellings of a name on Windows, the last one', () => {
    const file = withFile(start('win32', { no_proxy: '127.0.0.1', Claude_Code_Use_Bedrock: '1' }), {}, '', '');
    const outer = withFile(file, { No_Proxy: 'example.com' }, 'file', '');
    const all = overlay(new Map(), outer);
    assert.equal(all.get('NO_PROXY')?.value, 'example.com');
    assert.equal(all.get('no_proxy')?.value, 'example.com');
    assert.equal(all.get('CLAUDE_CODE_USE_BEDROCK')?.value, '1');
    assert.deepEqual(all.get('CLAUDE_CODE_USE_BEDROCK')?.source, { kind: 'variable', name: 'Claude_Code_Use_Bedrock' });
  });

  it('finds a value for each spelling elsewhere', () => {
    const all = withFile(start('linux', { no_proxy: '127.0.0.1' }), { NO_PROXY: 'example.com' }, 'file', '');
    assert.deepEqual(
      [...all].map(([name, { value }]) => [name, value]),
      [
        ['no_proxy', '127.0.0.1'],
        ['NO_PROXY', 'example.com'],
      ],
    );
  });

  it("finds the variables of the editor's terminals, too, if one differs only in the case of its name", () => {
    const surroundings: Surroundings = {
      ...{ editor: { HTTP_PROXY: 'http://p' }, terminal: { HTTP_PROXY: 'http://p', http_proxy: 'http://q' } },
      ...{ folders: [], system: '/', platform: 'win32', setting: () => undefined },
    };
    assert.deepEqual(
      startVariables(surroundings).map((each) => each.get('HTTP_PROXY')?.value),
      ['http://p', 'http://q'],
    );
  });
});
