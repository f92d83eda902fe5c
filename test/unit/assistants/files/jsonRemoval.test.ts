import assert from 'node:assert/strict';
import fc from 'fast-check';
import { jsonFile } from '../../../../src/assistants/adapters/fileAssistant.ts';
import { openCodeEntry } from '../../../../src/assistants/adapters/openCodeEntry.ts';
import { connectionTo } from '../../../support/assistantFiles.ts';

const { edit, withdraw } = jsonFile(openCodeEntry);
const connection = connectionTo('/nowhere');
const connected = (before: string): string => {
  const edited = edit(before, connection);
  assert.ok(edited);
  return edited.text;
};

describe('Taking an entry out of a text', () => {
  for (const [what, before] of [
    ['lines', '{\n  "theme": "dark"\n}\n'],
    ['one line', '{ "theme": "dark" }'],
    ['no line break at its end', '{\n  "theme": "dark"\n}'],
    ['tabs', '{\n\t"theme": "dark",\n\t"provider": {\n\t\t"local": {}\n\t}\n}\n'],
    ['comments on every side', '{\n  // one\n  "theme": "dark" // two\n  // three\n}\n'],
    ['a comma behind the last', '{\n  "theme": "dark",\n  "provider": {\n    "local": {}, // mine\n  },\n}\n'],
    ['a model that was selected', '{\n  "model": "local/m",\n  "provider": {\n    "local": {}\n  }\n}\n'],
    ['carriage returns', '{\r\n  "theme": "dark"\r\n}\r\n'],
  ] as const) {
    it(`leaves what was there before: ${what}`, () => {
      assert.equal(withdraw(connected(before), before), before);
    });
  }

  it('leaves what came later, in the midst of ours or beside it', () => {
    const before = '{\n  "theme": "dark"\n}\n';
    const later = connected(before)
      .replace('"name": "Sealed Proxy",', '"name": "Sealed Proxy", // whose?')
      .replace('"provider": {', '"provider": {\n    "other": { "npm": "x" }, // new')
      .replace('"theme": "dark"', '"theme": "light", "keybinds": {}');
    const wanted =
      '{\n  "theme": "light", "keybinds": {},\n  "provider": {\n    "other": { "npm": "x" } // new\n  }\n}\n';
    assert.equal(withdraw(later, before), wanted);
  });

  it('does nothing where there is no entry of ours any more', () => {
    for (const text of ['{"model": "local/m"}', '[]', '7', '{}']) assert.equal(withdraw(text, '{}'), text);
  });

  it('refuses what does not parse', () => {
    assert.equal(withdraw('{', '{}'), undefined);
    assert.equal(withdraw('{}', '{'), undefined);
  });

  it('is the inverse of putting it in, for whatever stands around it, and whatever is added', () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/).filter((each) => !['provider', 'model'].includes(each));
    const fields = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const provider = fc.option(fc.dictionary(name, fields, { maxKeys: 3 }), { nil: undefined });
    fc.assert(
      fc.property(fields, provider, fields, fc.constantFrom(0, 1, 2, '\t'), (theirs, known, added, indent) => {
        const before = { ...theirs, ...(known === undefined ? {} : { provider: known }) };
        const first = JSON.stringify(before, null, indent);
        const now = JSON.parse(connected(first)) as Record<string, unknown>;
        const later = JSON.stringify({ ...now, ...added }, null, indent);
        const rest = withdraw(later, first);
        assert.deepEqual(JSON.parse(rest ?? ''), JSON.parse(JSON.stringify({ ...before, ...added })));
      }),
    );
  });
});
