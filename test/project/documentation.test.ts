import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { COMMANDS, INTERNAL_COMMANDS } from '../../src/presentation/commands.ts';
import { VARIABLES } from '../../src/settings/environment.ts';
import { EDITOR_SETTING_NAMES } from '../../src/settings/schema.ts';
import { fromRoot } from '../support/e2e/process.ts';

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const PAGES = [
  ...readdirSync(fromRoot('.')).filter((name) => name.endsWith('.md')),
  ...readdirSync(fromRoot('docs')).map((name) => `docs/${name}`),
].filter((path) => path.endsWith('.md'));

const SOURCES = ['src', 'test', 'scripts', 'bench'].flatMap((folder) =>
  readdirSync(fromRoot(folder), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.replaceAll('\\', '/')}`,
  ),
);

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const text = read(page).replace(/^```.*?^```/gms, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('The documentation', () => {
  for (const page of PAGES) {
    it(`links only to what exists: ${page}`, () => {
      const text = read(page).replace(/^```.*?^```/gms, '');
      const targets = [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
      for (const target of targets.filter((link) => !/^https?:/.test(link))) {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : posix.join(posix.dirname(page), path);
        assert.ok(existsSync(fromRoot(file)), `${target}: there is no ${file}`);
        if (anchor !== undefined) assert.ok(anchorsOf(file).includes(anchor), `${target}: no such heading`);
      }
    });

    it(`names only npm scripts that exist: ${page}`, () => {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
      for (const [, name = ''] of read(page).matchAll(/\bnpm (?:run )?([a-z][a-z0-9:]*)/g)) {
        assert.ok(
          ['audit', 'ci', 'diff', 'install', 'pack', 'publish', 'will', 'script', 'scripts'].includes(name) ||
            name in scripts,
          name,
        );
      }
    });
  }

  // CONTRIBUTING.md names files and settings that a contributor would add.
  for (const page of PAGES.filter((path) => path !== 'CONTRIBUTING.md' && path !== 'CHANGELOG.md')) {
    it(`names only commands, settings and files that exist: ${page}`, () => {
      const text = read(page);
      const titles: string[] = Object.values(COMMANDS).map(({ title }) => title);
      for (const [, title = ''] of text.matchAll(/_Sealed\sProxy:\s([^_]+)_/g)) {
        assert.ok(titles.includes(title.replace(/\s/g, ' ')), title);
      }
      const settings: string[] = EDITOR_SETTING_NAMES;
      const names = [...settings, ...Object.keys(COMMANDS), ...INTERNAL_COMMANDS];
      for (const [, name = ''] of text.matchAll(/\bsealedProxy\.([A-Za-z0-9.]*[A-Za-z0-9])/g)) {
        assert.ok(names.includes(name), name);
      }
      const variables: string[] = VARIABLES.map(({ variable }) => variable);
      for (const [name] of text.matchAll(/\bPROXY_[A-Z0-9_]+/g)) assert.ok(variables.includes(name), name);
      for (const [, path = ''] of text.matchAll(/`([\w/.-]+\.(?:ts|mjs))`/g)) {
        if (path.endsWith('.d.ts')) continue; // made by the build
        assert.ok(
          SOURCES.some((source) => `/${source}`.endsWith(`/${path}`)),
          path,
        );
      }
    });
  }

  it('defines the terms that package.json links to', () => {
    const anchors = anchorsOf('docs/glossary.md');
    const links = [...read('package.json').matchAll(/https:[^\s)"]*glossary\.md[^\s)"]*/g)].map(([link]) => link);
    assert.ok(links.length > 0);
    for (const link of links) {
      const [page, anchor = ''] = link.split('#');
      assert.equal(page, 'https://github.com/sealed-proxy/sealed-proxy/blob/main/docs/glossary.md');
      assert.ok(anchors.includes(anchor), link);
    }
  });
});

describe('The README', () => {
  it('has under 900 words and at least three pictures of the product', () => {
    const text = read('README.md');
    const words = text.split(/\s+/).filter((word) => /\p{L}/u.test(word));
    assert.ok(words.length < 900, `${words.length} words`);
    assert.ok([...text.matchAll(/!\[[^\]]+\]\(media\/[^)]+\.png\)/g)].length >= 3);
  });
});
