import assert from 'node:assert/strict';
import type { ConfigState } from '../../../src/assistants/adapters/assistant.ts';
import type { Judgement, Remedy } from '../../../src/assistants/judging/judgement.ts';
import { assistantSenders } from '../../../src/promptMap/assistantSenders.ts';
import type { JudgedAssistant } from '../../../src/promptMap/assistantSenders.ts';
import type { Reach } from '../../../src/promptMap/reach.ts';

const ENCLAVE: Reach = { kind: 'enclave' };
const OTHERS: readonly Reach[] = [
  { kind: 'development' },
  { kind: 'nothing', why: '' },
  { kind: 'otherProgram', port: 7 },
  { kind: 'otherProxy', port: 7 },
];

const CODEX = { id: 'codex', name: 'Codex', extension: 'openai.chatgpt' };
const ABSENT: ConfigState = { kind: 'absent' };
const CURRENT = { kind: 'current', model: 'a' } as const;

function assistant(kind: Judgement['kind'], change: Partial<JudgedAssistant> = {}, remedy?: Remedy): JudgedAssistant {
  const judgement: Judgement = { kind, sentence: 'What it does.', routes: [], ...(remedy && { remedy }) };
  return {
    assistant: CODEX,
    configState: kind === 'elsewhere' ? ABSENT : CURRENT,
    detected: true,
    judgement,
    ...change,
  };
}

const senderOf = (judged: JudgedAssistant, reach: Reach = ENCLAVE, installed = false) =>
  assistantSenders([judged], reach, () => installed)[0];

describe('assistantSenders()', () => {
  it('repeats the judgement while the proxy reaches a verified enclave', () => {
    for (const kind of ['sealed', 'partly', 'elsewhere', 'unknown'] as const) {
      const sender = senderOf(assistant(kind));
      assert.deepEqual([sender?.verdict, sender?.sentence], [kind, 'What it does.']);
    }
  });

  it('calls nothing sealed, not even partly, while it does not, and adds why', () => {
    const verdicts = (kind: Judgement['kind']) => OTHERS.map((reach) => senderOf(assistant(kind), reach)?.verdict);
    assert.deepEqual(verdicts('sealed'), ['development', 'blocked', 'elsewhere', 'unknown']);
    assert.deepEqual(verdicts('partly'), ['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere']);
    assert.match(
      senderOf(assistant('sealed'), { kind: 'otherProgram', port: 7 })?.sentence ?? '',
      /another program uses port 7/,
    );
  });

  it('warns of another program on the port although the address of the proxy is not known', () => {
    const reach: Reach = { kind: 'otherProgram', port: 7 };
    assert.equal(senderOf(assistant('unknown', { configState: CURRENT }), reach)?.verdict, 'elsewhere');
    assert.equal(
      senderOf(assistant('unknown', { configState: { kind: 'other', what: 'x' } }), reach)?.verdict,
      'unknown',
    );
  });

  it('says whether requests fail while the address of the proxy is not known', () => {
    const judged = assistant('unknown', { configState: { ...CURRENT, uncompared: true } });
    const said = (reach: Reach) => [senderOf(judged, reach)?.verdict, senderOf(judged, reach)?.sentence];
    assert.deepEqual(said({ kind: 'nothing', why: '' }), ['unknown', 'What it does. Requests fail at the moment.']);
    assert.deepEqual(said({ kind: 'nothing', why: '', cause: 'offHere' }), [
      'unknown',
      'What it does. Its requests fail unless another window runs Sealed Proxy.',
    ]);
  });

  it('is among the extensions if the extension is installed, and else among the programs', () => {
    const groups = [true, false].map((installed) => senderOf(assistant('sealed'), ENCLAVE, installed)?.group);
    assert.deepEqual(groups, ['extensions', 'commandLine']);
  });

  it('leaves out what is not on this computer', () => {
    const elsewhere = (change: Partial<JudgedAssistant>) => assistant('elsewhere', change);
    assert.equal(senderOf(elsewhere({ detected: false })), undefined);
    assert.equal(senderOf(elsewhere({ detected: false }), ENCLAVE, true)?.group, 'extensions');
    for (const configState of [
      { kind: 'other', what: 'x' },
      { kind: 'refused', message: '' },
    ] as const)
      assert.ok(senderOf(elsewhere({ detected: false, configState })));
  });

  it("lists VS Code's list of Custom Endpoints only if it is used", () => {
    const custom = { id: 'custom-endpoint', name: 'VS Code Custom Endpoint', extension: undefined };
    assert.equal(senderOf(assistant('elsewhere', { assistant: custom })), undefined);
    assert.equal(senderOf(assistant('unknown', { assistant: custom }))?.group, 'editor');
  });

  it('offers the remedy, unless it is a variable that no button can change', () => {
    const remedies: readonly Remedy[] = [
      { kind: 'connect' },
      { kind: 'open', source: { kind: 'setting', key: 'a.b' } },
      { kind: 'open', source: { kind: 'variable', name: 'HTTPS_PROXY' } },
    ];
    const offered = remedies.map((remedy) => senderOf(assistant('elsewhere', {}, remedy))?.remedy?.kind);
    assert.deepEqual(offered, ['assistant', 'assistant', undefined]);
  });

  it('lists each kind of prompt without the folders of files', () => {
    const source = { kind: 'file', path: '/home/ann/.config/opencode.json', name: 'small_model' } as const;
    const routes: Judgement['routes'] = [
      { prompts: 'Chat', destination: { kind: 'sealed' } },
      { prompts: 'Titles', destination: { kind: 'elsewhere', recipient: 'openai' }, source },
      {
        prompts: 'All',
        destination: { kind: 'elsewhere', recipient: 'http://proxy', through: 'httpProxy' },
        source: { kind: 'variable', name: 'HTTPS_PROXY' },
      },
      { prompts: 'Rest', destination: { kind: 'unknown' } },
      { prompts: 'Telemetry', destination: { kind: 'off' } },
    ];
    const judgement: Judgement = { kind: 'partly', sentence: '', routes };
    assert.deepEqual(senderOf(assistant('partly', { judgement }))?.details, [
      { name: 'Chat', value: 'To Sealed Proxy' },
      { name: 'Titles', value: 'To openai (small_model in opencode.json)' },
      { name: 'All', value: 'Through the HTTP proxy http://proxy, which can read them (the variable HTTPS_PROXY)' },
      { name: 'Rest', value: 'Unknown' },
      { name: 'Telemetry', value: 'Not sent' },
    ]);
  });
});
