import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { llamaVscode } from '../../../src/assistants/adapters/llamaVscode.ts';
import { FILE_ASSISTANTS } from '../../../src/assistants/registry.ts';
import { KNOWN_EXTENSIONS, knownExtension } from '../../../src/promptMap/knownExtensions.ts';
import { fromRoot } from '../../support/e2e/process.ts';

describe('KNOWN_EXTENSIONS', () => {
  const ids = KNOWN_EXTENSIONS.flatMap((extension) => extension.ids);
  const settings = { read: () => undefined, isOverridden: () => false, write: () => Promise.resolve() };
  const configured = [...FILE_ASSISTANTS, llamaVscode(settings)].flatMap(({ extension }) => extension ?? []);

  it('and the assistants are at least twenty extensions, each with one ID in one place', () => {
    const all = [...ids, ...configured].map((id) => id.toLowerCase());
    assert.equal(new Set(all).size, all.length);
    assert.ok(KNOWN_EXTENSIONS.length + configured.length >= 20);
    for (const id of all) assert.match(id, /^[a-z0-9-]+\.[a-z0-9-]+$/);
  });

  it('are the table of the documentation', () => {
    const text = readFileSync(fromRoot('docs/where-prompts-go.md'), 'utf8');
    const table = text.slice(text.indexOf('## AI extensions'), text.indexOf('## Command line'));
    const documented = [...table.matchAll(/`([\w-]+\.[\w-]+)`/g)].map(([, id = '']) => id.toLowerCase());
    assert.deepEqual(documented.toSorted(), [...ids, ...configured].map((id) => id.toLowerCase()).toSorted());
  });

  it('name the source of each statement', () => {
    for (const { name, source } of KNOWN_EXTENSIONS) assert.ok(URL.canParse(source) || source.includes(' '), name);
  });
});

describe('knownExtension()', () => {
  it('ignores the case of an ID, as the editor does', () => {
    assert.equal(knownExtension('GOOGLE.GeminiCodeAssist')?.name, 'Gemini Code Assist');
    assert.equal(knownExtension('google.geminicodeassist2'), undefined);
  });
});
