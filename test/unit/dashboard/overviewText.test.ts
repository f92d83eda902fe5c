import assert from 'node:assert/strict';
import { attestationSection } from '../../../src/dashboard/attestation.ts';
import { clientRows } from '../../../src/dashboard/clients.ts';
import { connectionSection } from '../../../src/dashboard/connection.ts';
import { describePath, pathOf } from '../../../src/dashboard/overviewText.ts';
import { makeAccessKey } from '../../../src/keys/accessKeys.ts';
import { promptMap } from '../../../src/promptMap/promptMap.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { AT, runningStatus } from '../../support/statuses.ts';

const NO_SENDERS = { editor: undefined, extensions: [], assistants: [], programs: [], keyNames: [] };
const path = (status: ProxyStatus, names: readonly string[] = [], isRemote = false) =>
  pathOf({
    connection: connectionSection(status, {}),
    prompts: { ...promptMap({ status, ...NO_SENDERS }), isRemote },
    offeredModels: [],
    sidePrompts: null,
    attestation: attestationSection(status, null),
    clients: clientRows(
      names.map((name) => makeAccessKey(name, 'user', AT)),
      [],
      new Map(),
    ),
  });

describe('pathOf()', () => {
  it('ends in the verified enclave, and counts the clients', () => {
    const { stops } = path(runningStatus(), ['one', 'two']);
    assert.deepEqual(
      stops.map(({ title, detail, tone }) => [title, detail, tone]),
      [
        ['What is connected', "VS Code's chat and 2 access keys", 'neutral'],
        ['Sealed Proxy', 'http://127.0.0.1:14114/v1', 'good'],
        ['Verified enclave', 'enclave.example', 'good'],
      ],
    );
    assert.equal(path(runningStatus()).stops[0].detail, "VS Code's chat");
    assert.equal(path(runningStatus(), ['one']).stops[0].detail, "VS Code's chat and 1 access key");
  });

  it('is green only with a verified enclave', () => {
    const tones = (status: ProxyStatus) => path(status).stops.map(({ tone }) => tone);
    const development = runningStatus({
      verified: { kind: 'development', moduleId: null },
      backendUrl: 'http://127.0.0.1:9',
    });
    assert.deepEqual(tones(development), ['neutral', 'warning', 'warning']);
    assert.deepEqual(tones({ kind: 'portTaken', port: 7, by: 'program' }), ['neutral', 'error', 'error']);
    const unverified = runningStatus({ verified: null });
    for (const status of [
      { kind: 'off' } as const,
      unverified,
      ...(['noKey', 'checking'] as const).map((kind) => ({ ...unverified, health: { kind } })),
    ])
      assert.ok(!tones(status).includes('good'), JSON.stringify(status));
    assert.equal(path(unverified).legs[1], 'nothing, until it is verified');
  });

  it('claims no more than this window knows', () => {
    assert.equal(path({ kind: 'off' }).legs[1], 'not known from this window');
    assert.equal(path({ kind: 'off', allWindows: true }).legs[1], 'requests fail');
    assert.equal(path(runningStatus({ health: { kind: 'keyRejected', checkedAt: AT } })).legs[1], 'requests fail');
  });

  it('says on which computer the plain text is', () => {
    assert.equal(path(runningStatus()).legs[0], 'plain text, only on this computer');
    assert.equal(path(runningStatus(), [], true).legs[0], 'plain text, only on the computer of this window');
  });

  it('names the program or the window that has the port', () => {
    const taken = path({ kind: 'portTaken', port: 7, by: 'program' }, ['one']);
    assert.deepEqual([taken.stops[0].detail, taken.stops[1].title], ['1 access key', 'Another program']);
    const other = path({ kind: 'otherSettings', port: 7, backendUrl: 'https://x.example' });
    assert.deepEqual([other.stops[1].title, other.stops[1].detail], ['Sealed Proxy of another window', 'port 7']);
  });
});

describe('describePath()', () => {
  it('is sentences with what the drawing shows', () => {
    assert.equal(
      describePath(path(runningStatus())),
      "What is connected (VS Code's chat) to Sealed Proxy (http://127.0.0.1:14114/v1): plain text, only on this computer. " +
        'Sealed Proxy (http://127.0.0.1:14114/v1) to Verified enclave (enclave.example): encrypted; nobody in between can read it.',
    );
  });
});
