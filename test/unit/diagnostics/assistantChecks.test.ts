import assert from 'node:assert/strict';
import type { ConfigState } from '../../../src/assistants/adapters/assistant.ts';
import type { Judgement } from '../../../src/assistants/judging/judgement.ts';
import { checkAssistants } from '../../../src/diagnostics/assistantChecks.ts';
import { makeContext } from '../../support/diagnostics.ts';

const judgementFor = (name: string): Judgement => {
  const sentence = 'Codex sends prompts elsewhere: The agent "secret" to someone.example.';
  if (name !== 'Codex') return { kind: 'sealed', sentence, routes: [] };
  const source = { kind: 'file', path: '/home/someone/opencode.json', name: 'agent.secret.model' } as const;
  const destination = { kind: 'elsewhere', recipient: 'someone.example' } as const;
  const variable = { kind: 'variable', name: 'HTTP_PROXY' } as const;
  const routes = [
    { prompts: 'Chat', destination: { kind: 'sealed' } },
    { prompts: 'The agent "secret"', destination, source },
    { prompts: 'All prompts', destination: { kind: 'unknown' }, source: variable },
  ] as const;
  return { kind: 'partly', sentence, routes };
};

describe('checkAssistants()', () => {
  it('has a result for each connected assistant, without paths', async () => {
    const states: readonly (readonly [string, ConfigState])[] = [
      ['Continue', { kind: 'current', model: 'glm-5-2' }],
      ['Codex', { kind: 'current', model: 'glm-5-2' }],
      ['llama.vscode', { kind: 'current', model: 'glm-5-2', uncompared: true }],
      ['Cline', { kind: 'outdated', baseUrl: true, key: false, model: 'glm-5-2' }],
      ['Kilo Code', { kind: 'refused', message: '/home/someone/.kilo cannot be read.' }],
      ['opencode', { kind: 'other', what: 'anthropic' }],
      ['Qwen Code', { kind: 'absent' }],
    ];
    const assistants = () =>
      Promise.resolve(states.map(([name, configState]) => ({ name, configState, judgement: judgementFor(name) })));
    const results = await checkAssistants(makeContext({ assistants }));
    assert.deepEqual(
      results.map(({ name, outcome, finding }) => [name, outcome, finding]),
      [
        ['Assistant: Continue', 'passed', 'Connected, model glm-5-2'],
        [
          'Assistant: Codex',
          'failed',
          'Some prompts go elsewhere because of opencode.json and the variable HTTP_PROXY',
        ],
        ['Assistant: llama.vscode', 'skipped', 'Configured, but not checked: no proxy runs for this window'],
        ['Assistant: Cline', 'failed', 'Uses an outdated address'],
        ['Assistant: Kilo Code', 'failed', 'Its configuration cannot be read'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(results), /someone|secret/);
  });

  it('has one result if no assistant is connected', async () => {
    assert.deepEqual(await checkAssistants(makeContext()), [
      { name: 'Assistants', outcome: 'skipped', finding: 'None connected', remedy: '' },
    ]);
  });

  it('has one result, without paths, if the assistants cannot be read', async () => {
    for (const assistants of [
      () => Promise.reject(new Error('/home/someone/secrets cannot be read')),
      () => new Promise<never>(() => undefined),
    ]) {
      const results = await checkAssistants(makeContext({ assistants, limit: 100 }));
      assert.deepEqual(
        results.map(({ name, outcome, finding }) => [name, outcome, finding]),
        [['Assistants', 'failed', 'The configuration of assistants could not be read']],
      );
      assert.ok(!JSON.stringify(results).includes('someone'));
    }
  });
});
