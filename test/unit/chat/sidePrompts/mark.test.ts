import assert from 'node:assert/strict';
import { DEVELOPMENT_BACKEND } from '../../../../src/chat/sidePrompts/facts.ts';
import { judgeSidePrompts } from '../../../../src/chat/sidePrompts/judge.ts';
import { markText, summaryOfMarks, unsealedTitles } from '../../../../src/chat/sidePrompts/mark.ts';
import type { Mark } from '../../../../src/chat/sidePrompts/mark.ts';
import { SETTINGS } from '../../../../src/chat/sidePrompts/settings.ts';
import { makeFacts } from '../../../support/editorFacts.ts';

const GITHUB: Mark = { kind: 'goesTo', recipient: 'GitHub', ifSignedIn: false };

describe('markText()', () => {
  it('names the recipient, and the condition', () => {
    assert.equal(markText(GITHUB), 'goes to GitHub');
    assert.equal(markText({ ...GITHUB, ifSignedIn: true }), 'goes to GitHub if you sign in');
    assert.equal(markText({ kind: 'cannotBeSealed', cause: 'service', ifSignedIn: false }), 'cannot be sealed');
    assert.equal(
      markText({ kind: 'cannotBeSealed', cause: 'service', ifSignedIn: true }),
      'cannot be sealed if you sign in',
    );
  });
});

describe('unsealedTitles()', () => {
  it('names what goes to others now, but no chats and nothing that follows from signing in later', () => {
    const marks: readonly Mark[] = [
      GITHUB,
      { kind: 'cannotBeSealed', cause: 'service', ifSignedIn: false },
      { ...GITHUB, ifSignedIn: true },
      { kind: 'cannotBeSealed', cause: 'service', ifSignedIn: true },
      { kind: 'goesTo', recipient: DEVELOPMENT_BACKEND, ifSignedIn: false },
      ...(['sealed', 'off', 'follows', 'unknown'] as const).map((kind) => ({ kind })),
    ];
    const prompts = marks.map((mark, index) => ({ title: `x${index}`, mark, reason: '', settings: [] }));
    assert.deepEqual(unsealedTitles(prompts), ['x0', 'x1']);
    assert.deepEqual(unsealedTitles([{ title: 'x', mark: GITHUB, reason: '', settings: [], isChat: true }]), []);
  });
});

describe('summaryOfMarks()', () => {
  const summary = (...marks: readonly Mark[]) =>
    summaryOfMarks(marks.map((mark) => ({ title: 'x', mark, reason: '', settings: [] })));

  it('counts the marks, those that need attention first', () => {
    assert.equal(
      summary({ kind: 'unknown' }, GITHUB, { kind: 'cannotBeSealed', cause: 'service', ifSignedIn: false }, GITHUB, {
        kind: 'follows',
      }),
      '2 go to GitHub, 1 cannot be sealed, 1 unknown, 1 follows the selected model',
    );
    assert.equal(summary({ kind: 'off' }, { kind: 'off' }), '2 off');
    assert.equal(summary(), '');
  });

  it('calls none sealed, because a mark does not know whether the proxy reaches an enclave', () => {
    assert.equal(summary({ kind: 'sealed' }, { kind: 'sealed' }), '2 go to Sealed Proxy');
  });

  it('counts inline suggestions of GitHub Copilot by themselves', () => {
    const inline = [SETTINGS.ghostText, SETTINGS.nextEdits].map((key) => ({
      ...{ title: 'x', mark: GITHUB, reason: '', settings: [key] },
    }));
    const other = { title: 'x', mark: GITHUB, reason: '', settings: [] };
    assert.equal(summaryOfMarks([...inline, other]), '1 goes to GitHub; inline suggestions: 2 go to GitHub');
  });

  it("does not count chats with another vendor's models, which the user selects", () => {
    const chats = judgeSidePrompts(makeFacts()).filter(({ title }) => title.startsWith('Chats with'));
    assert.ok(chats.length > 0);
    assert.equal(summaryOfMarks(chats), '');
  });
});
