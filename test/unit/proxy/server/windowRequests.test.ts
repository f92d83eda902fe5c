import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { proofFor, windowRequest } from '../../../../src/proxy/server/windowRequests.ts';
import {
  CHALLENGE_HEADER,
  PROOF_HEADER,
  REQUEST_HEADERS,
  checkProof,
  makeChallenge,
  makeRequest,
} from '../../../../src/shared/ownership.ts';
import { aReport } from '../../../support/reports.ts';

const SECRET = randomBytes(32);
const REPORT = aReport(14114);
const OWN = { secret: SECRET, report: () => REPORT };
const WITHOUT_SECRET = { ...OWN, secret: null };

describe('windowRequest()', () => {
  const release = [REQUEST_HEADERS.release, makeRequest('release', SECRET, REPORT)];
  const usage = [REQUEST_HEADERS.usage, makeRequest('usage', SECRET, REPORT)];

  it('recognizes a POST that asks for the port and a GET that asks for the usage', () => {
    assert.equal(windowRequest('POST', release, OWN), 'release');
    assert.equal(windowRequest('GET', usage, OWN), 'usage');
  });

  it('ignores other methods, repeated headers and requests that were made with another secret', () => {
    for (const [method, raw] of [
      ['GET', release],
      ['POST', usage],
      ['POST', [...release, ...release]],
      ['GET', [...usage, ...usage]],
      ['POST', [REQUEST_HEADERS.release, makeRequest('release', randomBytes(32), REPORT)]],
      ['GET', [REQUEST_HEADERS.usage, makeRequest('usage', randomBytes(32), REPORT)]],
      ['POST', []],
    ] as const) {
      assert.equal(windowRequest(method, raw, OWN), undefined);
    }
  });

  it('ignores every request if the proxy has no secret', () => {
    assert.equal(windowRequest('POST', release, WITHOUT_SECRET), undefined);
    assert.equal(windowRequest('GET', usage, WITHOUT_SECRET), undefined);
  });
});

describe('proofFor()', () => {
  const challenge = makeChallenge();

  it('answers a challenge with a header that proves the report', () => {
    const [name, proof = ''] = proofFor([CHALLENGE_HEADER, challenge], OWN);
    assert.equal(name, PROOF_HEADER);
    assert.deepEqual(checkProof(SECRET, challenge, 14114, proof), REPORT);
  });

  it('is empty without a valid challenge or without a secret', () => {
    for (const raw of [[], [CHALLENGE_HEADER, 'x'], [CHALLENGE_HEADER, challenge, CHALLENGE_HEADER, challenge]]) {
      assert.deepEqual(proofFor(raw, OWN), []);
    }
    assert.deepEqual(proofFor([CHALLENGE_HEADER, challenge], WITHOUT_SECRET), []);
  });
});
