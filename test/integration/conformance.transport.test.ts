// The conformance suite for transport V2 as files, and its streams against src/session. test/e2e has the cases themselves.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseCommand } from '../../conformance/transport-v2/client.ts';
import { AREAS, areaOf, bytesOf, readSuite, readVectors } from '../../conformance/transport-v2/suite.ts';
import { RecordStream } from '../../src/session/recordStream.ts';
import type { Primitives } from '../../src/session/session.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { bytewise } from '../support/responses.ts';
import { ALL_PRIMITIVES, vectorSessionPair } from '../support/sessions.ts';
import { TRANSPORT_V2, hex } from '../support/vectors.ts';

const CASES = readSuite();
const VECTORS = readVectors();
const FOLDER = 'conformance/transport-v2';

describe('The conformance suite for transport V2', () => {
  it('is what its generator writes', () => {
    const { status, stderr } = spawnSync(process.execPath, [fromRoot(`${FOLDER}/generate.ts`), '--check'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  it('has for each case a name of its own', () => {
    const ids = CASES.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  });

  it('has the numbers of cases that its README states', () => {
    const readme = readFileSync(fromRoot(`${FOLDER}/README.md`), 'utf8');
    const stated = [...readme.matchAll(/^\| `([a-z-]+)` +\| (\d+) /gm)].map(([, area, count]) => [area, Number(count)]);
    const counted = AREAS.map((area) => [area, CASES.filter((one) => areaOf(one) === area).length] as const);
    assert.deepEqual(new Map(stated as [string, number][]), new Map<string, number>(counted));
    const [, cases, streams] = /There are (\d+) cases, and (\d+) streams/.exec(readme) ?? [];
    assert.deepEqual([Number(cases), Number(streams)], [CASES.length, VECTORS.streams.length]);
  });

  it('has requests of which the first is that of the specification', () => {
    const { request_id, plaintext, record } = TRANSPORT_V2.request;
    const [first] = VECTORS.requests;
    assert.equal(first?.request_id, request_id);
    assert.equal(Buffer.from(first.plaintext, 'base64').toString(), plaintext);
    assert.deepEqual(Buffer.from(first.record, 'base64'), Buffer.from(hex(record)));
  });

  it('has requests that another implementation opens to their plaintext', () => {
    const { enclave } = vectorSessionPair();
    assert.equal(enclave.sessionId, VECTORS.session.session_id);
    for (const { title, request_id, plaintext, record } of VECTORS.requests.slice(1)) {
      const opened = enclave.open(Buffer.from(record, 'base64'));
      assert.equal(opened.plaintext.toString('base64'), plaintext, title);
      assert.equal(opened.requestId.toString('hex'), request_id, title);
    }
  });

  for (const [name, primitives] of ALL_PRIMITIVES) {
    it(`has streams that src/session reads as they say, with the ${name}, in one chunk and byte by byte`, () => {
      assert.ok(VECTORS.streams.length > 100);
      for (const { id, body, expected } of VECTORS.streams) {
        const bytes = Buffer.from(body, 'base64');
        for (const chunks of [[bytes], bytewise(bytes)]) {
          const read = readStream(primitives, chunks);
          assert.equal(read.outcome, expected.outcome, id);
          if (expected.outcome === 'failed') continue;
          assert.equal(read.status, expected.status, id);
          assert.ok(read.body.equals(bytesOf(expected.body)), id);
        }
      }
    });
  }

  it('starts clients with variables and arguments that are separated by spaces', () => {
    assert.deepEqual(parseCommand('A=1 B_C={enclave}  ./client --port={port} X=1'), {
      program: './client',
      args: ['--port={port}', 'X=1'],
      env: { A: '1', B_C: '{enclave}' },
    });
    assert.throws(() => parseCommand('A=1'), RangeError);
  });
});

/** What a client reads of a stream whose body arrives in these chunks. */
function readStream(primitives: Primitives, chunks: readonly Uint8Array[]) {
  const read: Uint8Array[] = [];
  let status: number | undefined;
  const { opener } = vectorSessionPair(primitives).session.beginCall(hex(VECTORS.stream_request_id));
  const stream = new RecordStream(opener, {
    start: (start) => {
      status = start.status;
    },
    chunk: (bytes) => {
      read.push(Buffer.from(bytes));
    },
  });
  let outcome = 'complete';
  try {
    for (const chunk of chunks) stream.push(chunk);
    stream.finish();
  } catch {
    outcome = status === undefined ? 'failed' : 'broken';
  }
  return { outcome, status, body: Buffer.concat(read) };
}
