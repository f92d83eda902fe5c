import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MAX_HISTORY_BYTES, type PcrHistory, parseHistory } from '../../../src/attestation/history.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../../src/attestation/pins.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const KEY = publicKey.export({ format: 'der', type: 'spki' });
const A = 'a'.repeat(96);
const B = 'b'.repeat(96);

function signature(text: string): string {
  return sign('sha384', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
}

const ENTRY = { PCR0: A, PCR1: '1'.repeat(96), PCR2: '2'.repeat(96), timestamp: 1743710235, signature: signature(A) };

function parse(entries: unknown): PcrHistory {
  return parseHistory(Buffer.from(JSON.stringify(entries)), 'production', KEY);
}

function isInvalid(bytes: Uint8Array, message: RegExp): void {
  assert.throws(() => parseHistory(bytes, 'production', KEY), { code: 'history_invalid', message });
}

function real(name: 'prod' | 'dev'): { readonly bytes: Uint8Array; readonly pcr0: readonly string[] } {
  const bytes = readFileSync(new URL(`../../fixtures/pcr-history-${name}.json`, import.meta.url));
  const entries = JSON.parse(bytes.toString()) as readonly { readonly PCR0: string }[];
  return { bytes, pcr0: entries.map(({ PCR0 }) => PCR0) };
}

describe('parseHistory() with the published histories', () => {
  for (const [name, environment] of [
    ['prod', 'production'],
    ['dev', 'development'],
  ] as const) {
    it(`approves each of the 134 entries of ${environment} with the pinned key`, () => {
      const { bytes, pcr0 } = real(name);
      const history = parseHistory(bytes, environment, HISTORY_VERIFICATION_KEY);
      assert.equal(pcr0.length, 134);
      assert.equal(history.environment, environment);
      for (const value of pcr0) assert.ok(history.approves(value), value);
    });
  }

  it('does not approve images or pins of the other environment, or anything under a different key', () => {
    const production = parseHistory(real('prod').bytes, 'production', HISTORY_VERIFICATION_KEY);
    for (const value of [...real('dev').pcr0, ...PINS.development.pcr0, A])
      assert.ok(!production.approves(value), value);
    const otherKey = parseHistory(real('prod').bytes, 'production', KEY);
    for (const value of real('prod').pcr0.slice(0, 9)) assert.ok(!otherKey.approves(value));
  });
});

describe('parseHistory()', () => {
  it('approves a PCR0 with a signed entry and no other', () => {
    const history = parse([ENTRY]);
    assert.ok(history.approves(A));
    assert.ok(!history.approves(B));
    assert.ok(!history.approves(A.toUpperCase()));
    assert.ok(!history.approves(''));
  });

  it('does not approve an entry whose signature is for other data', () => {
    for (const signed of [B, A.toUpperCase(), Buffer.from(A, 'hex').toString('latin1'), `${A}\n`]) {
      assert.ok(!parse([{ ...ENTRY, signature: signature(signed) }]).approves(A));
    }
    assert.ok(!parse([{ ...ENTRY, signature: Buffer.alloc(96).toString('base64') }]).approves(A));
  });

  it('approves a PCR0 with a valid entry, even if another entry for it is invalid', () => {
    const bad = { ...ENTRY, signature: signature(B) };
    assert.ok(parse([bad, ENTRY]).approves(A));
    assert.ok(parse([ENTRY, bad]).approves(A));
  });

  it('gives the first valid entry of a PCR0', () => {
    const [later, bad] = [
      { ...ENTRY, timestamp: 1843710235 },
      { ...ENTRY, signature: signature(B) },
    ];
    const history = parse([bad, ENTRY, later]);
    assert.deepEqual(history.entryOf(A), {
      pcr0: A,
      pcr1: ENTRY.PCR1,
      pcr2: ENTRY.PCR2,
      timestamp: 1743710235,
      signature: new Uint8Array(Buffer.from(ENTRY.signature, 'base64')),
    });
    assert.equal(history.entryOf(B), undefined);
    assert.equal(parse([bad]).entryOf(A), undefined);
  });

  it('requires 1 to 2,048 entries', () => {
    assert.ok(
      parse(
        Array(2048)
          .fill({ ...ENTRY, PCR0: B })
          .with(2047, ENTRY),
      ).approves(A),
    );
    for (const entries of [[], Array(2049).fill(ENTRY), {}, { 0: ENTRY, length: 1 }, null, 'text']) {
      isInvalid(Buffer.from(JSON.stringify(entries)), /1 to 2048 entries/);
    }
  });

  it('accepts at most 1 MiB', () => {
    const text = JSON.stringify([ENTRY]);
    assert.ok(parseHistory(Buffer.from(text.padEnd(1_048_576)), 'production', KEY).approves(A));
    assert.equal(MAX_HISTORY_BYTES, 1_048_576);
    isInvalid(Buffer.from(text.padEnd(1_048_577)), /longer/);
  });

  it('requires JSON in UTF-8', () => {
    const text = JSON.stringify([ENTRY]);
    for (const bytes of [Buffer.from(''), Buffer.from(text.slice(0, -1)), Buffer.from(`\ufeff${text}`)]) {
      isInvalid(bytes, /not JSON/);
    }
    isInvalid(Buffer.from(text.replace('PCR1', 'PC\u00ff1'), 'latin1'), /not JSON/);
  });

  it('requires five fields in each entry', () => {
    for (const entry of [null, 7, 'fives', [], {}]) isInvalid(Buffer.from(JSON.stringify([entry])), /has an entry/);
    for (const name of Object.keys(ENTRY)) {
      const without = Object.fromEntries(Object.entries(ENTRY).filter(([field]) => field !== name));
      isInvalid(Buffer.from(JSON.stringify([without])), /PCR|timestamp|signature/);
      isInvalid(Buffer.from(JSON.stringify([{ ...without, other: 1 }])), /PCR|timestamp|signature/);
    }
  });

  it('ignores further fields, which the signature does not cover', () => {
    for (const more of [{ PCR3: B }, { PCR8: null, note: { nested: [1] } }, { approves: B }]) {
      const history = parse([{ ...ENTRY, ...more }]);
      assert.ok(history.approves(A));
      assert.ok(!history.approves(B));
    }
    assert.ok(parse([ENTRY, { ...ENTRY, PCR3: B }]).approves(A));
  });

  it('requires PCRs of 96 lower-case hex digits', () => {
    for (const name of ['PCR0', 'PCR1', 'PCR2']) {
      for (const value of [A.slice(1), `${A}a`, A.toUpperCase(), 'g'.repeat(96), `${A.slice(1)}\n`, 7, null]) {
        isInvalid(Buffer.from(JSON.stringify([{ ...ENTRY, [name]: value }])), /PCR that is not/);
      }
    }
  });

  it('requires integer timestamps', () => {
    for (const timestamp of ['1743710235', 1.5, null, 2 ** 60]) {
      isInvalid(Buffer.from(JSON.stringify([{ ...ENTRY, timestamp }])), /timestamp/);
    }
  });

  it('requires signatures of 96 bytes in canonical Base64', () => {
    const url = Buffer.alloc(96, 0xff).toString('base64url');
    const der = sign('sha384', Buffer.from(A), privateKey).toString('base64');
    for (const value of [der, url, `${ENTRY.signature}\n`, Buffer.alloc(95).toString('base64'), '', 7, null]) {
      isInvalid(Buffer.from(JSON.stringify([{ ...ENTRY, signature: value }])), /signature of 96 bytes/);
    }
  });
});
