import assert from 'node:assert/strict';
import { nameProblem, parseKeyFile, parseKeyVariable } from '../../../../src/proxy/hosts/accessKeyList.ts';
import { accessKeyId, createAccessKey } from '../../../../src/shared/accessKeys.ts';

const [ONE, OTHER] = [createAccessKey(), createAccessKey()];

describe('nameProblem()', () => {
  it('accepts 1 to 64 letters, digits, dots, underscores and hyphens', () => {
    for (const name of ['a', 'team-1.web_2', 'N'.repeat(64)]) assert.equal(nameProblem(name), undefined);
  });

  it('explains other names, those that the log uses itself, and what may be a key', () => {
    for (const name of ['', 'a b', 'ü', 'N'.repeat(65), 'a=b', 'none', 'Direct', 'other', 'unknown', ONE]) {
      assert.match(nameProblem(name) ?? '', /^the name of a client is 1 to 64 letters/, name);
    }
  });
});

describe('parseKeyFile()', () => {
  const parse = (text: string) => parseKeyFile(text, (line, reason) => new Error(`line ${line}: ${reason}`));

  it('reads a key in each line, with or without a name, between comments and empty lines', () => {
    const text = `# clients\r\n\r\nalice=${ONE} # laptop\n  \n\t${OTHER}\n`;
    const { accessKeys, clientNames } = parse(text);
    assert.deepEqual(accessKeys, [ONE, OTHER]);
    assert.deepEqual([...clientNames], [[accessKeyId(ONE), 'alice']]);
  });

  it('lets a client have two keys, so that it can change from one to the other', () => {
    const { clientNames } = parse(`alice=${ONE}\nalice=${OTHER}`);
    assert.deepEqual([...clientNames.values()], ['alice', 'alice']);
  });

  const refused: [string, string, RegExp][] = [
    ['a key that is cut off', `a=${ONE}\n\nb=${OTHER.slice(0, -1)}`, /^Error: line 3: an access key is "sealed-"/],
    ['a name that is not allowed', `a b=${ONE}`, /^Error: line 1: the name of a client/],
    ['an empty name', `=${ONE}`, /^Error: line 1: the name of a client/],
    ['a key with two names', `a=${ONE}\n#\nb=${ONE}`, /^Error: line 3: another client has the same access key/],
    ['two keys in a line', `a=${ONE},b=${OTHER}`, /^Error: line 1: an access key is/],
  ];
  for (const [what, text, message] of refused) {
    it(`refuses ${what}, with its line and without the key`, () => {
      assert.throws(
        () => parse(text),
        (error) =>
          message.test(String(error)) && ![ONE, OTHER].some((key) => String(error).includes(key.slice(10, 30))),
      );
    });
  }
});

describe('parseKeyVariable()', () => {
  it('reads keys that commas or line breaks separate', () => {
    for (const separator of [',', '\n', '\r\n', ' ,\n']) {
      const list = parseKeyVariable(`a=${ONE}${separator}${OTHER}${separator}`, (reason) => new Error(reason));
      assert.deepEqual([list.accessKeys, [...list.clientNames.values()]], [[ONE, OTHER], ['a']]);
    }
  });
});
