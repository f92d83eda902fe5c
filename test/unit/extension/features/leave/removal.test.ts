import assert from 'node:assert/strict';
import {
  describeRemoval,
  leftoversDocument,
  restoringStep,
  runRemoval,
  settingElsewhere,
} from '../../../../../src/extension/features/leave/removal.ts';
import type { RemovalStep } from '../../../../../src/extension/features/leave/removal.ts';

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

describe('settingElsewhere()', () => {
  it('names the line, and the commands that open the files which may have it', () => {
    const { where, message } = settingElsewhere('sealedProxy.port', true);
    assert.equal(where, 'sealedProxy.port');
    assert.match(message, /Open User Settings \(JSON\)" or .*Open Remote Settings \(JSON\)".*"sealedProxy\.port"/);
    assert.doesNotMatch(settingElsewhere('sealedProxy.port', false).message, /Remote/);
  });
});

describe('restoringStep()', () => {
  const previous = () =>
    Promise.resolve([
      { key: 'chat.plan', value: 'mine' },
      { key: 'chat.utility', value: undefined },
    ]);

  it('names the settings that the user has changed since', async () => {
    const { run } = restoringStep({ previous, undo: () => Promise.resolve({ kept: ['chat.plan'] }) });
    const message = 'You have changed this setting since Sealed Proxy did, so it keeps its value.';
    assert.deepEqual(await run(), [{ where: 'chat.plan', message }]);
    assert.deepEqual(await restoringStep({ previous, undo: () => Promise.resolve(undefined) }).run(), []);
  });

  it('tells the previous values if they cannot be restored, because the next step deletes them', async () => {
    const undo = () => Promise.reject(new Error('settings.json has unsaved changes.'));
    assert.deepEqual(await restoringStep({ previous, undo }).run(), [
      {
        where: 'chat.plan',
        message: 'This setting could not be restored. settings.json has unsaved changes. Set it yourself to "mine".',
      },
      {
        where: 'chat.utility',
        message:
          'This setting could not be restored. settings.json has unsaved changes. Remove it yourself: it was not set before.',
      },
    ]);
  });
});
