import assert from 'node:assert/strict';
import type { SenderVerdict } from '../../../src/dashboard/model.ts';
import type { Reach } from '../../../src/promptMap/reach.ts';
import { promptsSection, verdictLines } from '../../../src/promptMap/section.ts';
import type { Sender } from '../../../src/promptMap/sender.ts';

const ENCLAVE: Reach = { kind: 'enclave' };

function sender(verdict: SenderVerdict, change: Partial<Sender> = {}): Sender {
  return { id: verdict, name: verdict, group: 'extensions', verdict, sentence: 'A sentence.', details: [], ...change };
}

const sectionOf = (senders: readonly Sender[], reach: Reach = ENCLAVE) =>
  promptsSection({ reach, actions: [], senders }, false);

describe('promptsSection()', () => {
  it('counts what is sealed, and names what is not', () => {
    const senders = (['elsewhere', 'partly', 'unknown', 'depends', 'sealed', 'off'] as const).map((each) =>
      sender(each),
    );
    const { headline, detail, verdicts, tone } = sectionOf(senders);
    assert.equal(headline, 'Not everything is sealed: 1 of 5 is.');
    assert.equal(detail, '');
    assert.deepEqual(
      verdicts.map(({ word, names }) => `${word}: ${names}`),
      ['Not sealed: elsewhere', 'Partly sealed: partly', 'Unknown: unknown', 'Your choice: depends', 'Sealed: sealed'],
    );
    assert.equal(tone, 'error');
  });

  it('cuts a long list of names', () => {
    const senders = Array.from({ length: 9 }, (_, index) => sender('unknown', { name: String(index) }));
    assert.deepEqual(sectionOf(senders).verdicts, [{ word: 'Unknown', names: '0, 1, 2, 3, 4, 5 and 3 more' }]);
  });

  it('is green only if everything that sends prompts is sealed', () => {
    assert.deepEqual(
      [
        [sender('sealed'), sender('off')],
        [sender('sealed'), sender('depends')],
        [sender('unknown')],
        [sender('off')],
      ].map((senders) => sectionOf(senders).tone),
      ['good', 'warning', 'warning', 'neutral'],
    );
    const headlineOf = (...verdicts: readonly SenderVerdict[]) =>
      sectionOf(verdicts.map((verdict) => sender(verdict))).headline;
    assert.deepEqual(
      [
        headlineOf('sealed', 'sealed'),
        headlineOf('sealed', 'sealed', 'partly'),
        headlineOf('partly', 'depends'),
        headlineOf('off'),
      ],
      [
        'Everything listed here is sealed.',
        'Not everything is sealed: 2 of 3 are.',
        'Nothing listed here is completely sealed.',
        'Sealed Proxy found nothing that sends prompts.',
      ],
    );
  });

  it('never says verified of a development backend', () => {
    const { headline, verdicts, tone } = sectionOf([sender('development'), sender('unknown')], { kind: 'development' });
    assert.equal(headline, 'No prompts are sealed: you use a development backend, which is not verified.');
    assert.deepEqual(
      verdicts.map(({ word }) => word),
      ['Unknown', 'Not verified'],
    );
    assert.equal(tone, 'warning');
  });

  it('says first why requests fail, and that the proxy does not forward them', () => {
    const { headline, detail, tone } = sectionOf([sender('blocked')], { kind: 'nothing', why: 'Sealed Proxy is off.' });
    assert.equal(headline, 'Sealed Proxy is off.');
    assert.equal(
      detail,
      'No prompts are sealed at the moment. Requests that reach Sealed Proxy fail, and it does not forward them.',
    );
    assert.equal(tone, 'warning');
  });

  it('does not say that nothing is sealed while only this window does not use the proxy', () => {
    const reach: Reach = { kind: 'nothing', why: 'Sealed Proxy is off in this window.', cause: 'offHere' };
    assert.equal(
      sectionOf([sender('unknown')], reach).detail,
      'This window does not use Sealed Proxy; another window may run it.',
    );
  });

  it('says who gets the prompts if another program uses the port', () => {
    const { headline, detail, tone } = sectionOf([sender('elsewhere')], { kind: 'otherProgram', port: 7 });
    assert.match(
      `${headline} ${detail}`,
      /Another program uses port 7.* Connected assistants send their prompts to that program\./,
    );
    assert.equal(tone, 'error');
    assert.match(sectionOf([sender('unknown')], { kind: 'otherProxy', port: 7 }).headline, /Another window/);
  });

  it('has a button for each remedy, and none without one', () => {
    const remedies: readonly (Sender['remedy'] | undefined)[] = [
      undefined,
      { kind: 'command', name: 'keepChatSealed' },
      { kind: 'extension', id: 'a.b' },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'connect' } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'repair' } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'open', source: { kind: 'file', path: '/x', name: 'y' } } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'open', source: { kind: 'setting', key: 'x' } } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'copy', text: 'export NO_PROXY=127.0.0.1' } },
    ];
    const senders = remedies.map((remedy) => sender('elsewhere', remedy === undefined ? {} : { remedy }));
    const buttons = sectionOf(senders).groups.flatMap(({ rows }) => rows.map(({ button }) => button));
    assert.deepEqual(buttons, [
      ...[
        '',
        "Keep VS Code's Chat Sealed…",
        'Show in Extensions View',
        'Connect…',
        'Repair…',
        'Open File',
        'Open Setting',
      ],
      'Copy Line',
    ]);
  });

  it('makes texts from outside safe and short', () => {
    const text = `x\u202e${'long '.repeat(4000)}`;
    const hostile = sender('elsewhere', { name: text, sentence: text, details: [{ name: text, value: text }] });
    const json = JSON.stringify(sectionOf([hostile]));
    assert.ok(json.length < 5000, String(json.length));
    assert.ok(!json.includes('\u202e'));
  });

  it('says what a window on another computer cannot list', () => {
    const limits = (isRemote: boolean) => promptsSection({ reach: ENCLAVE, actions: [], senders: [] }, isRemote).limits;
    assert.equal(limits(true).length, limits(false).length + 1);
  });
});

describe('verdictLines()', () => {
  it('names the senders of each verdict, and nothing else', () => {
    const senders = [
      sender('elsewhere', { name: 'A', sentence: '/home/ann/secret' }),
      sender('elsewhere', { name: 'B' }),
      sender('sealed', { name: 'C' }),
    ];
    assert.deepEqual(verdictLines({ senders }), [
      { word: 'Not sealed', names: 'A and B' },
      { word: 'Sealed', names: 'C' },
    ]);
  });

  it('says that none is sealed', () => {
    assert.deepEqual(verdictLines({ senders: [sender('unknown')] }), [
      { word: 'Unknown', names: 'unknown' },
      { word: 'Sealed', names: 'none' },
    ]);
    assert.deepEqual(verdictLines({ senders: [] }), []);
  });
});
