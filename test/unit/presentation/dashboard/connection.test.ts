import assert from 'node:assert/strict';
import { connectionSection } from '../../../../src/presentation/dashboard/connection.ts';
import { describeStatus } from '../../../../src/presentation/statusText.ts';
import type { ProxyStatus } from '../../../../src/shared/status.ts';
import { AT, refusedFor, runningStatus } from '../../../support/statuses.ts';

const MODEL = {
  id: 'glm-5-2',
  name: 'GLM 5.2',
  maxInputTokens: 111_616,
  maxOutputTokens: 16_384,
  tools: true,
  images: false,
  reasoning: true,
};

const health = (kind: 'noKey' | 'checking') => runningStatus({ verified: null, health: { kind } });

describe('connectionSection()', () => {
  const states: readonly (readonly [name: string, status: ProxyStatus, tone: string])[] = [
    ['off', { kind: 'off' }, 'neutral'],
    ['starting', { kind: 'starting' }, 'neutral'],
    ['port taken', { kind: 'portTaken', port: 14114, by: 'program' }, 'error'],
    ['other version', { kind: 'otherVersion', port: 14114, version: '9.0.0', isNewer: true }, 'warning'],
    ['no key', health('noKey'), 'neutral'],
    ['checking', health('checking'), 'neutral'],
    ['verified', runningStatus(), 'good'],
    ['development', runningStatus({ verified: { kind: 'development', moduleId: null } }), 'warning'],
    ['session lost', runningStatus({ verified: null }), 'neutral'],
    ['refused', refusedFor('attestation_refused', 'signature'), 'error'],
    ['slow', runningStatus({ health: { kind: 'slow', checkedAt: AT, retryAt: null } }), 'warning'],
    ['key refused', runningStatus({ health: { kind: 'keyRejected', checkedAt: AT } }), 'error'],
  ];
  for (const [name, status, tone] of states) {
    it(`says what the tooltip says, and is green only for a verified enclave: ${name}`, () => {
      const shown = connectionSection(status, []);
      const view = describeStatus(status);
      assert.equal(shown.tone, tone);
      assert.deepEqual([shown.headline, shown.detail], [view.headline, view.detail]);
      assert.deepEqual(
        shown.buttons.map((button) => button.name),
        view.actions,
      );
    });
  }

  it('lists the facts of a running proxy, and the models with their sizes and capabilities', () => {
    const shown = connectionSection(runningStatus(), [{ ...MODEL, id: 'a', name: 'A' }]);
    assert.deepEqual(shown.facts[0], { name: 'Base URL', value: 'http://127.0.0.1:14114/v1' });
    assert.ok(shown.facts.some(({ name, value }) => name === 'PCR0' && value === 'abababab…abababab'));
    const others = { contextWindow: null, maxOutput: null, capabilities: ['Not for chat'] };
    assert.deepEqual(shown.models, [
      { id: 'a', name: 'A', contextWindow: 128_000, maxOutput: 16_384, capabilities: ['Tools', 'Reasoning'] },
      { id: 'b', name: 'b', ...others },
    ]);
  });

  it('shows hostile names as one short line of visible characters', () => {
    const hostile = `\u202e<img src=x>\u001b[31m\n${'x'.repeat(10_000)}`;
    const [model] = connectionSection(runningStatus(), [{ ...MODEL, id: hostile, name: hostile }]).models;
    for (const text of [model?.id ?? '', model?.name ?? '']) {
      assert.ok(text.length <= 200);
      assert.ok(text.startsWith('\ufffd<img src=x>\ufffd[31m xx'), text);
    }
  });
});
