import assert from 'node:assert/strict';
import { describeRemoval, leftoversDocument, runRemoval } from '../../../src/extension/removal.ts';
import type { RemovalStep } from '../../../src/extension/removal.ts';

describe('runRemoval()', () => {
  const step = (name: string, run: RemovalStep['run']): RemovalStep => ({
    name,
    description: () => Promise.resolve(`Removes ${name}.`),
    run,
  });

  it('runs all steps in their order, and collects what remains, also of a step that fails', async () => {
    const order: string[] = [];
    const steps = [
      step('one', () => Promise.resolve([{ where: '/file', message: 'It is locked.' }])),
      step('two', () => Promise.reject(new Error('The disk is full.'))),
      step('three', () => {
        order.push('three');
        return Promise.resolve([]);
      }),
    ];
    assert.deepEqual(await describeRemoval(steps), ['Removes one.', 'Removes two.', 'Removes three.']);
    const leftovers = await runRemoval(steps);
    assert.deepEqual(leftovers, [
      { where: '/file', message: 'It is locked.' },
      { where: 'two', message: 'The disk is full. Run "Sealed Proxy: Disconnect and Remove Everything" again.' },
    ]);
    assert.deepEqual(order, ['three']);
    const document = leftoversDocument(leftovers);
    assert.match(document, /^- \*\*\/file\*\*: It is locked\.$/m);
  });
});
