import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { AccessKeys, onceAMinute } from '../../../../src/proxy/server/accessKeys.ts';

const newKey = () => `sealed-${randomBytes(32).toString('base64url')}`;

describe('AccessKeys', () => {
  const [one, other] = [newKey(), newKey()];

  it('resolves any other key to itself', () => {
    for (const keys of [new AccessKeys(null, []), new AccessKeys('sk-mine', [one])]) {
      for (const bearer of ['sk-theirs', 'x', 'sealed', 'unsealed', 'A'.repeat(43)]) {
        assert.deepEqual(keys.resolve(bearer), { kind: 'upstream-key', value: bearer, accessKeyId: null });
      }
    }
  });

  it('resolves every access key to the API key of the proxy', () => {
    const keys = new AccessKeys('sk-mine', [one, other]);
    for (const bearer of [one, other]) {
      const accessKeyId = createHash('sha256').update(bearer).digest('hex').slice(0, 16);
      assert.deepEqual(keys.resolve(bearer), { kind: 'upstream-key', value: 'sk-mine', accessKeyId });
    }
  });

  it('resolves no access key if the proxy has no API key', () => {
    for (const keys of [new AccessKeys(null, [one]), new AccessKeys(null, [])]) {
      for (const bearer of [one, other, 'sealed-x']) assert.deepEqual(keys.resolve(bearer), { kind: 'no-api-key' });
    }
  });

  it('refuses an unknown access key, so that it never leaves this computer', () => {
    for (const keys of [new AccessKeys('sk-mine', [one]), new AccessKeys('sk-mine', [])]) {
      for (const bearer of [other, 'sealed-', 'sealed-x', `${one}A`, one.slice(0, -1), ` ${one}`.trim() + ' ']) {
        assert.deepEqual(keys.resolve(bearer), { kind: 'unknown-access-key' }, bearer.length.toString());
      }
    }
  });

  it('refuses an access key that was damaged in copying', () => {
    const keys = new AccessKeys('sk-mine', [one]);
    const damaged = [one.toUpperCase(), `"${one}"`, `'${one}'`, one.replace('-', '_'), `PROXY_ACCESS_KEYS=${one}`];
    for (const bearer of [...damaged, one.slice('sealed-'.length)]) {
      assert.deepEqual(keys.resolve(bearer), { kind: 'unknown-access-key' }, bearer.length.toString());
    }
  });

  it('copies the list of access keys', () => {
    const list = [one];
    const keys = new AccessKeys('sk-mine', list);
    list[0] = other;
    assert.equal(keys.resolve(one).kind, 'upstream-key');
    assert.equal(keys.resolve(other).kind, 'unknown-access-key');
  });
});

describe('AccessKeys and onceAMinute()', () => {
  const [one, other] = [newKey(), newKey()];
  const idOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 16);

  it('report the id of a valid access key, the start of its hash, on each use', () => {
    const used: string[] = [];
    const note = (id: string) => used.push(id);
    const keys = new AccessKeys('sk-mine', [one, other], note);
    for (const bearer of [other, 'sk-theirs', newKey(), one.slice(0, -1), one]) keys.resolve(bearer);
    new AccessKeys(null, [one], note).resolve(one);
    assert.deepEqual(used, [idOf(other), idOf(one)]);
  });

  it('report each key at most once a minute', () => {
    let now = 5000;
    const clock = mock.method(performance, 'now', () => now);
    const passed: string[] = [];
    const report = onceAMinute((id) => passed.push(id));
    for (const [at, id] of [
      [5000, 'a'],
      [5001, 'a'],
      [5002, 'b'],
      [64_999, 'a'],
      [65_000, 'a'],
      [65_001, 'b'],
      [65_002, 'b'],
      [124_999, 'a'],
    ] as const) {
      now = at;
      report(id);
    }
    clock.mock.restore();
    assert.deepEqual(passed, ['a', 'b', 'a', 'b']);
  });
});
