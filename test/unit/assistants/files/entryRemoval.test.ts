import assert from 'node:assert/strict';
import fc from 'fast-check';
import { removeEntry } from '../../../../src/assistants/files/entryRemoval.ts';
import { jsonc } from '../../../../src/assistants/formats/json.ts';
import { fieldsOf } from '../../../../src/shared/json.ts';

const PROVIDER = ['provider', 'sealed-proxy'];
const MODEL = 'sealed-proxy/m';
const ENTRY = { npm: 'x', name: 'Sealed Proxy', options: { apiKey: 'k' } };

const connected = (before: string): string => {
  const settings = [
    { path: PROVIDER, value: ENTRY },
    { path: ['model'], value: MODEL },
  ];
  const edited = jsonc.set(before, settings);
  assert.ok(edited);
  return edited.text;
};
const withoutEntry = (text: string, before: string) =>
  removeEntry(text, before, jsonc, (value) => [PROVIDER, ...(fieldsOf(value)['model'] === MODEL ? [['model']] : [])]);

describe('removeEntry()', () => {
  for (const [what, before] of [
    ['an object on several lines', '{\n  "theme": "dark"\n}\n'],
    ['an object on one line', '{ "theme": "dark" }'],
    ['a text without a final line break', '{\n  "theme": "dark"\n}'],
    ['tabs', '{\n\t"theme": "dark",\n\t"provider": {\n\t\t"local": {}\n\t}\n}\n'],
    ['comments around the entry', '{\n  // one\n  "theme": "dark" // two\n  // three\n}\n'],
    ['trailing commas', '{\n  "theme": "dark",\n  "provider": {\n    "local": {}, // mine\n  },\n}\n'],
    ['the selected model', '{\n  "model": "local/m",\n  "provider": {\n    "local": {}\n  }\n}\n'],
    ['Windows line ends', '{\r\n  "theme": "dark"\r\n}\r\n'],
  ] as const) {
    it(`restores ${what}`, () => {
      assert.equal(withoutEntry(connected(before), before), before);
    });
  }

  it('keeps later edits, inside our entry and next to it', () => {
    const before = '{\n  "theme": "dark"\n}\n';
    const later = connected(before)
      .replace('"name": "Sealed Proxy",', '"name": "Sealed Proxy", // what?')
      .replace('"provider": {', '"provider": {\n    "other": { "npm": "x" }, // new')
      .replace('"theme": "dark"', '"theme": "light", "keybinds": {}');
    const wanted =
      '{\n  "theme": "light", "keybinds": {},\n  "provider": {\n    "other": { "npm": "x" } // new\n  }\n}\n';
    assert.equal(withoutEntry(later, before), wanted);
  });

  it('changes nothing if our entry is gone', () => {
    for (const text of ['{"model": "local/m"}', '[]', '7', '{}', '', '\n'])
      assert.equal(withoutEntry(text, '{}'), text);
  });

  it('refuses a text that does not parse', () => {
    assert.equal(withoutEntry('{', '{}'), undefined);
    assert.equal(withoutEntry('{}', '{'), undefined);
  });

  it('is the inverse of adding the entry, for any surrounding values and later additions', () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/).filter((each) => !['provider', 'model'].includes(each));
    const fields = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const provider = fc.option(fc.dictionary(name, fields, { maxKeys: 3 }), { nil: undefined });
    fc.assert(
      fc.property(fields, provider, fields, fc.constantFrom(0, 1, 2, '\t'), (theirs, known, added, indent) => {
        const before = { ...theirs, ...(known === undefined ? {} : { provider: known }) };
        const first = JSON.stringify(before, null, indent);
        const now = JSON.parse(connected(first)) as Record<string, unknown>;
        const later = JSON.stringify({ ...now, ...added }, null, indent);
        const rest = withoutEntry(later, first);
        assert.deepEqual(JSON.parse(rest ?? ''), JSON.parse(JSON.stringify({ ...before, ...added })));
      }),
    );
  });
});
