import assert from 'node:assert/strict';
import { DEVELOPMENT_BACKEND } from '../../../src/chat/sidePrompts/facts.ts';
import type { Mark } from '../../../src/chat/sidePrompts/mark.ts';
import type { SidePromptsSection } from '../../../src/dashboard/model.ts';
import {
  describeValues,
  mainAction,
  placeAfter,
  placeNow,
  sealingActions,
  summarizeSealing,
} from '../../../src/dashboard/sidePromptsText.ts';
import type { Reach } from '../../../src/promptMap/reach.ts';
import { sender } from '../../support/senders.ts';

const ENCLAVE: Reach = { kind: 'enclave' };
const STOPPED: Reach = { kind: 'nothing', why: 'Sealed Proxy is off.' };
const SEALED: Mark = { kind: 'sealed' };
const OFF: Mark = { kind: 'off' };
const FOLLOWS: Mark = { kind: 'follows' };
const UNKNOWN: Mark = { kind: 'unknown' };
const goesTo = (recipient: string, ifSignedIn = false): Mark => ({ kind: 'goesTo', recipient, ifSignedIn });
const cannot = (cause: 'service' | 'editor', ifSignedIn = false): Mark => ({
  kind: 'cannotBeSealed',
  cause,
  ifSignedIn,
});
const GITHUB = goesTo('GitHub');

const RECOMMENDED = { utility: 'Small 1', agent: 'Large 1' };

/** Side prompts that are called A, B and so on, with their marks now and after sealing. */
function sectionOf(
  marks: readonly (readonly [Mark, Mark | null])[],
  change: Partial<SidePromptsSection> = {},
): SidePromptsSection {
  const rows = marks.map(([now, after], index) => ({
    ...{ title: String.fromCodePoint(65 + index), reason: 'A reason.', now, after, canTurnOff: false, settings: [] },
  }));
  return { rows, recommended: RECOMMENDED, hasChoice: true, changes: 0, canUndo: false, ...change };
}

const summary = (section: SidePromptsSection, reach: Reach = ENCLAVE) =>
  summarizeSealing(section, { reach, remedy: null, senders: [sender('elsewhere')], isRemote: false });
/** Of side prompts that are sealed as far as possible. */
const done = (marks: readonly Mark[], reach?: Reach) =>
  summary(sectionOf(marks.map((mark) => [mark, mark] as const)), reach);

describe('placeNow() and placeAfter()', () => {
  const afterSealing = (after: Mark, canTurnOff = false) => {
    const [row] = sectionOf([[after, after]]).rows;
    return row && placeAfter({ ...row, canTurnOff }, ENCLAVE);
  };

  it('say in a few words where a side prompt goes', () => {
    const marks = [
      ...[SEALED, OFF, FOLLOWS, UNKNOWN, GITHUB, goesTo('GitHub', true), goesTo(DEVELOPMENT_BACKEND)],
      ...[cannot('service'), cannot('service', true), cannot('editor')],
    ];
    const texts = marks.map((mark) => [placeNow(mark, ENCLAVE), afterSealing(mark)].map((place) => place?.text));
    assert.deepEqual(texts, [
      ['Sealed', 'Sealed'],
      ['Off', 'Off'],
      ['The selected model', 'The selected model'],
      ['Unknown', 'Unknown'],
      ['GitHub', 'GitHub'],
      ['GitHub, if you sign in', 'GitHub, if you sign in'],
      ['Development backend, not verified', 'Development backend, not verified'],
      ['GitHub', 'Cannot be sealed'],
      ['GitHub, if you sign in', 'Cannot be sealed'],
      ['GitHub, in part', 'Cannot be sealed'],
    ]);
  });

  it('say that what can only be turned off cannot be sealed', () => {
    assert.equal(afterSealing(goesTo('Microsoft'), true)?.text, 'Cannot be sealed');
  });

  it('call nothing sealed unless a verified enclave is reached', () => {
    const reaches: readonly Reach[] = [
      ENCLAVE,
      STOPPED,
      { kind: 'otherProgram', port: 7 },
      { kind: 'otherProxy', port: 7 },
    ];
    assert.deepEqual(
      reaches.map((reach) => placeNow(SEALED, reach).text),
      ['Sealed', 'Blocked', 'Blocked', 'Unknown'],
    );
  });
});

describe('summarizeSealing()', () => {
  it('says before sealing what it writes, what it achieves, and with which models', () => {
    const { headline, detail, tone, lines } = summary(
      sectionOf(
        [
          [SEALED, SEALED],
          [GITHUB, SEALED],
          [cannot('service'), cannot('service')],
        ],
        { changes: 1 },
      ),
    );
    assert.equal(headline, '1 of 3 side prompts is sealed.');
    assert.equal(
      detail,
      'Sealing writes 1 user setting. Then 2 of 3 go to models of Sealed Proxy. ' +
        'Short tasks go to Small 1; agents and inline chat go to Large 1.',
    );
    assert.deepEqual([tone, lines], ['error', []]);
  });

  it('promises no more than what follows from the settings', () => {
    const { detail } = summary(sectionOf([[UNKNOWN, UNKNOWN]], { changes: 7 }));
    assert.match(detail, /^Sealing writes 7 user settings\. Short/);
  });

  it('says after sealing what is sealed, and what cannot be sealed and why', () => {
    const marks = [SEALED, FOLLOWS, cannot('editor'), SEALED, cannot('service'), UNKNOWN, goesTo('Other Vendor'), OFF];
    const { headline, detail, lines } = done(marks);
    assert.equal(headline, '2 of 8 side prompts are sealed.');
    assert.equal(detail, 'Seal has nothing left to change.');
    assert.deepEqual(
      lines.map(({ word, names }) => `${word}: ${names}`),
      [
        'Sealed: A and D.',
        'Cannot be sealed completely: C. VS Code sends a part to GitHub, whatever its settings say.',
        'Cannot be sealed: E. Only services of GitHub can do this.',
        'Not sealed, to Other Vendor: G.',
        'Depends on the model: B. The model that you select in the chat decides.',
        'Unknown: F. The details below say why.',
        'Off: H.',
      ],
    );
  });

  it('says that nothing goes to GitHub before the user signs in', () => {
    const [line] = done([cannot('service', true)]).lines;
    assert.match(line?.names ?? '', /Nothing goes there unless you sign in to GitHub Copilot\.$/);
  });

  it('is green only if everything is sealed or off', () => {
    assert.deepEqual(
      [[SEALED, OFF], [SEALED, FOLLOWS], [SEALED, cannot('service', true)], [SEALED, cannot('service')], [OFF]].map(
        (marks) => done(marks).tone,
      ),
      ['good', 'warning', 'warning', 'warning', 'neutral'],
    );
    assert.equal(done([SEALED], STOPPED).tone, 'warning');
  });

  it('calls nothing sealed with a development backend', () => {
    const { headline, lines } = done([goesTo(DEVELOPMENT_BACKEND), FOLLOWS], { kind: 'development' });
    assert.equal(headline, '1 of 2 side prompts goes to a development backend, which is not verified.');
    const none = done([FOLLOWS], { kind: 'development' });
    assert.equal(none.headline, 'No side prompt is set to go to your backend.');
    const before = summary(sectionOf([[FOLLOWS, FOLLOWS]], { changes: 1 }));
    assert.match(before.detail, /^1 follows the model that you select in the chat\. Sealing writes 1 user setting\./);
    assert.equal(done([GITHUB], { kind: 'development' }).headline, 'No side prompt goes to your backend.');
    assert.equal(lines[0]?.word, 'Not verified');
  });

  it('says first why nothing reaches the enclave, and calls nothing sealed', () => {
    const { headline, detail, lines } = done([SEALED, GITHUB], STOPPED);
    assert.equal(headline, 'Sealed Proxy is off.');
    assert.match(detail, /^1 of 2 side prompts goes to Sealed Proxy\. Requests fail at the moment\./);
    assert.deepEqual(
      lines.map(({ word }) => word),
      ['Blocked', 'Not sealed, to GitHub'],
    );
  });

  it('says that nothing can be sealed while there are no models', () => {
    const { detail, lines } = summary(sectionOf([[GITHUB, null]], { recommended: null }), STOPPED);
    assert.equal(
      detail,
      'No side prompt goes to Sealed Proxy. Sealed Proxy offers no models at the moment, so nothing can be sealed.',
    );
    assert.deepEqual(lines, []);
  });

  it('says why if VS Code sends none', () => {
    const { headline, detail } = done([OFF, OFF]);
    assert.deepEqual([headline, detail], ['VS Code sends no side prompts.', 'A reason.']);
  });
});

/** Dictation, whose speech a setting sends to Microsoft. */
function withDictation(change: Partial<SidePromptsSection> = {}): SidePromptsSection {
  const section = sectionOf([[SEALED, SEALED]], change);
  const dictation = { title: 'Dictation', reason: '', settings: [], canTurnOff: true } as const;
  return {
    ...section,
    rows: [...section.rows, { ...dictation, now: goesTo('Microsoft'), after: goesTo('Microsoft') }],
  };
}

describe('sealingActions() and mainAction()', () => {
  it('lead to the button that turns off what sealing does not change', () => {
    const name =
      'To keep the following from leaving this computer, select "Turn Off What Cannot Be Sealed": Dictation.';
    const sealed = withDictation();
    assert.deepEqual([sealingActions(sealed), mainAction(sealed)], [['sealWithOthers', 'turnOff'], 'turnOff']);
    assert.equal(summary(sealed).detail, `Seal has nothing left to change. ${name}`);
    const before = withDictation({ changes: 7 });
    assert.equal(mainAction(before), 'seal');
    assert.ok(summary(before).detail.endsWith(name));
    assert.equal(mainAction(sectionOf([[SEALED, SEALED]])), undefined);
  });

  it('offers what is possible, sealing first', () => {
    const actions = (change: Partial<SidePromptsSection>) => sealingActions(sectionOf([], change));
    assert.deepEqual(sealingActions(withDictation({ changes: 7, canUndo: true })), [
      ...['seal', 'sealWithOthers', 'turnOff', 'undo'],
    ]);
    assert.deepEqual(actions({ hasChoice: false }), []);
    assert.deepEqual(actions({ recommended: null, canUndo: true }), ['undo']);
  });
});

describe('describeValues()', () => {
  const section = sectionOf([]);

  it('says what a setting has now and after sealing', () => {
    assert.equal(describeValues({ key: 'x', now: '', after: 'a/b' }, section), 'Now empty. After sealing "a/b".');
    assert.equal(
      describeValues({ key: 'x', now: { c: true }, after: { c: true } }, section),
      'Now {"c":true}. Sealing does not change it.',
    );
    assert.equal(describeValues({ key: 'x', now: undefined, after: undefined }, section), 'Now not in this editor.');
    const without = { ...section, recommended: null };
    assert.equal(describeValues({ key: 'x', now: false, after: false }, without), 'Now false.');
  });
});
