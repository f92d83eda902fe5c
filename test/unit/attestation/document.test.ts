import assert from 'node:assert/strict';
import { encode } from 'cborg';
import fc from 'fast-check';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { parsePayload } from '../../../src/attestation/document.ts';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import { type PayloadFields, encodePayload, payloadFields } from '../../../src/devEnclave/attestation/document.ts';
import { asBuffer, toHex } from '../../../src/shared/bytes.ts';
import { REAL_DOCUMENT, REAL_NONCE, REAL_TIME } from '../../support/realDocument.ts';

const NOW = Date.UTC(2026, 0, 15);
const FIELDS = payloadFields(createAuthority(NOW), {
  nonce: new Uint8Array(32).fill(1),
  publicKey: new Uint8Array(32).fill(2),
  userData: new Uint8Array(85).fill(3),
  timestamp: NOW,
});

function withField(name: unknown, value: unknown): PayloadFields {
  return new Map<unknown, unknown>([...FIELDS, [name, value]]) as PayloadFields;
}

function withoutField(name: string): PayloadFields {
  return new Map([...FIELDS].filter(([field]) => field !== name));
}

function accepts(fields: PayloadFields): ReturnType<typeof parsePayload> {
  return parsePayload(encodePayload(fields));
}

function refuses(fields: PayloadFields, field: string): void {
  const message = `the attestation document has no valid ${field}`;
  assert.throws(() => accepts(fields), { name: 'AttestationError', code: 'malformed_document', message });
}

const bytes = (length: number): Uint8Array => new Uint8Array(length);

describe('parsePayload()', () => {
  it('reads the payload of the real document', () => {
    const document = parsePayload(parseSignedEnvelope(REAL_DOCUMENT).payload);
    assert.equal(document.moduleId, 'i-06c79bf817127030a-enc0192d3d4945e0432');
    assert.equal(document.digest, 'SHA384');
    assert.equal(document.timestamp, REAL_TIME);
    assert.deepEqual(
      [...document.pcrs.keys()],
      Array.from({ length: 16 }, (_, index) => index),
    );
    assert.match(toHex(document.pcrs.get(0) ?? bytes(0)), /^dce04187[0-9a-f]{82}0726d0$/);
    assert.equal(document.certificate.length, 639);
    assert.deepEqual(
      document.cabundle.map(({ length }) => length),
      [533, 706, 792, 708],
    );
    assert.equal(document.publicKey?.length, 32);
    assert.equal(document.userData, undefined);
    assert.deepEqual(document.nonce, new Uint8Array(REAL_NONCE));
  });

  it('accepts maps of indefinite length, and of definite length as in 2024', () => {
    assert.deepEqual(parsePayload(encodePayload(FIELDS)), parsePayload(encode(FIELDS)));
    assert.deepEqual(parsePayload(encode(FIELDS)).nonce, bytes(32).fill(1));
  });

  it('ignores unknown fields', () => {
    assert.deepEqual(accepts(withField('region', ['eu-central-1', 1.5, new Map([['zone', null]])])), accepts(FIELDS));
  });

  it('rejects everything but a map with text keys', () => {
    for (const payload of [encode([...FIELDS]), encode(7), bytes(0), Uint8Array.of(0xbf)]) {
      assert.throws(() => parsePayload(payload), { code: 'malformed_document', message: /no valid payload/ });
    }
    refuses(withField(7, 7), 'payload');
    refuses(withField(bytes(1), 7), 'payload');
  });

  it('rejects a missing or null mandatory field', () => {
    for (const name of ['module_id', 'digest', 'timestamp', 'pcrs', 'certificate', 'cabundle']) {
      refuses(withoutField(name), name);
      refuses(withField(name, null), name);
    }
  });

  it('requires a module id of 1 to 256 printable characters', () => {
    assert.equal(accepts(withField('module_id', 'i')).moduleId, 'i');
    assert.equal(accepts(withField('module_id', 'i'.repeat(256))).moduleId, 'i'.repeat(256));
    for (const id of ['', 'i'.repeat(257), 'i-1\nfake log line', '\u001b[2J', 'i-\u00e9', bytes(4)]) {
      refuses(withField('module_id', id), 'module_id');
    }
  });

  it('requires SHA384 as the digest', () => {
    for (const digest of ['SHA256', 'sha384', 384]) refuses(withField('digest', digest), 'digest');
  });

  it('requires a positive integer as the timestamp', () => {
    assert.equal(accepts(withField('timestamp', 1)).timestamp, 1);
    for (const timestamp of [0, -1, 1.5, NaN, Infinity, 2n ** 53n, String(NOW)]) {
      refuses(withField('timestamp', timestamp), 'timestamp');
    }
  });

  it('does not take a float for the timestamp', () => {
    const float = Buffer.from('f93c00', 'hex'); // 1.0
    const payload = asBuffer(encodePayload(withField('timestamp', 0x3c00f9)));
    const integer = Buffer.from('1a003c00f9', 'hex');
    const at = payload.indexOf(integer);
    const parts = [payload.subarray(0, at), float, payload.subarray(at + integer.length)];
    assert.throws(() => parsePayload(Buffer.concat(parts)), { message: /no valid timestamp/ });
  });

  it('requires PCRs of 48 bytes with indexes 0 to 31', () => {
    const all = new Map(Array.from({ length: 32 }, (_, index) => [index, bytes(48).fill(index)]));
    assert.deepEqual(accepts(withField('pcrs', all)).pcrs, all);
    const wrong: readonly (readonly [unknown, unknown])[] = [
      [32, bytes(48)],
      [-1, bytes(48)],
      ['0', bytes(48)],
      [2n ** 60n, bytes(48)],
      [0, bytes(47)],
      [0, bytes(49)],
      [0, '0'.repeat(48)],
      [0, null],
    ];
    for (const entry of wrong) refuses(withField('pcrs', new Map([entry])), 'pcrs');
    refuses(withField('pcrs', new Map([[0.5, bytes(48)]])), 'payload');
    refuses(withField('pcrs', new Map()), 'pcrs');
    refuses(withField('pcrs', [bytes(48)]), 'pcrs');
  });

  it('requires a certificate of 1 to 1,024 bytes', () => {
    for (const length of [1, 1024])
      assert.equal(accepts(withField('certificate', bytes(length))).certificate.length, length);
    for (const value of [bytes(0), bytes(1025), 'MIIC']) refuses(withField('certificate', value), 'certificate');
  });

  it('requires a bundle of at least one certificate of 1 to 1,024 bytes each', () => {
    const bundle = [bytes(1), bytes(1024)];
    assert.deepEqual(accepts(withField('cabundle', bundle)).cabundle, bundle);
    for (const value of [[], bytes(9), [bytes(9), bytes(0)], [bytes(9), bytes(1025)], [bytes(9), 'MIIC'], [null]]) {
      refuses(withField('cabundle', value), 'cabundle');
    }
  });

  const optional = [
    ['public_key', 'publicKey', 1, 1024],
    ['user_data', 'userData', 0, 512],
    ['nonce', 'nonce', 0, 512],
  ] as const;
  for (const [name, property, min, max] of optional) {
    it(`accepts a payload without ${name}, or with ${min} to ${max} bytes of it`, () => {
      assert.equal(accepts(withoutField(name))[property], undefined);
      assert.equal(accepts(withField(name, null))[property], undefined);
      for (const length of [min, max])
        assert.deepEqual(accepts(withField(name, bytes(length)))[property], bytes(length));
      for (const value of [bytes(max + 1), 'text', 7, false]) refuses(withField(name, value), name);
    });
  }

  it('rejects an empty public key', () => {
    refuses(withField('public_key', bytes(0)), 'public_key');
  });

  it('throws only AttestationErrors for random bytes', () => {
    const payload = encodePayload(FIELDS);
    fc.assert(
      fc.property(fc.nat(payload.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = payload.map((byte, index) => (index === at ? byte ^ difference : byte));
        try {
          parsePayload(changed);
        } catch (error) {
          assert.ok(error instanceof AttestationError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
