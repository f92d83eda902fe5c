import assert from 'node:assert/strict';
import fc from 'fast-check';
import { asCode, asLabel, asMarkdown, asNotice, asPlain } from '../../../src/shared/escape.ts';

/** As VS Code reads its notifications (`linkedText.ts`). */
// eslint-disable-next-line regexp/no-super-linear-move -- the editor's own expression, on the texts below only
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;

describe('asPlain()', () => {
  it('makes one line, and shows that there were controls, hidden characters or marks that reorder text', () => {
    for (const [text, expected] of [
      [' a\r\n\tb ', 'a b'],
      ['\u001b[31mred', '\ufffd[31mred'],
      ['\u202egnp.exe', '\ufffdgnp.exe'],
      ['a\u200bb\u2066c\u{e0041}d', 'a\ufffdb\ufffdc\ufffdd'],
      ['\ud800x', '\ufffdx'],
      ['\u180ea\u009bb\u061cc', '\ufffda\ufffdb\ufffdc'],
      [`e${'\u0301'.repeat(50)}`, `e${'\u0301'.repeat(6)}`],
    ] as const) {
      assert.equal(asPlain(text), expected);
    }
  });

  it('keeps the letters of all scripts, and what joins them', () => {
    for (const text of [
      'Größe',
      'نمونه\u200cها',
      '模型',
      '👩\u200d💻 GLM',
      '🏳️\u200d🌈',
      'e\u0301',
      'क्षि',
      'အမြွှာ',
      '<b>&amp;',
    ])
      assert.equal(asPlain(text), text);
  });

  it('cuts off what is too long, without half a character', () => {
    assert.equal(asPlain('x'.repeat(10_000)), `${'x'.repeat(199)}…`);
    assert.equal(asPlain('x'.repeat(10), 5), 'xxxx…');
    assert.equal(asPlain('12345', 5), '12345');
    assert.equal(asPlain('xxx😀😀', 5), 'xxx\ufffd…');
  });

  it('leaves no misleading character of any input, and no half character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, longest) => {
        const shown = asPlain(text, longest);
        assert.ok(shown.isWellFormed());
        assert.doesNotMatch(shown, /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
        assert.ok(shown.length <= longest);
      }),
    );
  });
});

describe('asNotice()', () => {
  it('leaves no link, command or icon', () => {
    for (const text of ['[x](command:workbench.action.quit)', '[[x](file:///a)](https://example.com)']) {
      assert.match(text, LINK);
      assert.doesNotMatch(asNotice(text), LINK);
    }
    assert.equal(asNotice('x'.repeat(10_000)).length, 800);
    assert.equal(asNotice('$(check) verified'), '$ (check) verified');
    assert.equal(asNotice('glm-5-2 answered: first byte after 7 ms.'), 'glm-5-2 answered: first byte after 7 ms.');
  });
});

describe('asLabel()', () => {
  it('leaves no icon, and makes one line that fits', () => {
    assert.equal(asLabel('$(pass-filled) connected\n$(check)'), '$ (pass-filled) connected $ (check)');
    assert.equal(asLabel('x'.repeat(1000)).length, 100);
    assert.equal(asLabel('GLM 5.2'), 'GLM 5.2');
  });
});

describe('asMarkdown()', () => {
  it('escapes links, images, HTML, entities, icons, formatting and table cells', () => {
    for (const [text, expected] of [
      ['[x](command:a)', '\\[x\\](command:a)'],
      ['![x](https://example.com)', '!\\[x\\](https://example.com)'],
      ['<img src=x>', '\\<img src=x\\>'],
      ['&lt;', '\\&lt;'],
      ['$(shield)', '\\$(shield)'],
      ['*a* _b_ ~c~ `d`', '\\*a\\* \\_b\\_ \\~c\\~ \\`d\\`'],
      ['a | b', 'a \\| b'],
      ['a\\', 'a\\\\'],
    ] as const) {
      assert.equal(asMarkdown(text), expected);
    }
  });

  it('makes one line', () => {
    assert.equal(asMarkdown(' a\r\n\n# b\t'), 'a # b');
  });

  it('begins no heading and no list', () => {
    for (const mark of ['#', '-', '+']) assert.equal(asMarkdown(`${mark} a - b`), `\\${mark} a - b`);
  });
});

describe('asCode()', () => {
  it('keeps identifiers and addresses', () => {
    for (const text of ['i-0f1e-enc01', 'http://[::1]:14114/v1?a=%20', 'glm_5.2'])
      assert.equal(asCode(text), `\`${text}\``);
  });

  it('replaces every other character', () => {
    assert.equal(asCode('a`b|c\n$(d) é'), '`a?b?c??(d)??`');
  });
});
