import assert from 'node:assert/strict';
import { asLabel, asNotice } from '../../../src/presentation/plainText.ts';

/** As VS Code reads its notifications (`linkedText.ts`). */
// eslint-disable-next-line regexp/no-super-linear-move -- the editor's own expression, on the texts below only
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;

describe('The words of others', () => {
  it('are no links and no commands in a notification', () => {
    for (const text of ['[x](command:workbench.action.quit)', '[[x](file:///a)](https://example.com)']) {
      assert.match(text, LINK);
      assert.doesNotMatch(asNotice(text), LINK);
    }
    assert.equal(asNotice('glm-5-2 answered: first byte after 7 ms.'), 'glm-5-2 answered: first byte after 7 ms.');
  });

  it('are no icons in a row, and one line that fits', () => {
    assert.equal(asLabel('$(pass-filled) connected\n$(check)'), '$ (pass-filled) connected $ (check)');
    assert.equal(asLabel('x'.repeat(1000)).length, 100);
    assert.equal(asLabel('GLM 5.2'), 'GLM 5.2');
  });
});
