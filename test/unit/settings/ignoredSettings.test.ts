import assert from 'node:assert/strict';
import {
  describeIgnoredSettings,
  filesWithIgnoredSettings,
  findIgnoredSettings,
} from '../../../src/settings/ignoredSettings.ts';

describe('filesWithIgnoredSettings()', () => {
  it('are those of a remote computer and of a profile', () => {
    for (const [storage, isRemote, files] of [
      [
        '/home/u/.vscode-server/data/User/globalStorage/p.x',
        true,
        ['/home/u/.vscode-server/data/Machine/settings.json'],
      ],
      ['/data/User/profiles/-1a2b/globalStorage/p.x', true, ['/data/Machine/settings.json']],
      ['/data/User/globalStorage/p.x', false, []],
      ['/data/User/profiles/-1a2b/globalStorage/p.x', false, ['/data/User/profiles/-1a2b/settings.json']],
      [
        'C:\\Users\\u\\Code\\User\\profiles\\1a\\globalStorage\\p.x',
        false,
        ['C:\\Users\\u\\Code/User/profiles/1a/settings.json'],
      ],
      ['/somewhere/else', true, []],
    ] as const) {
      assert.deepEqual(filesWithIgnoredSettings(storage, isRemote), files);
    }
  });
});

describe('findIgnoredSettings()', () => {
  const inUse: Readonly<Record<string, unknown>> = {
    'sealedProxy.backendUrl': 'https://enclave.example',
    'sealedProxy.additionalPcr0': ['aa'],
    'sealedProxy.port': 1,
  };
  const find = (values: unknown) => findIgnoredSettings(values, (name) => inUse[name]);

  it('are the settings of the user that have another value in the file', () => {
    assert.deepEqual(find({ 'sealedProxy.backendUrl': 'http://127.0.0.1:1', 'sealedProxy.additionalPcr0': ['bb'] }), [
      'sealedProxy.backendUrl',
      'sealedProxy.additionalPcr0',
    ]);
  });

  it('are none if the values are equal, or the settings belong to the computer', () => {
    for (const values of [undefined, [], {}, { ...inUse, 'sealedProxy.port': 2 }]) assert.deepEqual(find(values), []);
  });
});

describe('describeIgnoredSettings()', () => {
  it('names the settings, the reason and the remedy', () => {
    assert.equal(
      describeIgnoredSettings(['sealedProxy.backendUrl'], true),
      'sealedProxy.backendUrl in the settings of the remote computer is ignored. A repository can change those ' +
        'settings, so only your user settings count. If you set it yourself, move it there.',
    );
    assert.match(
      describeIgnoredSettings(['a', 'b'], false),
      /^a, b in the settings of this profile are ignored\. Only/,
    );
  });
});
