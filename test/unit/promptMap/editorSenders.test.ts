import assert from 'node:assert/strict';
import { judgeSidePrompts } from '../../../src/chat/sidePrompts/judge.ts';
import { summaryOfMarks } from '../../../src/chat/sidePrompts/mark.ts';
import { SETTINGS } from '../../../src/chat/sidePrompts/settings.ts';
import { editorSenders } from '../../../src/promptMap/editorSenders.ts';
import type { Reach } from '../../../src/promptMap/reach.ts';
import type { Sender } from '../../../src/promptMap/sender.ts';
import { OTHER, OUR_LARGE, OUR_SMALL, makeFacts } from '../../support/editorFacts.ts';
import type { FactsChange } from '../../support/editorFacts.ts';

const ENCLAVE: Reach = { kind: 'enclave' };
const DOWN: Reach = { kind: 'nothing', why: 'Sealed Proxy is off in this window.' };
const DEVELOPMENT: Reach = { kind: 'development' };

/** Nothing goes to GitHub, and everything that can be sealed is. */
const ALL_SEALED: FactsChange = {
  models: [OUR_LARGE, OUR_SMALL],
  values: {
    [SETTINGS.utilitySmall]: 'sealed-proxy/small-1',
    [SETTINGS.utility]: 'sealed-proxy/small-1',
    [SETTINGS.utilityFallback]: 'none',
    [SETTINGS.plan]: 'Large 1 (sealed-proxy)',
    [SETTINGS.explore]: 'Large 1 (sealed-proxy)',
    [SETTINGS.ask]: 'Large 1 (sealed-proxy)',
    [SETTINGS.implement]: 'Large 1 (sealed-proxy)',
    [SETTINGS.inlineChat]: 'Large 1 (sealed-proxy)',
    [SETTINGS.newChats]: 'small-1',
    [SETTINGS.ghostText]: { '*': false },
    [SETTINGS.nextEdits]: false,
    [SETTINGS.searchSubagent]: false,
    [SETTINGS.executionSubagent]: false,
    [SETTINGS.dictation]: false,
  },
};

function senders(change: FactsChange = {}, reach: Reach = ENCLAVE): Readonly<Record<string, Sender>> {
  const facts = makeFacts(change);
  const all = editorSenders({ facts, prompts: judgeSidePrompts(facts) }, reach);
  return Object.fromEntries(all.map((sender) => [sender.id, sender]));
}

describe('editorSenders()', () => {
  it('says that the chat depends on the selected model if other vendors offer models', () => {
    const { chat } = senders();
    assert.equal(chat?.verdict, 'depends');
    assert.match(
      chat.sentence,
      /Models of Sealed Proxy are sealed\. Models of Other Vendor and GitHub are not sealed\.$/,
    );
  });

  it('says what happens to prompts for our models while the backend is not a verified enclave', () => {
    for (const [reach, ours] of [
      [DEVELOPMENT, 'go to a development backend, encrypted, but not verified'],
      [DOWN, 'fail at the moment, and nothing is sent to them'],
      [{ kind: 'otherProgram', port: 7 }, 'fail at the moment, and nothing is sent to them'],
    ] as const) {
      const { chat } = senders({}, reach);
      const expected = `Models of Sealed Proxy ${ours}. Models of Other Vendor and GitHub are not sealed.`;
      assert.ok(chat?.sentence.endsWith(expected), chat?.sentence);
    }
    const { chat } = senders({}, { kind: 'otherProxy', port: 7 });
    assert.match(
      chat?.sentence ?? '',
      /Another window with different settings decides where models of Sealed Proxy go\./,
    );
  });

  it('calls the chat sealed if only our models are offered, and the enclave is verified', () => {
    const verdicts = ([ENCLAVE, DEVELOPMENT, DOWN, { kind: 'otherProgram', port: 7 }] as const).map(
      (reach) => senders({ models: [OUR_LARGE] }, reach)['chat']?.verdict,
    );
    assert.deepEqual(verdicts, ['sealed', 'development', 'blocked', 'blocked']);
  });

  it('says that the chat goes elsewhere if only others offer models', () => {
    const { chat } = senders({ models: [OTHER] });
    assert.deepEqual([chat?.verdict, /only models of Other Vendor/.test(chat?.sentence ?? '')], ['elsewhere', true]);
    assert.equal(senders({ models: [] })['chat']?.verdict, 'off');
  });

  it('claims nothing of a version of VS Code that was not looked at', () => {
    const change = { ...ALL_SEALED, version: '1.140.0' };
    const { chat, sidePrompts, inlineSuggestions } = senders(change);
    assert.deepEqual(
      [chat?.verdict, sidePrompts?.verdict, inlineSuggestions?.verdict],
      ['unknown', 'unknown', 'unknown'],
    );
    assert.equal(senders({ ...change, values: { [SETTINGS.aiOff]: true } })['sidePrompts']?.verdict, 'unknown');
  });

  it('has one sender if AI features are turned off', () => {
    const { chat, ...others } = senders({ values: { [SETTINGS.aiOff]: true }, models: [] });
    assert.deepEqual([chat?.verdict, others], ['off', {}]);
  });

  it('does not know anything before the editor was read', () => {
    assert.deepEqual(
      editorSenders(undefined, ENCLAVE).map(({ id, verdict }) => [id, verdict]),
      [['chat', 'unknown']],
    );
  });

  it('condenses the side prompts of a new profile, offers to seal them, and keeps the kinds', () => {
    const { sidePrompts } = senders();
    assert.equal(sidePrompts?.verdict, 'elsewhere');
    assert.equal(
      sidePrompts.sentence,
      '"Titles, summaries, commit messages", "Reviews, debug setup, settings search", Fallback for the utility models and 2 more ' +
        'go to GitHub. Agent host, Dictation and Semantic search and the rest of GitHub Copilot go to GitHub and cannot be sealed. ' +
        'Unknown: Search and execution subagents. ' +
        '5 go to GitHub, 3 cannot be sealed, 1 unknown, 5 follow the selected model.',
    );
    assert.deepEqual(sidePrompts.remedy, { kind: 'command', name: 'keepChatSealed' });
    const [first] = sidePrompts.details;
    assert.match(`${first?.name}: ${first?.value}`, /^Titles, summaries, commit messages: Goes to GitHub\. /);
    assert.ok(sidePrompts.details.every(({ name }) => !/Ghost text|Next edit|Chats with/.test(name)));
  });

  it('says the same numbers as the diagnosis', () => {
    for (const change of [{}, ALL_SEALED, { models: [OUR_LARGE] }]) {
      const facts = makeFacts(change);
      const prompts = judgeSidePrompts(facts);
      const row = editorSenders({ facts, prompts }, ENCLAVE).find(({ id }) => id === 'sidePrompts');
      const [numbers] = summaryOfMarks(prompts).split('; inline suggestions: ');
      const sealedChat = ' The models that you can select are all sealed.';
      const sentence = row?.sentence ?? '';
      const end = sentence.endsWith(sealedChat) ? sealedChat : '';
      assert.ok(sentence.endsWith(`${numbers}.${end}`), sentence);
    }
  });

  it('does not say that a kind is sealed while nothing reaches a verified enclave', () => {
    const { sidePrompts } = senders(ALL_SEALED, DOWN);
    assert.ok(sidePrompts?.details.some(({ value }) => value.startsWith('Goes to Sealed Proxy.')));
    assert.doesNotMatch(JSON.stringify(sidePrompts?.details), /"Sealed\./);
  });

  it('says that prompts to our models fail while nothing reaches the backend, beside others that leave', () => {
    const values = { [SETTINGS.utilitySmall]: 'sealed-proxy/small-1' };
    const failing = / Those to Sealed Proxy fail at the moment\.$/;
    assert.match(senders({ values }, DOWN)['sidePrompts']?.sentence ?? '', failing);
    for (const sender of [senders({ values })['sidePrompts'], senders({}, DOWN)['sidePrompts']])
      assert.doesNotMatch(sender?.sentence ?? '', failing);
  });

  it('calls side prompts partly sealed if some go elsewhere', () => {
    const values = { [SETTINGS.utilitySmall]: 'sealed-proxy/small-1' };
    assert.equal(senders({ values })['sidePrompts']?.verdict, 'partly');
    assert.equal(senders({ values, attested: false }, DEVELOPMENT)['sidePrompts']?.verdict, 'elsewhere');
  });

  it('calls them partly sealed if the others follow a chat that is sealed', () => {
    const dictation = { [SETTINGS.dictationModel]: 'mai', [SETTINGS.dictation]: true };
    const values = { ...ALL_SEALED.values, [SETTINGS.plan]: '', ...dictation };
    const { sidePrompts } = senders({ ...ALL_SEALED, values });
    assert.equal(sidePrompts?.verdict, 'partly');
    assert.match(
      sidePrompts.sentence,
      /^Dictation goes to Microsoft when it is used\. 1 goes to Microsoft, .*1 follows the selected model, \d+ go to Sealed Proxy, .*\. The models that you can select are all sealed\.$/,
    );
    const unsetEverywhere = { ...dictation, [SETTINGS.utilityFallback]: 'mainAgent', [SETTINGS.inlineChat]: '' };
    assert.equal(senders({ models: [OUR_LARGE], values: unsetEverywhere })['sidePrompts']?.verdict, 'partly');
    assert.equal(senders({ models: [OUR_LARGE, OTHER], values: unsetEverywhere })['sidePrompts']?.verdict, 'elsewhere');
    assert.equal(senders({ ...ALL_SEALED, values }, DOWN)['sidePrompts']?.verdict, 'elsewhere');
  });

  it('does not let the agents of the editor hide behind a chat that is sealed', () => {
    const { chat, agents } = senders({ models: [OUR_LARGE] });
    assert.deepEqual(
      [chat?.verdict, chat?.sentence],
      [
        'sealed',
        'The model picker offers only models of Sealed Proxy. This does not include agents built into VS Code.',
      ],
    );
    assert.equal(agents?.verdict, 'unknown');
  });

  it('calls the chat blocked while an API key is missing', () => {
    const { chat } = senders(
      { models: [] },
      { kind: 'nothing', why: 'Sealed Proxy needs an API key.', cause: 'noKey' },
    );
    assert.deepEqual(
      [chat?.verdict, chat?.sentence],
      ['blocked', 'Needs an API key. No models of Sealed Proxy are offered.'],
    );
    assert.equal(
      senders({ models: [] }, DOWN)['chat']?.sentence,
      'Sealed Proxy is off in this window. No models of Sealed Proxy are offered.',
    );
  });

  it('calls them sealed only if all are sealed or off', () => {
    const { sidePrompts } = senders(ALL_SEALED);
    assert.equal(sidePrompts?.verdict, 'sealed');
    assert.match(sidePrompts.sentence, /^\d cannot be sealed if you sign in, \d+ go to Sealed Proxy, \d off\.$/);
    assert.equal(senders(ALL_SEALED, DOWN)['sidePrompts']?.verdict, 'blocked');
    assert.equal(senders({ ...ALL_SEALED, attested: false }, DEVELOPMENT)['sidePrompts']?.verdict, 'development');
    const withoutPlan = { ...ALL_SEALED.values, [SETTINGS.plan]: '' };
    assert.equal(senders({ ...ALL_SEALED, values: withoutPlan })['sidePrompts']?.verdict, 'depends');
  });

  it('counts what goes to GitHub only if the user signs in as not sent, and says so', () => {
    const { inlineSuggestions } = senders({ models: [OUR_LARGE] });
    assert.equal(inlineSuggestions?.verdict, 'off');
    assert.equal(
      inlineSuggestions.sentence,
      'Nothing is sent now. If you sign in to GitHub Copilot, the code around your cursor goes to GitHub, unsealed.',
    );
    assert.equal(inlineSuggestions.remedy?.kind, 'command');
  });

  it('says that inline suggestions go to GitHub for a user who is signed in, until they are turned off', () => {
    assert.equal(senders()['inlineSuggestions']?.verdict, 'elsewhere');
    const values = { [SETTINGS.ghostText]: { '*': false }, [SETTINGS.nextEdits]: false };
    const { inlineSuggestions } = senders({ values });
    assert.deepEqual(
      [inlineSuggestions?.verdict, inlineSuggestions?.sentence, inlineSuggestions?.remedy],
      ['off', 'GitHub Copilot suggests nothing while you type.', undefined],
    );
  });
});
