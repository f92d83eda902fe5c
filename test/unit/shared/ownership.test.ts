import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import {
  authenticateChallenge,
  isChallenge,
  isFromWindow,
  isRequest,
  makeChallenge,
  makeRequest,
  openReport,
  sealReport,
} from '../../../src/shared/ownership.ts';
import type { ProxyReport } from '../../../src/shared/ownership.ts';
import { aReport } from '../../support/reports.ts';

const SECRET = randomBytes(32);
const CHALLENGE = makeChallenge();
const PORT = 14114;
const REPORT = aReport(PORT, {
  version: '1.2.3',
  verified: { kind: 'development', moduleId: 'i-1' },
  establishedAt: 1_700_000_000_000,
  servedAt: 1_700_000_000_001,
});
const FAILED: ProxyReport = {
  ...REPORT,
  verified: null,
  establishedAt: null,
  failure: {
    at: 1,
    code: 'attestation_refused',
    detail: 'nonce_mismatch',
    message: 'The attestation was refused: “no”',
  },
  requestFailure: { at: 2, code: 'network', detail: null, message: 'It broke' },
};

/** An authentic answer with any value as the report. */
const sealed = (report: unknown) => sealReport(SECRET, CHALLENGE, { ...REPORT, toJSON: () => report } as ProxyReport);

describe('sealReport() and openReport()', () => {
  const failed = sealReport(SECRET, CHALLENGE, FAILED);

  it('give the report to a window that shares the secret, and the challenge and the port', () => {
    assert.match(failed, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(openReport(SECRET, CHALLENGE, PORT, failed), FAILED);
    for (const other of [randomBytes(32), SECRET.subarray(1), new Uint8Array()])
      assert.equal(openReport(other, CHALLENGE, PORT, failed), undefined);
    assert.equal(openReport(SECRET, makeChallenge(), PORT, failed), undefined);
    assert.equal(openReport(SECRET, CHALLENGE, PORT + 1, failed), undefined);
  });

  it('hide the report, also where the same challenge is answered again', () => {
    const again = sealReport(SECRET, CHALLENGE, FAILED);
    assert.notEqual(again, failed);
    for (const text of [failed, again])
      assert.ok(!Buffer.from(text, 'base64url').toString('latin1').includes(FAILED.backendUrl));
  });

  it('refuse any changed, missing or further character', () => {
    for (let index = 0; index < failed.length; index++) {
      const other = failed[index] === 'A' ? 'B' : 'A';
      const tampered = failed.slice(0, index) + other + failed.slice(index + 1);
      const isSame = Buffer.from(tampered, 'base64url').equals(Buffer.from(failed, 'base64url')); // unused bits at the end
      if (!isSame) assert.equal(openReport(SECRET, CHALLENGE, PORT, tampered), undefined, `character ${index}`);
    }
    for (const text of ['', 'A', 'A'.repeat(37), failed.slice(4), failed.slice(0, -4), `${failed}AAAA`, `${failed}=`])
      assert.equal(openReport(SECRET, CHALLENGE, PORT, text), undefined, text.slice(-20));
  });

  it('refuse an authentic report of an unknown shape, or of another port', () => {
    const changes = [{ version: 1 }, { protocol: undefined }, { port: String(PORT) }, { port: PORT + 1 }];
    for (const report of [null, 7, 'x', [], {}, ...changes.map((change) => ({ ...REPORT, ...change }))])
      assert.equal(openReport(SECRET, CHALLENGE, PORT, sealed(report)), undefined, JSON.stringify(report));
  });

  it('read the known fields in a report of another version', () => {
    const known = { version: '99.0.0', protocol: 3, port: PORT };
    const empty = aReport(PORT, { ...known, instance: '', backendUrl: '' });
    for (const others of [
      { colour: 'blue' },
      ...[{ kind: 'certified' }, 'verified', 7, { kind: 'verified', pcr0: 'ab' }].map((verified) => ({ verified })),
      { establishedAt: 'x' },
      ...['x', {}, { at: 1, code: 7 }].map((failure) => ({ failure })),
    ]) {
      assert.deepEqual(openReport(SECRET, CHALLENGE, PORT, sealed({ ...known, ...others })), empty);
    }
  });
});

describe('authenticateChallenge() and isFromWindow()', () => {
  const code = authenticateChallenge(SECRET, CHALLENGE, PORT);

  it('accept a challenge of a window that shares the secret', () => {
    assert.match(code, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(isFromWindow(SECRET, CHALLENGE, PORT, code), true);
  });

  it('refuse it with another secret, challenge, port or form', () => {
    assert.equal(isFromWindow(randomBytes(32), CHALLENGE, PORT, code), false);
    assert.equal(isFromWindow(SECRET, makeChallenge(), PORT, code), false);
    assert.equal(isFromWindow(SECRET, CHALLENGE, PORT + 1, code), false);
    for (const other of ['', code.slice(1), `${code}A`, `${code}=`])
      assert.equal(isFromWindow(SECRET, CHALLENGE, PORT, other), false, other);
  });
});

describe('makeChallenge() and isChallenge()', () => {
  it('make a new challenge of the same form each time', () => {
    const challenges = Array.from({ length: 100 }, makeChallenge);
    assert.equal(new Set(challenges).size, 100);
    assert.ok(challenges.every(isChallenge));
  });

  it('refuse every other form', () => {
    for (const text of [
      '',
      'x',
      CHALLENGE.slice(1),
      `${CHALLENGE}A`,
      `${CHALLENGE}=`,
      `${CHALLENGE}\n`,
      '='.repeat(43),
    ]) {
      assert.equal(isChallenge(text), false, text);
    }
  });
});

describe('makeRequest() and isRequest()', () => {
  for (const [kind, otherKind] of [
    ['release', 'activity'],
    ['activity', 'release'],
  ] as const) {
    const request = makeRequest(kind, SECRET, REPORT);

    it(`accept a ${kind} request that was made with the secret`, () => {
      assert.match(request, /^[A-Za-z0-9_-]{43}$/);
      assert.equal(isRequest(kind, SECRET, REPORT, request), true);
    });

    it(`authenticate the kind ${kind}, the process and the port`, () => {
      const text = `sealed-proxy/${kind}/v1\0${REPORT.instance}\0${PORT}`;
      assert.equal(request, createHmac('sha256', SECRET).update(text).digest('base64url'));
    });

    it(`refuse a ${kind} request for another process or port`, () => {
      const fresh = { ...REPORT, instance: 'j'.repeat(43) };
      for (const report of [fresh, { ...REPORT, port: PORT + 1 }]) {
        assert.equal(isRequest(kind, SECRET, report, request), false);
      }
    });

    it(`refuse ${kind} requests with another secret, and requests of another kind`, () => {
      const others = [makeRequest(kind, randomBytes(32), REPORT), makeRequest(otherKind, SECRET, REPORT)];
      for (const other of [...others, '', request.slice(1), `${request}A`]) {
        assert.equal(isRequest(kind, SECRET, REPORT, other), false, other);
      }
    });
  }
});
