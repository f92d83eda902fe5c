import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RequestSealer, encodeMetadata } from '../../../src/session/envelope.ts';
import { MAX_BODY, MAX_RECORD } from '../../../src/session/wire.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';
import { ALL_PRIMITIVES, makeSessionPair } from '../../support/sessions.ts';

function metadata(): Uint8Array {
  return encodeMetadata({
    credential: 'sk-test',
    cacheNamespaceRoot: null,
    method: 'POST',
    target: '/v1/embeddings',
    headers: [{ name: 'content-type', value: 'application/json' }],
    bodyPresent: true,
  });
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;

/** What was filled with one byte while `work` ran, as hex of what it was before. */
function overwrittenBy(work: () => void): string[] {
  const overwritten: string[] = [];
  Object.defineProperty(Uint8Array.prototype, 'fill', {
    configurable: true,
    value(this: Uint8Array, ...input: Parameters<Uint8Array['fill']>) {
      overwritten.push(toHex(this));
      return typedArray.fill.apply(this, input);
    },
  });
  try {
    work();
  } finally {
    Reflect.deleteProperty(Uint8Array.prototype, 'fill');
  }
  return overwritten;
}

for (const [label, primitives] of ALL_PRIMITIVES) {
  describe(`A request record, ${label}`, () => {
    const { session, enclave } = makeSessionPair(primitives);

    it('opens to exactly the metadata and the body', () => {
      const body = Buffer.from('{"input":"text"}');
      const opened = enclave.open(session.beginCall().sealer.seal(metadata(), [body]));
      assert.deepEqual(opened.metadata, {
        version: 2,
        credential: { kind: 'api_key', value: 'sk-test' },
        cache_namespace_root: null,
        method: 'POST',
        target: '/v1/embeddings',
        headers: [{ name: 'content-type', value: 'application/json' }],
        body_present: true,
      });
      assert.equal(opened.body.toString(), body.toString());
      assert.equal(toHex(opened.plaintext), toHex(concatBytes(metadata(), body)));
    });

    it('is the same whole and streamed, however the body is cut', () => {
      const pieces = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 6 });
      fc.assert(
        fc.property(pieces, fc.uint8Array({ minLength: 16, maxLength: 16 }), (body, requestId) => {
          const whole = toHex(session.beginCall(requestId).sealer.seal(metadata(), body));
          const { sealer } = session.beginCall(requestId);
          const streamed = [sealer.begin(metadata()), ...body.map((piece) => sealer.update(piece)), sealer.final()];
          assert.ok(toHex(concatBytes(...streamed)) === whole);
          assert.equal(whole.slice(0, 32), toHex(requestId));
          assert.equal(toHex(enclave.open(Buffer.from(whole, 'hex')).body), toHex(concatBytes(...body)));
        }),
        { numRuns: 40 },
      );
    });

    it('gives each piece of the body a ciphertext of the same length', () => {
      const { sealer } = session.beginCall();
      assert.equal(sealer.begin(metadata()).length, 16 + metadata().length);
      for (const length of [0, 1, 63, 64, 65, 5000]) {
        assert.equal(sealer.update(new Uint8Array(length)).length, length);
      }
      assert.equal(sealer.final().length, 16);
    });

    it('overwrites its key as soon as that is spent', () => {
      const seal = (use: (sealer: RequestSealer) => void) => {
        const subkey = new Uint8Array(32).fill(1);
        use(new RequestSealer(primitives.aead, subkey, new Uint8Array(4), new Uint8Array(16)));
        return toHex(subkey);
      };
      assert.equal(
        seal((sealer) => sealer.seal(metadata(), [])),
        '00'.repeat(32),
      );
      assert.equal(
        seal((sealer) => sealer.begin(metadata())),
        '00'.repeat(32),
      );
    });

    it('overwrites its key, and what a stream holds of it, when it is given up', () => {
      for (const [what, pieces] of [
        ['never begun', undefined],
        ['begun', 0],
        ['in the middle of its body', 2],
      ] as const) {
        const subkey = Uint8Array.from({ length: 32 }, (_, at) => at + 1);
        const key = toHex(subkey);
        const sealer = new RequestSealer(primitives.aead, subkey, new Uint8Array(4), new Uint8Array(16));
        if (pieces !== undefined) sealer.begin(metadata());
        for (let count = 0; count < (pieces ?? 0); count++) sealer.update(new Uint8Array(5000));
        const overwritten = overwrittenBy(() => {
          sealer.destroy();
        });
        assert.equal(toHex(subkey), '00'.repeat(32), what);
        // A stream of the library's own keeps its key to itself.
        const held = pieces === undefined || primitives.aead.name === 'pure';
        assert.equal(overwritten.filter((hex) => hex === key).length, held ? 1 : 0, what);
        assert.throws(() => sealer.update(new Uint8Array(1)), RangeError);
        assert.throws(() => sealer.final(), RangeError);
        assert.throws(() => sealer.seal(metadata(), []), RangeError);
        sealer.destroy();
      }
    });

    it('is sealed once: the key of a spent sealer seals nothing more', () => {
      const { sealer } = session.beginCall();
      sealer.seal(metadata(), []);
      assert.throws(() => sealer.seal(metadata(), []), RangeError);
      assert.throws(() => sealer.begin(metadata()), RangeError);
    });

    it('is begun once, and takes nothing before its begin and behind its end', () => {
      const { sealer } = session.beginCall();
      assert.throws(() => sealer.update(new Uint8Array(1)), RangeError);
      assert.throws(() => sealer.final(), RangeError);
      sealer.begin(metadata());
      assert.throws(() => sealer.begin(metadata()), RangeError);
      assert.throws(() => sealer.seal(metadata(), []), RangeError);
      sealer.update(new Uint8Array(1));
      sealer.final();
      assert.throws(() => sealer.update(new Uint8Array(1)), RangeError);
      assert.throws(() => sealer.final(), RangeError);
    });
  });
}

describe('The body of a request record', () => {
  const { session, enclave } = makeSessionPair();
  const mebibyte = new Uint8Array(1024 * 1024);
  const fifty = Array.from({ length: 50 }, () => mebibyte);
  const refused = { name: 'SessionError', code: 'request_too_large' };

  it('has up to 50 MiB when it is sealed whole', () => {
    const record = session.beginCall().sealer.seal(metadata(), fifty);
    assert.equal(record.length, 16 + metadata().length + MAX_BODY + 16);
    assert.ok(record.length < MAX_RECORD);
    assert.equal(enclave.open(record).body.length, MAX_BODY);
    assert.throws(() => session.beginCall().sealer.seal(metadata(), [...fifty, Uint8Array.of(0)]), refused);
  });

  it('has up to 50 MiB when it is streamed', () => {
    const { sealer } = session.beginCall();
    sealer.begin(metadata());
    for (const piece of fifty) sealer.update(piece);
    sealer.update(new Uint8Array(0));
    assert.throws(() => sealer.update(Uint8Array.of(0)), refused);
  });
});
