import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { RecordOpener } from '../../../src/session/record.ts';
import type { ResponseRecord } from '../../../src/session/record.ts';
import type { ResponseHalf } from '../../support/enclaveHalf.ts';
import { ALL_PRIMITIVES, makeSessionPair } from '../../support/sessions.ts';

const text = (content: string) => Buffer.from(content);
const START = Buffer.concat([Buffer.of(1), text('{"status":201,"headers":[{"name":"x-a","value":"b"}]}')]);
const CHUNK = Buffer.concat([Buffer.of(2), text('some bytes')]);
const END = Buffer.of(3);
const ERROR = Buffer.concat([Buffer.of(4), text('{"code":"upstream_timeout"}')]);
const UNAUTHENTIC = { name: 'SessionError', code: 'record_authentication' };

function contentOf(record: ResponseRecord): string {
  assert.ok(record.kind === 'chunk');
  return Buffer.from(record.bytes).toString();
}

for (const [label, primitives] of ALL_PRIMITIVES) {
  describe(`RecordOpener with ${label}`, () => {
    let opener: RecordOpener;
    let response: ResponseHalf;

    beforeEach(() => {
      const { session, enclave } = makeSessionPair(primitives);
      const requestId = randomBytes(16);
      ({ opener } = session.beginCall(requestId));
      response = enclave.respond(requestId);
    });

    it('opens a Start, a Chunk, an End and an Error in sequence', () => {
      assert.deepEqual(opener.open(response.seal(START, 0)), {
        kind: 'start',
        status: 201,
        headers: [{ name: 'x-a', value: 'b' }],
      });
      const chunk = opener.open(response.seal(CHUNK, 1));
      assert.equal(contentOf(chunk), 'some bytes');
      assert.deepEqual(opener.open(response.seal(END, 2)), { kind: 'end' });
      assert.deepEqual(opener.open(response.seal(ERROR, 3)), { kind: 'error', code: 'upstream_timeout' });
    });

    it('returns memory that is not shared with the input', () => {
      const sealed = response.seal(CHUNK, 0);
      const record = opener.open(sealed);
      sealed.fill(0);
      opener.open(response.seal(CHUNK, 1));
      assert.equal(contentOf(record), 'some bytes');
    });

    it('opens a record only at its own position', () => {
      assert.throws(() => opener.open(response.seal(CHUNK, 1)), UNAUTHENTIC);
    });

    it('does not open a record twice', () => {
      const sealed = response.seal(CHUNK, 0);
      opener.open(sealed);
      assert.throws(() => opener.open(sealed), UNAUTHENTIC);
    });

    it('opens more records than fit into one byte of the sequence number', () => {
      for (let sequence = 0; sequence < 600; sequence++) {
        assert.equal(opener.open(response.seal(END, sequence)).kind, 'end', `record ${sequence}`);
      }
    });

    it('does not open records of another request or session', () => {
      const { session, enclave } = makeSessionPair(primitives);
      const requestId = randomBytes(16);
      const sealed = enclave.respond(requestId).seal(CHUNK, 0);
      assert.throws(() => opener.open(sealed), UNAUTHENTIC);
      const otherId = Buffer.from(requestId);
      otherId[15] = (otherId[15] ?? 0) ^ 1;
      assert.throws(() => session.beginCall(otherId).opener.open(sealed), UNAUTHENTIC);
      assert.equal(session.beginCall(requestId).opener.open(sealed).kind, 'chunk');
    });

    it('rejects a record with any byte changed', () => {
      const { session, enclave } = makeSessionPair(primitives);
      const requestId = randomBytes(16);
      const sealed = enclave.respond(requestId).seal(CHUNK, 0);
      for (let at = 0; at < sealed.length; at++) {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ 0x80;
        assert.throws(() => session.beginCall(requestId).opener.open(changed), UNAUTHENTIC, `byte ${at}`);
      }
    });

    it('opens nothing after destroy(), not even records sealed with an all-zero key', () => {
      const { session, enclave } = makeSessionPair(primitives);
      const requestId = randomBytes(16);
      for (const key of [undefined, Buffer.alloc(32)]) {
        const { opener: closed } = session.beginCall(requestId);
        closed.destroy();
        closed.destroy();
        assert.throws(() => closed.open(enclave.respond(requestId, key).seal(CHUNK, 0)), /destroyed/);
      }
    });

    it('overwrites the key in destroy()', () => {
      const subkey = new Uint8Array(32).fill(1);
      new RecordOpener(primitives.aead, subkey, new Uint8Array(4)).destroy();
      assert.deepEqual(subkey, new Uint8Array(32));
    });

    for (const type of [0, 5, 6, 0x7f, 0x80, 0xff]) {
      it(`rejects the unknown type ${type} even if the record is authentic`, () => {
        const sealed = response.seal(Buffer.of(type, 0x7b, 0x7d), 0);
        assert.throws(() => opener.open(sealed), { name: 'SessionError', code: 'record_malformed' });
      });
    }

    it('rejects an End with content', () => {
      assert.throws(() => opener.open(response.seal(Buffer.of(3, 0), 0)), { code: 'record_malformed' });
    });

    it('accepts an empty Chunk', () => {
      const record = opener.open(response.seal(Buffer.of(2), 0));
      assert.equal(contentOf(record), '');
    });

    it('rejects a malformed Start or Error', () => {
      for (const [place, plaintext] of [text('\u0001{}'), text('\u0001'), text('\u0004{}'), text('\u0004')].entries()) {
        assert.throws(() => opener.open(response.seal(plaintext, place)), { code: 'record_malformed' });
      }
    });
  });
}
