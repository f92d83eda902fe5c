import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METADATA, call, collect, connect, seal, sendRecord } from '../../support/devEnclave/client.ts';
import { useEnclaves } from '../../support/devEnclave/fixture.ts';
import { DEADLINE, eventually, withTimeout } from '../../support/withTimeout.ts';

const KEY = 'dev-very-secret-key';
const ROOT = new Uint8Array(32).fill(3);

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

describe('The journal of the development enclave', () => {
  const start = useEnclaves();
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'enclave-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('records each request and how it ended, without API keys, cache roots and bodies', async () => {
    const recordFile = join(folder, 'requests.jsonl');
    const enclave = await start({ recordFile });
    const session = await connect(enclave.url);
    const body = { model: 'llama3-3-70b', messages: [{ role: 'user', content: 'very secret words' }] };
    await call(enclave.url, session, body, { credential: KEY, cacheNamespaceRoot: ROOT });
    await call(enclave.url, session, undefined, { credential: null, method: 'GET', target: '/v1/models' });
    for (const index of [0, 1]) await withTimeout('an end', DEADLINE, (await enclave.journal.request(index)).end);

    const text = await readFile(recordFile, 'utf8');
    const [first, second] = text
      .split('\n')
      .map((line) => JSON.parse(line === '' ? '{}' : line) as Record<string, unknown>);
    const bytes = JSON.stringify(body);
    assert.deepEqual(
      { ...first, request_id: '' },
      {
        session_id: session.id,
        request_id: '',
        method: 'POST',
        target: '/v1/chat/completions',
        headers: METADATA.headers,
        credential: { kind: 'api_key', sha256: sha256(KEY).slice(0, 12) },
        cache_root_sha256: sha256(ROOT).slice(0, 12),
        body_present: true,
        body_length: bytes.length,
        body_sha256: sha256(bytes),
        outer: {
          header_names: [
            'content-type',
            'x-session-id',
            'x-opensecret-routing-key',
            'host',
            'connection',
            'content-length',
          ],
          framing: 'content-length',
          content_length: (first?.['outer'] as { content_length: number }).content_length,
        },
        ended: 'complete',
      },
    );
    assert.match(String(first?.['request_id']), /^[0-9a-f]{32}$/);
    assert.equal(second?.['credential'], null);
    assert.equal(second['body_present'], false);
    const root = Buffer.from(ROOT);
    for (const secret of [KEY, 'very secret', root.toString('base64'), root.toString('hex')]) {
      assert.ok(!text.includes(secret));
    }
  });

  it('records when the client disconnected', async () => {
    const recordFile = join(folder, 'requests.jsonl');
    const enclave = await start({ recordFile, journal: false });
    const session = await connect(enclave.url);
    const body = { model: 'llama3-3-70b', stream: true, messages: [{ role: 'user', content: '/stall 1' }] };
    const { record } = seal(session, {}, Buffer.from(JSON.stringify(body)));
    const message = await sendRecord(enclave.url, session, record, { 'transfer-encoding': 'chunked' });
    await withTimeout('a record', DEADLINE, once(message, 'data'));
    message.destroy();
    let line = '';
    await eventually('the record', async () => (line = await readFile(recordFile, 'utf8')) !== '');
    const entry = JSON.parse(line) as Record<string, unknown>;
    assert.equal(entry['ended'], 'client-cancelled');
    assert.equal((entry['outer'] as { framing: string }).framing, 'chunked');
    assert.deepEqual(enclave.journal.requests, []);
  });

  it('distinguishes failed responses from those that the client cancelled', async () => {
    const enclave = await start({ faults: 'reset-mid-response:1,error-record:2' });
    const session = await connect(enclave.url);
    for (const [index, content] of ['a', 'a', '/fail 1'].entries()) {
      const body = Buffer.from(JSON.stringify({ model: 'llama3-3-70b', messages: [{ role: 'user', content }] }));
      await collect(await sendRecord(enclave.url, session, seal(session, {}, body).record)).catch(() => undefined);
      const { end } = await withTimeout('the request', DEADLINE, enclave.journal.request(index));
      assert.equal((await withTimeout('its end', DEADLINE, end)).ended, 'failed');
    }
  });

  it('counts handshakes and rejections', async () => {
    const enclave = await start();
    const session = await connect(enclave.url);
    await collect(await sendRecord(enclave.url, session, Buffer.alloc(50)));
    assert.equal(enclave.journal.handshakes, 1);
    assert.deepEqual(
      enclave.journal.rejections.map(({ path, status }) => ({ path, status })),
      [{ path: '/v2/request', status: 400 }],
    );
  });

  it('is rejected if its file is not writable', async () => {
    await assert.rejects(start({ recordFile: folder }), { code: 'EISDIR' });
  });
});
