import assert from 'node:assert/strict';
import { KnownModels } from '../../../src/chat/knownModels.ts';
import type { Health, ProxyStatus } from '../../../src/shared/status.ts';
import { RUNNING } from '../../support/diagnostics.ts';

const list = (...ids: string[]) => ({ object: 'list', data: ids.map((id) => ({ id })) });
const running = (health: Health): ProxyStatus => ({ ...RUNNING, health });
const connected = (...ids: string[]) =>
  running({ kind: 'connected', models: ids, catalogue: list(...ids), checkedAt: 0 });
const NO_KEY = running({ kind: 'noKey' });
const REJECTED = running({ kind: 'keyRejected', checkedAt: 0 });
const CHECKING = running({ kind: 'checking' });
const UNREACHABLE = running({
  kind: 'unreachable',
  cause: 'network',
  message: '',
  failure: null,
  checkedAt: 0,
  retryAt: null,
});
const OFF: ProxyStatus = { kind: 'off' };
const STARTING: ProxyStatus = { kind: 'starting' };
/** Every state in which the proxy is not connected, and may be again without the user. */
const PAUSES: readonly ProxyStatus[] = [
  STARTING,
  CHECKING,
  UNREACHABLE,
  running({ kind: 'slow', checkedAt: 0, retryAt: null }),
  { kind: 'restarting', at: 0 },
  { kind: 'portTaken', port: 1, by: 'program' },
  { kind: 'otherVersion', port: 1, version: '2.0.0', isNewer: true },
  { kind: 'otherSettings', port: 1, backendUrl: 'https://other.example' },
  { kind: 'failed', reason: 'crashes', message: '' },
  connected(), // a list without models
  connected('text-embedding'),
];

function offered(known: KnownModels, ...statuses: readonly ProxyStatus[]): string[] {
  for (const status of statuses) known.update(status);
  return known.offered({}).map(({ id }) => id);
}

describe('KnownModels', () => {
  it('offers the models of the latest list', () => {
    const known = new KnownModels(undefined);
    assert.deepEqual(offered(known), []);
    assert.deepEqual(offered(known, STARTING, CHECKING), []);
    assert.deepEqual(offered(known, connected('a', 'b')), ['a', 'b']);
    assert.deepEqual(offered(known, connected('b', 'c')), ['b', 'c']);
    assert.deepEqual(known.catalogue, list('b', 'c'));
  });

  it('keeps offering them through every pause', () => {
    for (const pause of PAUSES) {
      const known = new KnownModels(undefined);
      assert.deepEqual(offered(known, connected('a'), pause), ['a'], JSON.stringify(pause));
      assert.equal(known.withdrawal, undefined);
    }
  });

  it('offers the models of an earlier time before the first start, and until there is another list', () => {
    const known = new KnownModels(list('a'));
    assert.deepEqual(offered(known), ['a']);
    assert.deepEqual(offered(known, OFF), ['a']);
    assert.deepEqual(offered(known, ...PAUSES), ['a']);
    assert.deepEqual(offered(known, connected('b')), ['b']);
  });

  it('ignores a stored value that is not a list', () => {
    for (const stored of [7, 'x', null, {}, { data: 'x' }, []]) assert.deepEqual(offered(new KnownModels(stored)), []);
  });

  it('withdraws them while the proxy is stopped', () => {
    const known = new KnownModels(undefined);
    assert.deepEqual(offered(known, connected('a'), OFF), []);
    assert.equal(known.withdrawal, 'off');
    assert.deepEqual(offered(known, OFF), []);
    assert.deepEqual(offered(known, STARTING), ['a']);
  });

  it('withdraws them in a window that opens while the proxy is stopped in all windows', () => {
    const known = new KnownModels(list('a'));
    assert.deepEqual(offered(known, OFF, { kind: 'off', allWindows: true }), []);
    assert.equal(known.withdrawal, 'off');
    assert.deepEqual(offered(known, STARTING), ['a']);
  });

  it('withdraws them when the API key is removed while no proxy runs, and offers them again when it is set', () => {
    const isPaused = ({ kind }: ProxyStatus) => kind !== 'running';
    for (const pause of [OFF, ...PAUSES.filter(isPaused)]) {
      const known = new KnownModels(list('a'));
      assert.deepEqual(offered(known, pause), ['a']);
      known.setHasApiKey(false);
      assert.deepEqual(offered(known), []);
      assert.equal(known.withdrawal, 'noKey');
      known.setHasApiKey(true);
      assert.deepEqual(offered(known), ['a']);
    }
  });

  it('goes by what the proxy knows of the key while one runs', () => {
    const known = new KnownModels(undefined);
    known.setHasApiKey(false);
    assert.deepEqual(offered(known, connected('a')), ['a']);
    assert.deepEqual(offered(known, CHECKING), ['a']);
    known.setHasApiKey(true);
    assert.deepEqual(offered(known, NO_KEY), []);
  });

  it('withdraws them without a valid API key, until the proxy is connected', () => {
    for (const [status, withdrawal] of [
      [NO_KEY, 'noKey'],
      [REJECTED, 'keyRejected'],
    ] as const) {
      const known = new KnownModels(undefined);
      assert.deepEqual(offered(known, connected('a'), status), []);
      assert.equal(known.withdrawal, withdrawal);
      assert.deepEqual(offered(known, CHECKING, UNREACHABLE, STARTING), []);
      assert.deepEqual(offered(known, connected('a')), ['a']);
    }
  });
});
