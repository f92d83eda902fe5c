import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { GLOSSARY_TERMS, glossaryLink } from '../../../src/presentation/glossary.ts';
import { fromRoot } from '../../support/e2e/process.ts';

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const anchors = [...read('docs/glossary.md').matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
  title.toLowerCase().replaceAll(' ', '-'),
);

describe('glossaryLink()', () => {
  for (const term of GLOSSARY_TERMS) {
    it(`leads to a heading of docs/glossary.md: ${term}`, () => {
      assert.ok(anchors.includes(term));
      assert.ok(glossaryLink(term).endsWith(`/docs/glossary.md#${term}`));
    });
  }

  it('has the same form as the links in package.json', () => {
    const links = [...read('package.json').matchAll(/https:[^\s)"]*glossary\.md#([\w-]+)/g)];
    assert.ok(links.length > 0);
    for (const [link, term = ''] of links) {
      assert.ok(anchors.includes(term), link);
      assert.equal(link, glossaryLink('enclave').replace(/#.*/, `#${term}`));
    }
  });
});
