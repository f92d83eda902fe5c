import assert from 'node:assert/strict';
import { judgeSidePrompts } from '../../../../src/chat/sidePrompts/judge.ts';
import { markText, summaryOfMarks } from '../../../../src/chat/sidePrompts/mark.ts';
import type { Mark } from '../../../../src/chat/sidePrompts/mark.ts';
import { makeFacts } from '../../../support/editorFacts.ts';

const GITHUB: Mark = { kind: 'goesTo', recipient: 'GitHub', ifSignedIn: false };

describe('markText()', () => {
  it('names the recipient, and the condition', () => {
    assert.equal(markText(GITHUB), 'goes to GitHub');
    assert.equal(markText({ ...GITHUB, ifSignedIn: true }), 'goes to GitHub if you sign in');
    assert.equal(markText({ kind: 'cannotBeSealed' }), 'cannot be sealed');
  });
});

describe('summaryOfMarks()', () => {
  const summary = (...marks: readonly Mark[]) =>
    summaryOfMarks(marks.map((mark) => ({ title: 'x', mark, reason: '', settings: [] })));

  it('counts the marks, those that need attention first', () => {
    assert.equal(
      summary({ kind: 'sealed' }, { kind: 'unknown' }, GITHUB, { kind: 'cannotBeSealed' }, GITHUB, { kind: 'follows' }),
      '2 go to GitHub, 1 cannot be sealed, 1 unknown, 1 follows the selected model, 1 sealed',
    );
    assert.equal(summary({ kind: 'off' }, { kind: 'off' }), '2 off');
    assert.equal(summary(), '');
  });

  it("does not count chats with another vendor's models, which the user selects", () => {
    const chats = judgeSidePrompts(makeFacts()).filter(({ title }) => title.startsWith('Chats with'));
    assert.ok(chats.length > 0);
    assert.equal(summaryOfMarks(chats), '');
  });
});
