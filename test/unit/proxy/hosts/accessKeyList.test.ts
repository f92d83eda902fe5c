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

  it('reads the limits of a client after its key', () => {
    const all = 'expires=2027-01-31  models=glm-5-2,gemma4-31b\trequests=60/min tokens=100000/min';
    const { keyLimits, clientNames } = parse(`alice=${ONE} ${all} # laptop\n${OTHER} models=a`);
    const limits = { expires: '2027-01-31', models: ['glm-5-2', 'gemma4-31b'], requests: 60, tokens: 100_000 };
    assert.deepEqual(Object.fromEntries(keyLimits), {
      [accessKeyId(ONE)]: limits,
      [accessKeyId(OTHER)]: { models: ['a'] },
    });
    assert.deepEqual([...clientNames.values()], ['alice']);
  });

  const refused: [string, string, RegExp][] = [
    [
      'a key that is cut off',
      `a=${ONE}\n\nb=${OTHER.slice(0, -1)}`,
      /^Error: line 3: an access key is .*; to make one: sealed-proxy keys new NAME$/,
    ],
    ['a name that is not allowed', `a b=${ONE}`, /^Error: line 1: the name of a client/],
    ['an empty name', `=${ONE}`, /^Error: line 1: the name of a client/],
    ['a key with two names', `a=${ONE}\n#\nb=${ONE}`, /^Error: line 3: another line has the same access key/],
    [
      'two keys in a line',
      `a=${ONE},b=${OTHER}`,
      /^Error: line 1: an access key is .*; each key is in a line of its own/,
    ],
    ['a line in quotes', `"a=${ONE}"`, /^Error: line 1: the key or its line is in quotes; remove them$/],
    ['a key in quotes', `a='${ONE}' models=a`, /^Error: line 1: the key or its line is in quotes/],
    [
      'a key with two limits',
      `a=${ONE} requests=1/min\na=${ONE}`,
      /^Error: line 2: another line has the same access key/,
    ],
    ['something else after a key', `a=${ONE} b=${OTHER}`, /^Error: line 1: only expires=2027-01-31, models=a,b,/],
    ['a limit twice', `${ONE} tokens=1/min tokens=2/min`, /^Error: line 1: only expires=/],
    ['a day that does not exist', `${ONE} expires=2027-02-30`, /^Error: line 1: expires: it must be the last day/],
    ['another form of a day', `${ONE} expires=31.1.2027`, /^Error: line 1: expires: it must be the last day/],
    ['an empty list of models', `${ONE} models=`, /^Error: line 1: models: it must be the IDs of models/],
    ['a space between models', `${ONE} models=a, b`, /^Error: line 1: models: it must be the IDs of models/],
    ['models in quotes', `${ONE} models="a"`, /^Error: line 1: models: .* without spaces, quotes and \*/],
    ['all models', `${ONE} models=*`, /^Error: line 1: models: .* without spaces, quotes and \*/],
    [
      'a number that is too large',
      `${ONE} tokens=1000000000000/min`,
      /^Error: line 1: tokens: .* from 1 to 999999999999/,
    ],
    ['a number without a minute', `${ONE} requests=60`, /^Error: line 1: requests: it must be a whole number/],
    ['no tokens at all', `${ONE} tokens=0/min`, /^Error: line 1: tokens: it must be a whole number/],
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

  it('refuses quotes, and says so', () => {
    for (const text of [`"a=${ONE}"`, `a="${ONE}"`, `'${ONE},${OTHER}'`]) {
      assert.throws(() => parseKeyVariable(text, (reason) => new Error(reason)), /is in quotes; remove them$/);
    }
  });

  it('refuses an access key that is there twice, and does not speak of lines', () => {
    assert.throws(
      () => parseKeyVariable(`a=${ONE},b=${ONE}`, (reason) => new Error(reason)),
      /^Error: the same access key is there twice$/,
    );
  });

  it('refuses limits, because commas separate the keys', () => {
    for (const text of [`a=${ONE} models=a,b`, `${ONE} requests=1/min`, `${ONE} ${OTHER}`]) {
      assert.throws(() => parseKeyVariable(text, (reason) => new Error(reason)), /limits of clients need a file/);
    }
  });
});
