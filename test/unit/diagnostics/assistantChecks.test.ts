import assert from 'node:assert/strict';
import type { ConfigState } from '../../../src/assistants/types.ts';
import { checkAssistants } from '../../../src/diagnostics/assistantChecks.ts';
import { makeContext } from '../../support/diagnostics.ts';

describe('checkAssistants()', () => {
  it('has a result for each connected assistant, without paths', async () => {
    const states: readonly (readonly [string, ConfigState])[] = [
      ['Continue', { kind: 'current', model: 'glm-5-2' }],
      ['VS Code Custom Endpoint', { kind: 'current', model: 'glm-5-2', elsewhere: 'anthropic' }],
      ['llama.vscode', { kind: 'current', model: 'glm-5-2', uncompared: true }],
      ['Cline', { kind: 'outdated', baseUrl: true, key: false, model: 'glm-5-2' }],
      ['Kilo Code', { kind: 'refused', message: '/home/someone/.kilo cannot be read.' }],
      ['opencode', { kind: 'other', what: 'anthropic' }],
      ['Qwen Code', { kind: 'absent' }],
    ];
    const assistants = () => Promise.resolve(states.map(([name, configState]) => ({ name, configState })));
    const results = await checkAssistants(makeContext({ assistants }));
    assert.deepEqual(
      results.map(({ name, outcome, finding }) => [name, outcome, finding]),
      [
        ['Assistant: Continue', 'passed', 'Connected, model glm-5-2'],
        [
          'Assistant: VS Code Custom Endpoint',
          'passed',
          'Connected, but another model or provider is selected in the assistant',
        ],
        ['Assistant: llama.vscode', 'skipped', 'Connected; its address can only be checked while the proxy is running'],
        ['Assistant: Cline', 'failed', 'Uses an outdated address'],
        ['Assistant: Kilo Code', 'failed', 'Its configuration cannot be read'],
      ],
    );
    assert.ok(!JSON.stringify(results).includes('someone'));
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
