import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { checkProof, isChallenge, makeChallenge, prove } from '../../../src/shared/ownership.ts';
import { isRelease, isUsageRequest, makeRelease, makeUsageRequest } from '../../../src/shared/ownership.ts';
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

/** A proof with this report in it, whatever that is, by someone who has the secret. */
const proofOf = (report: unknown) => prove(SECRET, CHALLENGE, report as ProxyReport);

describe('The proof of whose proxy it is', () => {
  for (const report of [REPORT, FAILED]) {
    it(`yields the report to whoever asked and has the secret: ${report.failure?.code ?? 'no failure'}`, () => {
      assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, prove(SECRET, CHALLENGE, report)), report);
    });
  }

  it('fits into a header', () => {
    assert.match(prove(SECRET, CHALLENGE, FAILED), /^[A-Za-z0-9_.-]+$/);
  });

  it('is worth nothing under another secret', () => {
    const proof = prove(SECRET, CHALLENGE, REPORT);
    for (const other of [randomBytes(32), SECRET.subarray(1), new Uint8Array()]) {
      assert.equal(checkProof(other, CHALLENGE, PORT, proof), undefined);
    }
  });

  it('is worth nothing as the answer to another challenge', () => {
    assert.equal(checkProof(SECRET, makeChallenge(), PORT, prove(SECRET, CHALLENGE, REPORT)), undefined);
  });

  it('is worth nothing on another port: a stranger may pass the question on, but not the answer back', () => {
    const relayed = prove(SECRET, CHALLENGE, { ...REPORT, port: PORT + 1 });
    assert.equal(checkProof(SECRET, CHALLENGE, PORT, relayed), undefined);
    assert.notEqual(checkProof(SECRET, CHALLENGE, PORT + 1, relayed), undefined);
  });

  it('is worth nothing when any character of it is another', () => {
    const proof = prove(SECRET, CHALLENGE, aReport(PORT, { establishedAt: 1 }));
    for (let index = 0; index < proof.length - 1; index++) {
      const other = proof[index] === 'A' ? 'B' : 'A';
      const tampered = proof.slice(0, index) + other + proof.slice(index + 1);
      assert.equal(checkProof(SECRET, CHALLENGE, PORT, tampered), undefined, `character ${index}`);
    }
  });

  it('cannot be put together from two proofs', () => {
    const [payload] = prove(SECRET, CHALLENGE, FAILED).split('.');
    const [, code] = prove(SECRET, CHALLENGE, REPORT).split('.');
    assert.equal(checkProof(SECRET, CHALLENGE, PORT, `${String(payload)}.${String(code)}`), undefined);
  });

  it('is nothing of another form', () => {
    const proof = prove(SECRET, CHALLENGE, REPORT);
    const others = ['', '.', 'x', `${proof}=`, `${proof} `, ` ${proof}`, `${proof}\n`, `${proof}.${proof}`];
    const [payload = '', code = ''] = proof.split('.');
    for (const other of [...others, payload, `${payload}.`, `.${code}`, `${payload}.${code.slice(1)}`]) {
      assert.equal(checkProof(SECRET, CHALLENGE, PORT, other), undefined, other.slice(-20));
    }
  });

  it('yields nothing where the authentic report is of a form that this version does not know', () => {
    for (const report of [null, 7, 'x', [], {}, { ...REPORT, version: 1 }, { ...REPORT, port: String(PORT) }]) {
      assert.equal(checkProof(SECRET, CHALLENGE, PORT, proofOf(report)), undefined, JSON.stringify(report));
    }
  });

  it('yields of another version what can be understood', () => {
    const { version, port } = REPORT;
    const empty = aReport(port, { version, instance: '', backendUrl: '' });
    assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, proofOf({ version, port, colour: 'blue' })), empty);
    for (const verified of [{ kind: 'certified' }, 'verified', 7, { kind: 'verified', pcr0: 'ab' }]) {
      assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, proofOf({ version, port, verified })), empty);
    }
    for (const wrong of [{ establishedAt: 'x' }, { failure: 'x' }, { failure: {} }, { failure: { at: 1, code: 7 } }]) {
      assert.deepEqual(checkProof(SECRET, CHALLENGE, PORT, proofOf({ version, port, ...wrong })), empty);
    }
  });
});

describe('A challenge', () => {
  it('is fresh each time, and of one form', () => {
    const challenges = Array.from({ length: 100 }, makeChallenge);
    assert.equal(new Set(challenges).size, 100);
    assert.ok(challenges.every(isChallenge));
  });

  it('is nothing else', () => {
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

for (const { what, make, check, makeOther } of [
  { what: 'for the port of a proxy', make: makeRelease, check: isRelease, makeOther: makeUsageRequest },
  { what: 'to know what was used', make: makeUsageRequest, check: isUsageRequest, makeOther: makeRelease },
]) {
  describe(`The request ${what}`, () => {
    const request = make(SECRET, REPORT);

    it('is granted to those who share the secret', () => {
      assert.match(request, /^[A-Za-z0-9_-]{43}$/);
      assert.equal(check(SECRET, REPORT, request), true);
    });

    it('is for this process alone, on this port', () => {
      const fresh = { ...REPORT, instance: 'j'.repeat(43) };
      for (const report of [fresh, { ...REPORT, port: PORT + 1 }]) assert.equal(check(SECRET, report, request), false);
    });

    it('is granted to nobody else, and neither a proof nor another request is one', () => {
      const proof = prove(SECRET, REPORT.instance, REPORT).split('.')[1] ?? '';
      const others = [make(randomBytes(32), REPORT), makeOther(SECRET, REPORT), proof];
      for (const other of [...others, '', request.slice(1), `${request}A`]) {
        assert.equal(check(SECRET, REPORT, other), false, other);
      }
    });
  });
}
