import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import { AccessKeys, onceAMinute } from '../../../../src/proxy/server/accessKeys.ts';
import { accessKeyId } from '../../../../src/shared/accessKeys.ts';
import { inProportion } from '../../../support/inProportion.ts';

const newKey = () => `sealed-${randomBytes(32).toString('base64url')}`;

describe('AccessKeys', () => {
  const [one, other] = [newKey(), newKey()];

  it('resolves any other key to itself', () => {
    for (const keys of [new AccessKeys(null, []), new AccessKeys('sk-mine', [one])]) {
      for (const bearer of ['sk-theirs', 'x', 'sealed', 'unsealed', 'A'.repeat(43)]) {
        assert.deepEqual(keys.resolve(bearer), { value: bearer, accessKeyId: null });
      }
    }
  });

  it('resolves every access key to the API key of the proxy', () => {
    const keys = new AccessKeys('sk-mine', [one, other]);
    for (const bearer of [one, other]) {
      const accessKeyId = createHash('sha256').update(bearer).digest('hex').slice(0, 16);
      assert.deepEqual(keys.resolve(bearer), { value: 'sk-mine', accessKeyId });
    }
  });

  it('resolves no access key if the proxy has no API key', () => {
    for (const keys of [new AccessKeys(null, [one]), new AccessKeys(null, [])]) {
      for (const bearer of [one, other, 'sealed-x']) assert.equal(keys.resolve(bearer), PROXY_ERRORS.noApiKey);
    }
  });

  it('refuses an unknown access key, so that it never leaves this computer', () => {
    for (const keys of [new AccessKeys('sk-mine', [one]), new AccessKeys('sk-mine', [])]) {
      for (const bearer of [other, 'sealed-', 'sealed-x', `${one}A`, one.slice(0, -1)]) {
        assert.equal(keys.resolve(bearer), PROXY_ERRORS.unknownAccessKey, bearer.length.toString());
      }
    }
  });

  it('refuses a request without a key, or with one that no backend can have', () => {
    const keys = new AccessKeys('sk-mine', [one]);
    assert.equal(keys.resolve(undefined), PROXY_ERRORS.noKey);
    for (const bearer of ['', `${one} `, 'sk mine', 'k'.repeat(16_385)]) {
      assert.equal(keys.resolve(bearer), PROXY_ERRORS.badKey, bearer.length.toString());
    }
  });

  it('refuses an access key that was damaged in copying', () => {
    const keys = new AccessKeys('sk-mine', [one]);
    const damaged = [one.toUpperCase(), `"${one}"`, `'${one}'`, one.replace('-', '_'), `PROXY_ACCESS_KEYS=${one}`];
    const withoutStart = Array.from('sealed-', (_, index) => one.slice(index + 1));
    for (const bearer of [...damaged, ...withoutStart, `x${one.slice('sealed-'.length)}`, `"${one.slice(1)}"`]) {
      assert.equal(keys.resolve(bearer), PROXY_ERRORS.unknownAccessKey, bearer.length.toString());
    }
  });

  it('finds the secret of an access key with anything around it', () => {
    const secret = one.slice('sealed-'.length);
    const percent = (text: string) => Array.from(text, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const keys = new AccessKeys('sk-mine', [other, one]);
    for (const text of [`${secret}x`, `${secret}zz`, `u${secret}-`, `%${secret}`, percent(one), percent(secret)]) {
      assert.equal(keys.resolve(text), PROXY_ERRORS.unknownAccessKey, text.length.toString());
      assert.ok(keys.isIn('x-any', text), text.length.toString());
      assert.ok(keys.isIn('x-any', `word ${'a'.repeat(50)}${text}${'-'.repeat(50)} word`), text.length.toString());
      assert.ok(keys.isIn(text, ''), text.length.toString());
    }
    for (const text of [secret.slice(1), `${secret.slice(0, 20)}x${secret.slice(20)}`, 'a'.repeat(100)]) {
      assert.ok(!keys.isIn('x-any', text), text.length.toString());
    }
  });

  it('recognizes the API key and every access key in a text of a client', () => {
    const keys = new AccessKeys('sk-mine', [one]);
    for (const text of ['sk-mine', `a sk-mine!`, one, newKey(), `"${one}"`])
      assert.ok(keys.hasKey(text), text.slice(0, 9));
    for (const keys of [new AccessKeys('sk-mine', [one]), new AccessKeys(null, [])]) {
      for (const text of ['glm-5-2', 'sk-other', '', 'null', '100%25 new']) assert.ok(!keys.hasKey(text), text);
    }
  });

  it('searches long headers in a time that does not depend on the number of keys', () => {
    const keys = new AccessKeys('sk-mine', Array.from({ length: 10_000 }, newKey));
    const words = Array.from({ length: 40_000 }, () => newKey().slice('sealed-'.length)).join(' ');
    assert.equal(
      inProportion(() => keys.isIn('x-any', words)),
      false,
    );
  });

  it('knows whether there are any', () => {
    assert.ok(new AccessKeys('sk-mine', []).isEmpty);
    assert.ok(!new AccessKeys('sk-mine', [one]).isEmpty);
  });

  it('copies the list of access keys', () => {
    const list = [one];
    const keys = new AccessKeys('sk-mine', list);
    list[0] = other;
    assert.ok('value' in keys.resolve(one));
    assert.equal(keys.resolve(other), PROXY_ERRORS.unknownAccessKey);
  });

  it('can refuse every other key', () => {
    const keys = new AccessKeys('sk-mine', [one], undefined, { only: true });
    assert.equal(keys.resolve('sk-own'), PROXY_ERRORS.keyNotAllowed);
    assert.deepEqual(keys.resolve(one), { value: 'sk-mine', accessKeyId: accessKeyId(one) });
  });

  it('names a client, or its key if it has no name', () => {
    const keys = new AccessKeys('sk-mine', [one], undefined, { clientNames: new Map([[accessKeyId(one), 'alice']]) });
    assert.deepEqual([keys.nameOf(accessKeyId(one)), keys.nameOf('abc')], ['alice', 'abc']);
    assert.equal(new AccessKeys('sk-mine', [one]).nameOf('abc'), 'abc');
  });

  it('knows no limits of a key without a rule', () => {
    assert.equal(new AccessKeys('sk-mine', [one]).limitsOf(accessKeyId(one)), undefined);
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

  it('do not report a check', () => {
    const used: string[] = [];
    const keys = new AccessKeys('sk-mine', [one], (id) => used.push(id));
    assert.ok('value' in keys.resolve(one, true));
    assert.deepEqual(used, []);
    keys.resolve(one);
    assert.deepEqual(used, [idOf(one)]);
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
