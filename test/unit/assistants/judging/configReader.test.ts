import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigReader, frontMatter } from '../../../../src/assistants/judging/configReader.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

describe('ConfigReader', () => {
  const home = perTestHome();

  it('lists files in folders that are symbolic links, each folder once', async () => {
    home().write('elsewhere/inner/x.md', '');
    home().write('agents/y.md', '');
    symlinkSync(home().pathOf('elsewhere'), home().pathOf('agents/linked'));
    symlinkSync(home().pathOf('agents'), home().pathOf('agents/loop'));
    symlinkSync(home().pathOf('nowhere'), home().pathOf('agents/broken'));
    const reader = new ConfigReader();
    const found = await reader.list(home().pathOf('agents'), '.md');
    assert.deepEqual(
      found,
      ['agents/linked/inner/x.md', 'agents/y.md'].map((path) => home().pathOf(path)),
    );
    assert.deepEqual(reader.doubts, []);
  });

  it('doubts folders that are too deep to be searched', async () => {
    home().write(join('agents', ...Array.from({ length: 12 }, () => 'f'), 'x.md'), '');
    const reader = new ConfigReader();
    assert.deepEqual(await reader.list(home().pathOf('agents'), '.md'), []);
    assert.equal(reader.doubts.length, 1);
  });

  it('doubts no folder if only the files in the first one count', async () => {
    home().write('d/x.json', '');
    home().write('d/f/y.json', '');
    const reader = new ConfigReader();
    assert.deepEqual(await reader.list(home().pathOf('d'), '.json', 0), [home().pathOf('d/x.json')]);
    assert.deepEqual(reader.doubts, []);
  });
});

describe('frontMatter()', () => {
  for (const [what, text, model] of [
    ['a value', '---\nname: x\nmodel: other # y\n---\n', 'other'],
    ['a quoted value', "---\nmodel: 'other'\n---\n", 'other'],
    ['a quoted name', '---\n"model": other\n---\n', 'other'],
    ['an object on one line', '---\n{ "name": "x", "model": "other" }\n---\n', 'other'],
    ['the name of its language', '---yaml\nmodel: other\n---\n', 'other'],
    ['a byte order mark and Windows line ends', '\ufeff---\r\nmodel: other\r\n---\r\n', 'other'],
    ['a value on the next line', '---\nmodel:\n  other\n---\n', 'other'],
    ['what is not YAML', '---\ndescription: a: b: c\nmodel: other\n---\n', 'other'],
    ['nothing', '---\nname: x\n---\nmodel: other\n', undefined],
    ['no end', 'model: other\n', undefined],
  ] as const) {
    it(`reads ${what}`, () => {
      assert.equal(frontMatter(text)['model'], model);
    });
  }
});
