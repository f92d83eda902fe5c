import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import {
  authenticateChallenge,
  checkProof,
  isChallenge,
  isFromWindow,
  isRequest,
  makeChallenge,
  makeRequest,
  openReport,
  prove,
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

/** An authentic proof of any value as the report. */
const proofOf = (report: unknown) => prove(SECRET, CHALLENGE, report as ProxyReport);

describe('prove() and checkProof()', () => {
  for (const report of [REPORT, FAILED]) {
    it(`give the report to a window that shares the secret: ${report.failure?.code ?? 'no failure'}`, () => {
      assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, prove(SECRET, CHALLENGE, report)), report);
    });
  }

  it('make a proof that fits into a header', () => {
    assert.match(prove(SECRET, CHALLENGE, FAILED), /^[A-Za-z0-9_.-]+$/);
  });

  it('refuse a proof with another secret', () => {
    const proof = prove(SECRET, CHALLENGE, REPORT);
    for (const other of [randomBytes(32), SECRET.subarray(1), new Uint8Array()]) {
      assert.equal(checkProof(other, CHALLENGE, PORT, proof), undefined);
    }
  });

  it('refuse a proof for another challenge', () => {
    assert.equal(checkProof(SECRET, makeChallenge(), PORT, prove(SECRET, CHALLENGE, REPORT)), undefined);
  });

  it('refuse a proof for another port, so that a foreign program cannot relay it', () => {
    const relayed = prove(SECRET, CHALLENGE, { ...REPORT, port: PORT + 1 });
    assert.equal(checkProof(SECRET, CHALLENGE, PORT, relayed), undefined);
    assert.notEqual(checkProof(SECRET, CHALLENGE, PORT + 1, relayed), undefined);
  });

  it('refuse a proof with any changed character', () => {
    const proof = prove(SECRET, CHALLENGE, aReport(PORT, { establishedAt: 1 }));
    for (let index = 0; index < proof.length - 1; index++) {
      const other = proof[index] === 'A' ? 'B' : 'A';
      const tampered = proof.slice(0, index) + other + proof.slice(index + 1);
      assert.equal(checkProof(SECRET, CHALLENGE, PORT, tampered), undefined, `character ${index}`);
    }
  });

  it('refuse a combination of two proofs', () => {
    const [payload] = prove(SECRET, CHALLENGE, FAILED).split('.');
    const [, code] = prove(SECRET, CHALLENGE, REPORT).split('.');
    assert.equal(checkProof(SECRET, CHALLENGE, PORT, `${String(payload)}.${String(code)}`), undefined);
  });

  it('refuse every other form', () => {
    const proof = prove(SECRET, CHALLENGE, REPORT);
    const others = ['', '.', 'x', `${proof}=`, `${proof} `, ` ${proof}`, `${proof}\n`, `${proof}.${proof}`];
    const [payload = '', code = ''] = proof.split('.');
    for (const other of [...others, payload, `${payload}.`, `.${code}`, `${payload}.${code.slice(1)}`]) {
      assert.equal(checkProof(SECRET, CHALLENGE, PORT, other), undefined, other.slice(-20));
    }
  });

  it('refuse an authentic report of an unknown shape', () => {
    for (const report of [null, 7, 'x', [], {}, { ...REPORT, version: 1 }, { ...REPORT, port: String(PORT) }]) {
      assert.equal(checkProof(SECRET, CHALLENGE, PORT, proofOf(report)), undefined, JSON.stringify(report));
    }
  });

  it('read the known fields in a report of another version', () => {
    const { version, port } = REPORT;
    const empty = aReport(port, { version, protocol: 1, instance: '', backendUrl: '' });
    assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, proofOf({ version, port, colour: 'blue' })), empty);
    for (const verified of [{ kind: 'certified' }, 'verified', 7, { kind: 'verified', pcr0: 'ab' }]) {
      assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, proofOf({ version, port, verified })), empty);
    }
    for (const wrong of [{ establishedAt: 'x' }, { failure: 'x' }, { failure: {} }, { failure: { at: 1, code: 7 } }]) {
      assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, proofOf({ version, port, ...wrong })), empty);
    }
  });
});

describe('sealReport() and openReport()', () => {
  const sealed = sealReport(SECRET, CHALLENGE, FAILED);

  it('give the report to a window that shares the secret, and the challenge and the port', () => {
    assert.match(sealed, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(openReport(SECRET, CHALLENGE, PORT, sealed), FAILED);
    for (const other of [randomBytes(32), SECRET.subarray(1), new Uint8Array()])
      assert.equal(openReport(other, CHALLENGE, PORT, sealed), undefined);
    assert.equal(openReport(SECRET, makeChallenge(), PORT, sealed), undefined);
    assert.equal(openReport(SECRET, CHALLENGE, PORT + 1, sealed), undefined);
  });

  it('hide the report, also where the same challenge is answered again', () => {
    const again = sealReport(SECRET, CHALLENGE, FAILED);
    assert.notEqual(again, sealed);
    for (const text of [sealed, again])
      assert.ok(!Buffer.from(text, 'base64url').toString('latin1').includes(FAILED.backendUrl));
  });

  it('refuse any changed, missing or further character', () => {
    for (let index = 0; index < sealed.length; index++) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const tampered = sealed.slice(0, index) + other + sealed.slice(index + 1);
      const isSame = Buffer.from(tampered, 'base64url').equals(Buffer.from(sealed, 'base64url')); // unused bits at the end
      if (!isSame) assert.equal(openReport(SECRET, CHALLENGE, PORT, tampered), undefined, `character ${index}`);
    }
    for (const text of ['', 'A', 'A'.repeat(37), sealed.slice(4), sealed.slice(0, -4), `${sealed}AAAA`, `${sealed}=`])
      assert.equal(openReport(SECRET, CHALLENGE, PORT, text), undefined, text.slice(-20));
  });

  it('refuse a proof, and an authentic report of an unknown shape', () => {
    assert.equal(openReport(SECRET, CHALLENGE, PORT, prove(SECRET, CHALLENGE, REPORT)), undefined);
    for (const port of [String(PORT), PORT + 1]) {
      const report = { ...REPORT, port } as unknown as ProxyReport;
      assert.equal(openReport(SECRET, CHALLENGE, PORT, sealReport(SECRET, CHALLENGE, report)), undefined);
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

    it(`refuse ${kind} requests with another secret, requests of another kind, and proofs`, () => {
      const proof = prove(SECRET, REPORT.instance, REPORT).split('.')[1] ?? '';
      const others = [makeRequest(kind, randomBytes(32), REPORT), makeRequest(otherKind, SECRET, REPORT), proof];
      for (const other of [...others, '', request.slice(1), `${request}A`]) {
        assert.equal(isRequest(kind, SECRET, REPORT, other), false, other);
      }
    });
  }
});
