import assert from 'node:assert/strict';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import { ModelRule, refusalOfHead } from '../../../../src/proxy/relay/modelRule.ts';

/** Whether a client that may use `small` and `größe` may send this body. */
function allows(body: string | Buffer): boolean {
  const bytes = Buffer.from(body);
  const results = [1, 7, bytes.length + 1].map((length) => {
    const rule = new ModelRule(['small', 'größe']);
    for (let at = 0; at < bytes.length; at += length) rule.push(bytes.subarray(at, at + length));
    return rule.refusal === undefined;
  });
  assert.equal(new Set(results).size, 1);
  return results[0] === true;
}

/** UTF-16 of `before` and `after`, with the bytes of `between`, whose length is even. */
function utf16(before: string, between: string, after: string): Buffer {
  return Buffer.concat([Buffer.from(before, 'utf16le'), Buffer.from(between), Buffer.from(after, 'utf16le')]);
}

describe('ModelRule', () => {
  for (const body of [
    '{"model":"small"}',
    '{"messages":[{"content":"\\"model\\":\\"large\\""}],"model" : "small"}',
    '{"model":"sm\\u0061ll"}',
    '{"model":"größe","tools":[{"model":"large"}]}',
    '{"tools":[{"Model":"large"}],"model":"small","Models":1}',
  ]) {
    it(`allows ${body}`, () => {
      assert.ok(allows(body));
    });
  }

  const refused: [string, string | Buffer][] = [
    ['another model', '{"model":"large"}'],
    ['no model', '{"messages":[]}'],
    ['no body', ''],
    ['a model at a lower level alone', '{"a":{"model":"small"}}'],
    ['two models', '{"model":"small","model":"large"}'],
    ['the same model twice', '{"model":"small","model":"small"}'],
    ['a second model in a key with escapes', '{"model":"small","mod\\u0065l":"large"}'],
    ['any key with escapes', '{"\\u0061":1,"model":"small"}'],
    ['a very long model before another one', `{"model":"${'x'.repeat(5000)}","model":"small"}`],
    ['a list of models', '{"model":["small"]}'],
    ['a name that only begins like an allowed one', '{"model":"smaller"}'],
    ['a name in capitals', '{"model":"SMALL"}'],
    ['an object after the first one', '{"model":"small"}{"model":"large"}'],
    ['an object that does not end', '{"model":"small"'],
    ['a byte order mark', '\ufeff{"model":"small"}'],
    ['UTF-16', Buffer.from('{"model":"small"}', 'utf16le')],
    // Python's `json.loads` recognises UTF-16 by its zeros. Two letters of the string are one character of it.
    ['UTF-16 with another model than its bytes name', utf16('{"a":"', '","model":"small", "', '","model":"large"}')],
    ['a zero in a string', '{"a":"\0","model":"small"}'],
    // Go's `encoding/json` ignores case in keys, and uses the last one.
    ['a second model in a key with capitals', '{"model":"small","Model":"large"}'],
    ['a model in a key with capitals alone', '{"MODEL":"small"}'],
  ];
  for (const [what, body] of refused) {
    it(`refuses ${what}`, () => {
      assert.ok(!allows(body));
    });
  }

  it('names the models that the client may use', () => {
    const error = new ModelRule(['small', 'größe']).refusal;
    assert.deepEqual([error?.status, error?.code], [403, 'model_not_allowed']);
    assert.match(error?.message ?? '', /^This access key may be used only for small, größe\. Name one of these models/);
  });
});

describe('refusalOfHead()', () => {
  const type = (value: string) => ['Content-Type', value];
  const coding = (value: string) => ['Content-Encoding', value];
  const readable: readonly (readonly [string, readonly string[]])[] = [
    ['no type', []],
    ['JSON', type('application/json')],
    ['JSON in UTF-8', type('Application/JSON; charset="UTF-8"')],
    ['JSON that is not compressed', [...type('application/json'), ...coding('identity')]],
    ['no type, not compressed', coding('identity')],
  ];
  for (const [what, raw] of readable) {
    it(`lets a body be read that has ${what}`, () => {
      assert.equal(refusalOfHead('/v1/chat/completions', raw), undefined);
    });
  }

  const unreadable: readonly (readonly [string, readonly string[]])[] = [
    ['the type of a form', type('application/x-www-form-urlencoded')],
    ['JSON in another character encoding', type('application/json; charset=utf-16')],
    ['a type that only begins with that of JSON', type('application/jsonl')],
    ['two types', [...type('application/json'), ...type('application/json')]],
    ['a compressed body', [...type('application/json'), ...coding('gzip')]],
    ['a compressed body without a type', coding('gzip')],
    ['two codings', [...coding('identity'), ...coding('identity')]],
  ];
  for (const [what, raw] of unreadable) {
    it(`refuses ${what}`, () => {
      assert.equal(refusalOfHead('/v1/chat/completions', raw), PROXY_ERRORS.unreadableModel);
    });
  }

  it('refuses a query, which may name another model', () => {
    assert.equal(refusalOfHead('/v1/chat/completions?model=large', []), PROXY_ERRORS.unreadableModel);
  });
});
