import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RequestSealer, encodeMetadata } from '../../../src/session/envelope.ts';
import { WasmAead } from '../../../src/session/wasmAead.ts';
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

/** The previous content, as hex, of all memory that was overwritten while `work` ran. */
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
  describe(`RequestSealer with ${label}`, () => {
    const { session, enclave } = makeSessionPair(primitives);

    it('seals exactly the metadata and the body', () => {
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

    it('produces the same record in one call and streamed, however the body is split', () => {
      const chunks = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 6 });
      fc.assert(
        fc.property(chunks, fc.uint8Array({ minLength: 16, maxLength: 16 }), (body, requestId) => {
          const record = toHex(session.beginCall(requestId).sealer.seal(metadata(), body));
          const { sealer } = session.beginCall(requestId);
          const streamed = [sealer.begin(metadata()), ...body.map((chunk) => sealer.update(chunk)), sealer.final()];
          assert.ok(toHex(concatBytes(...streamed)) === record);
          assert.equal(record.slice(0, 32), toHex(requestId));
          assert.equal(toHex(enclave.open(Buffer.from(record, 'hex')).body), toHex(concatBytes(...body)));
        }),
        { numRuns: 40 },
      );
    });

    it('returns a ciphertext of the same length for each chunk', () => {
      const { sealer } = session.beginCall();
      assert.equal(sealer.begin(metadata()).length, 16 + metadata().length);
      for (const length of [0, 1, 63, 64, 65, 5000]) {
        assert.equal(sealer.update(new Uint8Array(length)).length, length);
      }
      assert.equal(sealer.final().length, 16);
    });

    it('overwrites its key after its first use', () => {
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

    it('overwrites its key and that of the stream in destroy()', () => {
      for (const [what, chunks] of [
        ['never begun', undefined],
        ['begun', 0],
        ['in the middle of its body', 2],
      ] as const) {
        const subkey = Uint8Array.from({ length: 32 }, (_, at) => at + 1);
        const key = toHex(subkey);
        const sealer = new RequestSealer(primitives.aead, subkey, new Uint8Array(4), new Uint8Array(16));
        if (chunks !== undefined) sealer.begin(metadata());
        for (let count = 0; count < (chunks ?? 0); count++) sealer.update(new Uint8Array(5000));
        const overwritten = overwrittenBy(() => {
          sealer.destroy();
        });
        assert.equal(toHex(subkey), '00'.repeat(32), what);
        // OpenSSL keeps the key of a native stream.
        const held = chunks === undefined || primitives.aead instanceof WasmAead;
        assert.equal(overwritten.filter((hex) => hex === key).length, held ? 1 : 0, what);
        assert.throws(() => sealer.update(new Uint8Array(1)), RangeError);
        assert.throws(() => sealer.final(), RangeError);
        assert.throws(() => sealer.seal(metadata(), []), RangeError);
        sealer.destroy();
      }
    });

    it('seals only one record', () => {
      const { sealer } = session.beginCall();
      sealer.seal(metadata(), []);
      assert.throws(() => sealer.seal(metadata(), []), RangeError);
      assert.throws(() => sealer.begin(metadata()), RangeError);
    });

    it('can begin only once, and accepts no body before begin() or after final()', () => {
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

describe('RequestSealer and the length of the body', () => {
  const { session, enclave } = makeSessionPair();
  const mebibyte = new Uint8Array(1024 * 1024);
  const fifty = Array.from({ length: 50 }, () => mebibyte);
  const refused = { name: 'SessionError', code: 'request_too_large' };

  it('accepts up to 50 MiB in one call', () => {
    const record = session.beginCall().sealer.seal(metadata(), fifty);
    assert.equal(record.length, 16 + metadata().length + MAX_BODY + 16);
    assert.ok(record.length < MAX_RECORD);
    assert.equal(enclave.open(record).body.length, MAX_BODY);
    assert.throws(() => session.beginCall().sealer.seal(metadata(), [...fifty, Uint8Array.of(0)]), refused);
  });

  it('accepts up to 50 MiB streamed', () => {
    const { sealer } = session.beginCall();
    sealer.begin(metadata());
    for (const chunk of fifty) sealer.update(chunk);
    sealer.update(new Uint8Array(0));
    assert.throws(() => sealer.update(Uint8Array.of(0)), refused);
  });
});
