import assert from 'node:assert/strict';
import { buttonOf, limitsOf, summaryOf } from '../../../src/dashboard/promptsText.ts';
import type { Reach } from '../../../src/promptMap/reach.ts';
import type { SenderRemedy, SenderVerdict } from '../../../src/promptMap/sender.ts';
import { sender } from '../../support/senders.ts';

const ENCLAVE: Reach = { kind: 'enclave' };

const SOURCE = 'The list says what configurations and settings say; nothing is measured.';

const summaryFor = (verdicts: readonly SenderVerdict[], reach: Reach = ENCLAVE) =>
  summaryOf({ reach, remedy: null, senders: verdicts.map((verdict) => sender(verdict)), isRemote: false });

describe('summaryOf()', () => {
  it('counts what is sealed of what sends prompts', () => {
    assert.deepEqual(summaryFor(['elsewhere', 'partly', 'unknown', 'depends', 'sealed', 'off']), {
      tone: 'error',
      headline: 'Only 1 of 5 is sealed.',
      detail: SOURCE,
    });
  });

  it('names the one side prompt of VS Code that is not sealed, as the tooltip does', () => {
    const senders = [sender('partly', { unsealed: ['Dictation'] }), sender('sealed', { unsealed: [] })];
    const detailOf = (reach: Reach) => summaryOf({ reach, remedy: null, senders, isRemote: false }).detail;
    const one = "One of VS Code's side prompts leaves this computer unsealed when it is used: Dictation.";
    assert.equal(detailOf(ENCLAVE), `${one} ${SOURCE}`);
    assert.equal(detailOf({ kind: 'development' }), one);
    assert.ok(detailOf({ kind: 'nothing', why: 'Sealed Proxy is off.' }).endsWith(` ${one}`));
    assert.ok(detailOf({ kind: 'nothing', why: '', cause: 'offHere' }).endsWith(` ${one}`));
  });

  it('says when nothing is left that could be sealed', () => {
    const agents = sender('unknown', { id: 'agents' });
    const summary = (...verdicts: readonly SenderVerdict[]) =>
      summaryOf({
        ...{ reach: ENCLAVE, remedy: null, isRemote: false },
        senders: [agents, ...verdicts.map((verdict) => sender(verdict))],
      });
    assert.deepEqual(summary('sealed', 'off'), {
      tone: 'warning',
      headline: 'Everything else listed here is sealed; agents built into VS Code cannot be checked.',
      detail: SOURCE,
    });
    assert.equal(summary('sealed', 'depends').headline, 'Only 1 of 3 is sealed.');
    assert.equal(summary().headline, 'Nothing listed here is completely sealed.');
  });

  it('is green only if everything that sends prompts is sealed', () => {
    assert.deepEqual(
      ([['sealed', 'off'], ['sealed', 'depends'], ['unknown'], ['off']] as const).map((each) => summaryFor(each).tone),
      ['good', 'warning', 'warning', 'neutral'],
    );
    const headlineOf = (...verdicts: readonly SenderVerdict[]) => summaryFor(verdicts).headline;
    assert.deepEqual(
      [
        headlineOf('sealed', 'sealed'),
        headlineOf('sealed', 'sealed', 'partly'),
        headlineOf('partly', 'depends'),
        headlineOf('off'),
      ],
      [
        'Everything listed here is sealed.',
        'Only 2 of 3 are sealed.',
        'Nothing listed here is completely sealed.',
        'Sealed Proxy found nothing that sends prompts.',
      ],
    );
  });

  it('never says verified of a development backend', () => {
    const { headline, tone } = summaryFor(['development', 'unknown'], { kind: 'development' });
    assert.equal(
      headline,
      'No prompts are sealed: the development backend receives its prompts encrypted, but is not verified.',
    );
    assert.equal(tone, 'warning');
  });

  it('says first why requests fail, and that the proxy does not forward them', () => {
    const { headline, detail, tone } = summaryFor(['blocked'], { kind: 'nothing', why: 'Sealed Proxy is off.' });
    assert.equal(headline, 'Sealed Proxy is off.');
    assert.equal(
      detail,
      'No prompts are sealed at the moment. Requests that reach Sealed Proxy fail, and it does not forward them.',
    );
    assert.equal(tone, 'warning');
  });

  it('says what becomes of connected assistants while only this window does not use the proxy', () => {
    const reach: Reach = { kind: 'nothing', why: 'Sealed Proxy is off in this window.', cause: 'offHere' };
    assert.equal(
      summaryFor(['unknown'], reach).detail,
      'This window seals no prompts. Connected assistants reach Sealed Proxy only while another window runs it; ' +
        'otherwise, their requests fail.',
    );
  });

  it('says who gets the prompts if another program uses the port', () => {
    const { headline, detail, tone } = summaryFor(['elsewhere'], { kind: 'otherProgram', port: 7 });
    assert.match(
      `${headline} ${detail}`,
      /Another program uses port 7.* Connected assistants send their prompts to that program\./,
    );
    assert.equal(tone, 'error');
    assert.match(summaryFor(['unknown'], { kind: 'otherProxy', port: 7 }).headline, /Another window/);
  });
});

describe('buttonOf()', () => {
  it('has a title for each remedy', () => {
    const remedies: readonly SenderRemedy[] = [
      { kind: 'command', name: 'keepChatSealed' },
      { kind: 'extension', id: 'a.b' },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'connect' } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'repair' } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'open', source: { kind: 'file', path: '/x', name: 'y' } } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'open', source: { kind: 'setting', key: 'x' } } },
      { kind: 'assistant', assistant: 'a', remedy: { kind: 'copy', text: 'export NO_PROXY=127.0.0.1' } },
    ];
    assert.deepEqual(remedies.map(buttonOf), [
      ...['Seal or Turn Off…', 'Show in Extensions View', 'Connect…', 'Repair…', 'Open File'],
      ...['Open Setting', 'Copy Line'],
    ]);
  });
});

describe('summaryOf() and limitsOf() of a window on another computer', () => {
  const section = { reach: ENCLAVE, remedy: null, senders: [sender('sealed')] };

  it('say what is not listed, and whose command line is', () => {
    const [here, elsewhere] = [false, true].map((isRemote) => summaryOf({ ...section, isRemote }).detail);
    assert.equal(elsewhere, `${here} Extensions that run on your own computer are not listed.`);
    assert.deepEqual(limitsOf({ ...section, isRemote: true }).slice(1), limitsOf({ ...section, isRemote: false }));
  });
});
