// The judgement of the soak must not overlook what a proxy does wrong.
import assert from 'node:assert/strict';
import type { Ended } from '../../bench/soak/clients.ts';
import { Disturbances } from '../../bench/soak/disturbances.ts';
import { judgeSoak } from '../../bench/soak/report.ts';
import { KINDS, judge, newWord, setReference } from '../../bench/soak/requests.ts';
import type { Kind, Received } from '../../bench/soak/requests.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';

const kindOf = (name: string) => KINDS.find((kind) => kind.name === name) ?? assert.fail(name);
const received = (body: string, more: Partial<Received> = {}): Received => ({
  status: 200,
  body: Buffer.from(body),
  isComplete: true,
  ...more,
});

async function answerTo({ method, path, body }: Kind, word: string): Promise<string> {
  let text = '';
  await createModel({ paceMs: 0 })(
    { credential: 'dev-', method, target: path, headers: [], body: Buffer.from(body(word) ?? '') },
    {
      signal: new AbortController().signal,
      start: () => undefined,
      write: (chunk) => ((text += Buffer.from(chunk).toString()), true),
      drained: () => Promise.resolve(),
      end: () => undefined,
      fail: () => undefined,
    },
  );
  return text;
}

describe('The judgement of a response in the soak', () => {
  const kind = kindOf('chat stream');
  const [word, other] = [newWord(), newWord()];
  let answer: string;

  before(async () => {
    setReference(kind, word, received(''));
    answer = await answerTo(kind, word);
    assert.ok(answer.includes(word));
  });

  it('accepts the bytes of the backend, and a part of them from a broken response', async () => {
    assert.equal(await judge(kind, word, received(answer)), 'complete');
    assert.equal(await judge(kind, word, received(answer.slice(0, 99), { isComplete: false })), 'broken');
    assert.equal(await judge(kind, word, received(answer, { isComplete: false })), 'broken');
  });

  it('finds a changed byte, a missing one, and the response to another request', async () => {
    const at = answer.indexOf(word);
    for (const body of [
      `${answer.slice(0, at)}x${answer.slice(at + 1)}`,
      answer.slice(0, -1),
      await answerTo(kind, other),
      `${answer} `,
    ]) {
      assert.equal(await judge(kind, word, received(body)), 'wrong');
    }
    const changed = received(`x${answer.slice(1, 99)}`, { isComplete: false });
    assert.equal(await judge(kind, word, changed), 'wrong');
  });

  it('knows an error in the format of the API', async () => {
    const error = JSON.stringify({
      error: { message: 'It broke. (ECONNREFUSED)', type: 'server_error', param: null, code: null },
    });
    assert.equal(await judge(kind, word, received(error, { status: 502 })), 'refused');
    assert.equal(await judge(kind, word, received('<html>', { status: 502 })), 'wrong');
  });

  it('compares the replies of a dialect without their identifiers', async () => {
    const dialect = kindOf('messages');
    const reply = (id: string, text: string) => JSON.stringify({ id: `msg_${id.repeat(32)}`, text });
    setReference(dialect, word, received(reply('a', word)));
    assert.equal(await judge(dialect, other, received(reply('b', other))), 'complete');
    assert.equal(await judge(dialect, other, received(reply('b', word))), 'wrong');
  });
});

describe('The judgement of the soak', () => {
  const ended = (more: Partial<Ended>): Ended => {
    const now = performance.now();
    return { proxy: 'a', kind: 'x', began: now, ended: now, fate: 'complete', details: '', ...more };
  };
  const judged = (requests: readonly Ended[], disturbances = new Disturbances()) =>
    judgeSoak({
      requests,
      disturbances,
      begin: 0,
      beginTime: 0,
      endTime: 1,
      handshakes: 1,
      steadyPid: 1,
      samples: [],
    })[0];

  it('counts a request as lost unless a disturbance of its proxy allows it', async () => {
    const disturbances = new Disturbances();
    const seen: Ended[] = [];
    await disturbances.make({ what: 'killed', proxy: 'a', allows: ['broken'] }, () => {
      seen.push(ended({ fate: 'broken' }));
      return Promise.resolve();
    });
    assert.equal(judged(seen, disturbances)?.isReached, true);
    const later = performance.now() + 1;
    for (const lost of [
      { ...seen[0], fate: 'wrong' as const },
      { ...seen[0], proxy: 'b' },
      ended({ fate: 'broken', began: later, ended: later }),
    ]) {
      assert.equal(judged([...seen, ended(lost)], disturbances)?.isReached, false);
    }
    assert.equal(judged([])?.isReached, false);
  });
});
