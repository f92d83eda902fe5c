import assert from 'node:assert/strict';
import { reachOf } from '../../../src/promptMap/reach.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { AT, runningStatus } from '../../support/statuses.ts';

const kindOf = (status: ProxyStatus) => reachOf(status).kind;

describe('reachOf()', () => {
  it('finds an enclave behind a proxy whose backend must be attested', () => {
    assert.equal(kindOf(runningStatus()), 'enclave');
    assert.equal(kindOf(runningStatus({ health: { kind: 'checking' }, verified: null })), 'enclave');
  });

  it('never takes a development backend for an enclave', () => {
    assert.equal(kindOf(runningStatus({ backendUrl: 'http://127.0.0.1:9' })), 'development');
  });

  it('finds nothing while requests fail, and says why', () => {
    const checkedAt = AT;
    for (const health of [
      { kind: 'noKey' },
      { kind: 'keyRejected', checkedAt },
      { kind: 'slow', checkedAt, retryAt: null },
      { kind: 'unreachable', cause: 'network', message: '', failure: null, checkedAt, retryAt: null },
    ] as const) {
      const reach = reachOf(runningStatus({ health }));
      assert.equal(reach.kind, 'nothing', health.kind);
      assert.match('why' in reach ? reach.why : '', /^Sealed Proxy .*\.$|backend/);
    }
    for (const status of [
      { kind: 'off' },
      { kind: 'starting' },
      { kind: 'restarting', at: AT },
      { kind: 'failed', reason: 'crashes', message: 'x' },
      { kind: 'portTaken', port: 1, by: 'silent' },
      { kind: 'portTaken', port: 1, by: 'system' },
    ] as const) {
      assert.equal(kindOf(status), 'nothing', status.kind);
    }
  });

  it('tells a missing key, and a proxy that is off only in this window, from other causes', () => {
    const causeOf = (status: ProxyStatus) => {
      const reach = reachOf(status);
      return reach.kind === 'nothing' ? reach.cause : reach.kind;
    };
    assert.deepEqual(
      [
        causeOf({ kind: 'off' }),
        causeOf({ kind: 'off', allWindows: true }),
        causeOf(runningStatus({ health: { kind: 'noKey' } })),
        causeOf({ kind: 'starting' }),
      ],
      ['offHere', undefined, 'noKey', undefined],
    );
  });

  it('finds nothing while a new image waits for consent, unless a session with the previous one lives', () => {
    const newImage = { pcr0: 'ab'.repeat(48), refused: false } as NonNullable<
      Extract<ProxyStatus, { kind: 'running' }>['newImage']
    >;
    assert.equal(kindOf(runningStatus({ newImage, verified: null })), 'nothing');
    assert.equal(kindOf(runningStatus({ newImage })), 'enclave');
  });

  it('finds another program that listens on the port', () => {
    for (const by of ['program', 'unresponsive', 'sealedProxy'] as const) {
      assert.deepEqual(reachOf({ kind: 'portTaken', port: 14114, by }), { kind: 'otherProgram', port: 14114 });
    }
  });

  it("knows nothing of another window's proxy", () => {
    assert.equal(kindOf({ kind: 'otherSettings', port: 1, backendUrl: 'https://x.example' }), 'otherProxy');
    assert.equal(kindOf({ kind: 'otherVersion', port: 1, version: '9.0.0', isNewer: true }), 'otherProxy');
  });
});
