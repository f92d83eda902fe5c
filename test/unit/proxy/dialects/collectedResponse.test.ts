import assert from 'node:assert/strict';
import { CollectedResponse, keptHeaders } from '../../../../src/proxy/dialects/collectedResponse.ts';
import type { Collected } from '../../../../src/proxy/dialects/collectedResponse.ts';

const collect = (write: (res: CollectedResponse) => void, limit = 10) => {
  const ends: (Collected | undefined)[] = [];
  write(new CollectedResponse(limit, (collected) => ends.push(collected)));
  return ends;
};

describe('CollectedResponse', () => {
  it('joins chunks that end within a character', () => {
    const [first, second] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)];
    const ends = collect((res) => {
      res.writeHead(200, ['a', 'b']);
      assert.ok(res.write(first));
      assert.ok(res.write(second));
      res.end();
    });
    assert.deepEqual(ends, [{ status: 200, headers: ['a', 'b'], text: 'ä' }]);
  });

  it('replaces an incomplete response by an error', () => {
    const ends = collect((res) => {
      res.writeHead(200, []);
      res.write(Buffer.from('incomplete'));
      assert.equal(res.headersSent, false);
      res.writeHead(502, ['c', 'd']);
      res.end('error');
    });
    assert.deepEqual(ends, [{ status: 502, headers: ['c', 'd'], text: 'error' }]);
  });

  it('gives up a body that does not end', () => {
    const ends = collect((res) => {
      res.writeHead(200, []);
      for (let sent = 0; sent < 20; sent++) res.write(Buffer.from('x'));
    });
    assert.deepEqual(ends, [undefined]);
  });

  it('gives up a body that is too long', () => {
    for (const [length, kept] of [
      [10, true],
      [11, false],
    ] as const) {
      const [end] = collect((res) => {
        res.writeHead(200, []);
        for (let sent = 0; sent < length; sent++) res.write(Buffer.from('x'));
        res.end();
      });
      assert.equal(end !== undefined, kept);
    }
  });
});

describe('keptHeaders()', () => {
  it('keeps what clients need, and nothing else', () => {
    const raw = [
      'Retry-After',
      '1',
      'set-cookie',
      'a=b',
      'X-Request-Id',
      'id',
      'content-type',
      'text/html',
      'date',
      'x',
    ];
    assert.deepEqual(keptHeaders(raw), ['retry-after', '1', 'x-request-id', 'id']);
    assert.deepEqual(keptHeaders(['retry-after', '1', 'retry-after', '2']), []);
  });
});
