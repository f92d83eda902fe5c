import assert from 'node:assert/strict';
import { promptMap } from '../../../src/promptMap/promptMap.ts';
import type { MapFacts } from '../../../src/promptMap/promptMap.ts';
import { runningStatus } from '../../support/statuses.ts';

const PLAIN = { isBuiltIn: false, isForAi: true, offersModels: false };
const judged = (id: string, kind: 'sealed' | 'elsewhere', extension?: string): MapFacts['assistants'][number] => ({
  assistant: { id, name: id, extension },
  configState: kind === 'sealed' ? { kind: 'current', model: 'a' } : { kind: 'other', what: 'x' },
  detected: true,
  judgement: { kind, sentence: `${id} is ${kind}.`, routes: [] },
});

const FACTS: MapFacts = {
  status: runningStatus(),
  editor: undefined,
  extensions: [
    { ...PLAIN, id: 'Acme.Helper', name: 'Helper' },
    { ...PLAIN, id: 'Anthropic.Claude-Code', name: 'Claude Code for VS Code' },
    { ...PLAIN, id: 'augment.vscode-augment', name: 'x' },
  ],
  assistants: [judged('claude', 'sealed', 'anthropic.claude-code'), judged('qwen', 'elsewhere')],
  programs: ['gemini-cli'],
  keyNames: [],
};

describe('promptMap()', () => {
  it('lists everything once, by group, the worst of each group first', () => {
    assert.deepEqual(
      promptMap(FACTS).senders.map(({ group, name, verdict }) => [group, name, verdict]),
      [
        ['editor', "VS Code's chat", 'unknown'],
        ['extensions', 'Augment', 'elsewhere'],
        ['extensions', 'Helper', 'unknown'],
        ['extensions', 'claude', 'sealed'],
        ['commandLine', 'qwen', 'elsewhere'],
        ['commandLine', 'Gemini CLI', 'elsewhere'],
      ],
    );
  });

  it('gives each sender an id of its own', () => {
    const ids = promptMap(FACTS).senders.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('offers the remedy of the state while requests fail', () => {
    const states = [
      runningStatus(),
      { kind: 'off' },
      runningStatus({ health: { kind: 'noKey' } }),
      { kind: 'starting' },
    ] as const;
    assert.deepEqual(
      states.map((status) => promptMap({ ...FACTS, status }).remedy),
      [null, 'start', 'setApiKey', null],
    );
  });

  it('calls nothing sealed without a verified enclave', () => {
    for (const status of [runningStatus({ backendUrl: 'http://127.0.0.1:9' }), { kind: 'off' } as const]) {
      assert.ok(promptMap({ ...FACTS, status }).senders.every(({ verdict }) => verdict !== 'sealed'));
    }
  });
});
