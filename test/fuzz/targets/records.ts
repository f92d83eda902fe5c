// The records of a response. The input says which records the enclave seals, how somebody on the way changes them, and how
// they arrive: nothing but what the enclave sealed is passed on, in its order, and a response that was changed never ends.
import assert from 'node:assert/strict';
import { SessionError } from '../../../src/session/errors.ts';
import { RecordStream } from '../../../src/session/recordStream.ts';
import { mutateText, pick } from '../../support/mutations.ts';
import { vectorSessionPair } from '../../support/sessions.ts';
import { inChunks } from '../split.ts';
import type { FuzzTarget } from '../target.ts';

const { session, enclave } = vectorSessionPair();
const REQUEST = Buffer.alloc(16, 7);
const TAMPER = 0x80;

interface Script {
  /** Plaintexts of records: the first byte is the type. */
  readonly records: readonly Uint8Array[];
  readonly changes: readonly { readonly kind: number; readonly at: number; readonly value: number }[];
}

/** A byte of `TAMPER` and more: a change, at a place of two bytes, with a value. Else: a record of that many bytes. */
function scriptIn(input: Uint8Array): Script {
  const records: Uint8Array[] = [];
  const changes: Script['changes'][number][] = [];
  for (let at = 0; at < input.length;) {
    const [kind = 0, high = 0, low = 0, value = 0] = input.subarray(at);
    if (kind >= TAMPER) {
      changes.push({ kind: (kind - TAMPER) % 5, at: high * 256 + low, value });
      at += 4;
    } else {
      records.push(input.subarray(at + 1, at + 1 + kind));
      at += 1 + kind;
    }
  }
  return { records, changes };
}

function record(type: number, content: string): Buffer {
  return Buffer.concat([Buffer.of(1 + content.length, type), Buffer.from(content)]);
}

const START = record(1, '{"status":200,"headers":[{"name":"a","value":"b"}]}');
const COMPLETE = Buffer.concat([START, record(2, 'one'), record(2, ''), record(2, 'three'), record(3, '')]);

export const target: FuzzTarget = {
  maxLength: 4096,
  seeds: () => [
    COMPLETE,
    Buffer.concat([START, record(2, 'one'), record(4, '{"code":"internal_error"}')]),
    ...[0x80, 0x81, 0x82, 0x83, 0x84].map((kind) => Buffer.concat([COMPLETE, Buffer.of(kind, 0, 90, 5)])),
    record(3, ''),
    record(9, 'x'),
  ],
  mutate: (input, random) => {
    const { records, changes } = scriptIn(input);
    const type = Math.floor(random() * 6);
    const text = pick(random, ['', 'x', '{"status":204,"headers":[]}', '{"code":"aborted"}']);
    const content = random() < 0.5 ? text : mutateText(text, random);
    const at = Math.floor(random() * (records.length + 1));
    const kept = records.map((plaintext): Uint8Array => Buffer.concat([Buffer.of(plaintext.length), plaintext]));
    kept.splice(at, random() < 0.5 ? 1 : 0, record(type, content));
    const tail = changes.map(({ kind, at: place, value }) => Buffer.of(TAMPER + kind, place >> 8, place & 255, value));
    return Buffer.concat([...kept, ...(random() < 0.8 ? [] : tail)]);
  },
  run: (input) => {
    const { records, changes } = scriptIn(input);
    const sealer = enclave.respond(REQUEST);
    const sealed = records.map((plaintext) => sealer.frameOf(plaintext));
    const body = changes.reduce<Buffer>(tamper, Buffer.concat(sealed));
    const whole = read([body]);
    for (const chunks of inChunks(body)) assert.deepEqual(read(chunks), whole, 'split');

    const genuine = read([Buffer.concat(sealed)]);
    assert.deepEqual(whole.passed, genuine.passed.slice(0, whole.passed.length), 'what the enclave did not seal');
    if (whole.end !== 'complete') return;
    assert.ok(body.equals(Buffer.concat(sealed)), 'a changed response is complete');
    assert.deepEqual(
      records.map((plaintext) => plaintext[0]).filter((type) => type !== 2),
      [1, 3],
    );
    assert.equal(records.at(-1)?.length, 1, 'an End with content');
    const content = Buffer.concat(records.filter((plaintext) => plaintext[0] === 2).map((chunk) => chunk.subarray(1)));
    assert.ok(Buffer.concat(whole.chunks).equals(content));
  },
};

function tamper(body: Buffer, { kind, at: place, value }: Script['changes'][number]): Buffer {
  const at = body.length === 0 ? 0 : place % body.length;
  const [before, after] = [body.subarray(0, at), body.subarray(at)];
  if (kind === 0)
    return Buffer.concat([before, Buffer.from(after.subarray(0, 1).map((byte) => byte ^ value)), after.subarray(1)]);
  if (kind === 1) return before;
  if (kind === 2) return Buffer.concat([before, after.subarray(value)]);
  if (kind === 3) return Buffer.concat([before, after.subarray(0, value), after]);
  return Buffer.concat([after, before]);
}

interface Read {
  readonly end: string;
  readonly passed: readonly unknown[];
  readonly chunks: readonly Uint8Array[];
}

function read(parts: readonly Uint8Array[]): Read {
  const passed: unknown[] = [];
  const chunks: Uint8Array[] = [];
  const stream = new RecordStream(session.beginCall(REQUEST).opener, {
    start: (start) => passed.push({ ...start }),
    chunk: (bytes) => {
      passed.push(Buffer.from(bytes).toString('latin1'));
      chunks.push(bytes);
    },
  });
  try {
    for (const part of parts) stream.push(Buffer.from(part));
    stream.finish();
    return { end: 'complete', passed, chunks };
  } catch (error) {
    assert.ok(error instanceof SessionError, error instanceof Error ? (error.stack ?? '') : String(error));
    return { end: error.code, passed, chunks };
  }
}
