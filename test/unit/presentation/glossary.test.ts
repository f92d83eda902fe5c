import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glossaryLink } from '../../../src/presentation/glossary.ts';
import { fromRoot } from '../../support/e2e/process.ts';

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const anchors = [...read('docs/glossary.md').matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
  title.toLowerCase().replaceAll(' ', '-'),
);

describe('glossaryLink()', () => {
  it('links a term, or a text about it, to its heading', () => {
    assert.match(glossaryLink('Access key'), /^\[Access key\]\(https:\S+\/docs\/glossary\.md#access-key\)$/);
    assert.match(glossaryLink('Session', 'Session since'), /^\[Session since\]\(https:\S+#session\)$/);
  });

  it('has the same form as the links in package.json', () => {
    const links = [...read('package.json').matchAll(/https:[^\s)"]*glossary\.md#([\w-]+)/g)];
    assert.ok(links.length > 0);
    for (const [link, term = ''] of links) {
      assert.ok(anchors.includes(term), link);
      assert.equal(glossaryLink(term), `[${term}](${link})`);
    }
  });
});
