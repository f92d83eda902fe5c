import assert from 'node:assert/strict';
import { chosenEffort, effortChoices } from '../../../src/chat/effortChoices.ts';
import type { ReasoningEffort } from '../../../src/settings/modelOverrides.ts';

interface Choices {
  readonly properties: Readonly<
    Record<
      'reasoningEffort',
      Readonly<Record<'enum' | 'enumItemLabels' | 'enumDescriptions', string[]>> & { default: string }
    >
  >;
}

const choicesOf = (reasoningEffort?: ReasoningEffort) =>
  (effortChoices(reasoningEffort === undefined ? {} : { reasoningEffort }) as Choices).properties.reasoningEffort;

describe('effortChoices()', () => {
  it('offers the efforts that every reasoning model accepts, and to leave it to the model', () => {
    const choices = choicesOf();
    assert.deepEqual(choices.enum, ['auto', 'low', 'medium', 'high']);
    assert.equal(choices.default, 'auto');
    assert.equal(choices.enumItemLabels.length, 4);
    assert.equal(choices.enumDescriptions.length, 4);
  });

  it('begins with what the user has set for the model', () => {
    assert.deepEqual([choicesOf('high').default, choicesOf('high').enum], ['high', ['high', 'low', 'medium']]);
    assert.deepEqual([choicesOf('none').default, choicesOf('none').enum], ['none', ['none', 'low', 'medium', 'high']]);
  });
});

describe('chosenEffort()', () => {
  it('reads what the editor passes, and nothing else', () => {
    assert.equal(chosenEffort({ reasoningEffort: 'low' }), 'low');
    for (const value of [undefined, null, 7, {}, { reasoningEffort: 'auto' }, { reasoningEffort: ['low'] }])
      assert.equal(chosenEffort(value), undefined);
  });
});
