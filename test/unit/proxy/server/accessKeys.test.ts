import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { AccessKeys, onceAMinute } from '../../../../src/proxy/server/accessKeys.ts';

const newKey = () => `sealed-${randomBytes(32).toString('base64url')}`;

describe('The key that a request travels with', () => {
  const [one, other] = [newKey(), newKey()];

  it('is the upstream’s own where the client sent that, whatever access keys there are', () => {
    for (const keys of [new AccessKeys(null, []), new AccessKeys('sk-mine', [one])]) {
      for (const bearer of ['sk-theirs', 'x', 'sealed', 'unsealed', 'A'.repeat(43)]) {
        assert.deepEqual(keys.resolve(bearer), { kind: 'upstream-key', value: bearer, accessKeyId: null });
      }
    }
  });

  it('is the proxy’s own where the client sent any of the access keys', () => {
    const keys = new AccessKeys('sk-mine', [one, other]);
    for (const bearer of [one, other]) {
      const accessKeyId = createHash('sha256').update(bearer).digest('hex').slice(0, 16);
      assert.deepEqual(keys.resolve(bearer), { kind: 'upstream-key', value: 'sk-mine', accessKeyId });
    }
  });

  it('is missing where the proxy has no key yet, whatever access key comes', () => {
    for (const keys of [new AccessKeys(null, [one]), new AccessKeys(null, [])]) {
      for (const bearer of [one, other, 'sealed-x']) assert.deepEqual(keys.resolve(bearer), { kind: 'no-api-key' });
    }
  });

  it('is nothing that begins like an access key: a wrong one never leaves this computer', () => {
    for (const keys of [new AccessKeys('sk-mine', [one]), new AccessKeys('sk-mine', [])]) {
      for (const bearer of [other, 'sealed-', 'sealed-x', `${one}A`, one.slice(0, -1), ` ${one}`.trim() + ' ']) {
        assert.deepEqual(keys.resolve(bearer), { kind: 'unknown-access-key' }, bearer.length.toString());
      }
    }
  });

  it('is nothing that was an access key before it was copied badly', () => {
    const keys = new AccessKeys('sk-mine', [one]);
    const damaged = [one.toUpperCase(), `"${one}"`, `'${one}'`, one.replace('-', '_'), `PROXY_ACCESS_KEYS=${one}`];
    for (const bearer of [...damaged, one.slice('sealed-'.length)]) {
      assert.deepEqual(keys.resolve(bearer), { kind: 'unknown-access-key' }, bearer.length.toString());
    }
  });

  it('does not depend on keys that are changed afterwards in the list they came in', () => {
    const list = [one];
    const keys = new AccessKeys('sk-mine', list);
    list[0] = other;
    assert.equal(keys.resolve(one).kind, 'upstream-key');
    assert.equal(keys.resolve(other).kind, 'unknown-access-key');
  });
});

describe('The use of an access key', () => {
  const [one, other] = [newKey(), newKey()];
  const idOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 16);

  it('is told by the start of its hash, and only where it was good', () => {
    const used: string[] = [];
    const note = (id: string) => used.push(id);
    const keys = new AccessKeys('sk-mine', [one, other], note);
    for (const bearer of [other, 'sk-theirs', newKey(), one.slice(0, -1), one]) keys.resolve(bearer);
    new AccessKeys(null, [one], note).resolve(one);
    assert.deepEqual(used, [idOf(other), idOf(one)]);
  });

  it('is passed on at most once a minute for each key', () => {
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
