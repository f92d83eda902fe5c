import assert from 'node:assert/strict';
import { connectionSection } from '../../../src/dashboard/connection.ts';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import { AT, STATES, runningStatus } from '../../support/statuses.ts';

describe('connectionSection()', () => {
  it('says in every state what the tooltip says, and offers the same commands', () => {
    for (const status of Object.values(STATES)) {
      const { headline, detail, actions } = connectionSection(status, {});
      const view = describeStatus(status);
      assert.deepEqual([headline, detail, actions], [view.headline, view.detail, view.actions]);
    }
  });

  it('is green only while it is connected to a verified enclave, and as urgent as the status bar otherwise', () => {
    const tones = Object.entries(STATES).map(
      ([name, status]) => [connectionSection(status, {}).tone, name, status] as const,
    );
    for (const [tone, name, status] of tones) {
      const { severity, icon } = describeStatus(status);
      const calm = icon === 'shield' ? 'good' : 'neutral';
      assert.equal(tone, severity === 'none' ? calm : severity, name);
    }
    assert.deepEqual(new Set(tones.map(([tone]) => tone)), new Set(['neutral', 'warning', 'error', 'good']));
  });

  it('lists the facts of a running proxy, the models for chat as the user has set them, and the others', () => {
    const catalogue = { data: [{ id: 'a', name: 'A' }] };
    const status = runningStatus({ health: { kind: 'connected', models: ['a', 'b'], catalogue, checkedAt: AT } });
    const shown = connectionSection(status, { a: { contextWindow: 64_000, maxOutputTokens: 4000 } });
    assert.ok(shown.facts.some(({ name, value }) => name === 'PCR0' && value === 'abababab…abababab'));
    const [model] = shown.chatModels;
    assert.deepEqual([model?.id, model?.maxInputTokens, model?.maxOutputTokens], ['a', 60_000, 4000]);
    assert.deepEqual([shown.chatModels.length, shown.otherModels], [1, ['b']]);
  });
});
