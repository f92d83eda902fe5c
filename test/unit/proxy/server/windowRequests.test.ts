import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isCheck, proofFor, windowRequest } from '../../../../src/proxy/server/windowRequests.ts';
import {
  CHALLENGE_HEADER,
  REPORT_HEADER,
  REQUEST_HEADERS,
  WINDOW_HEADER,
  authenticateChallenge,
  makeChallenge,
  makeRequest,
  openReport,
} from '../../../../src/shared/ownership.ts';
import { aReport } from '../../../support/reports.ts';

const SECRET = randomBytes(32);
const REPORT = aReport(14114);
const OWN = { secret: SECRET, report: () => REPORT };
const WITHOUT_SECRET = { ...OWN, secret: null };

describe('windowRequest()', () => {
  const release = [REQUEST_HEADERS.release, makeRequest('release', SECRET, REPORT)];
  const activity = [REQUEST_HEADERS.activity, makeRequest('activity', SECRET, REPORT)];

  it('recognizes a POST that asks for the port and a GET that asks for the requests', () => {
    assert.equal(windowRequest('POST', release, OWN), 'release');
    assert.equal(windowRequest('GET', activity, OWN), 'activity');
  });

  it('ignores other methods, repeated headers and requests that were made with another secret', () => {
    for (const [method, raw] of [
      ['GET', release],
      ['POST', activity],
      ['POST', [...release, ...release]],
      ['GET', [...activity, ...activity]],
      ['POST', [REQUEST_HEADERS.release, makeRequest('release', randomBytes(32), REPORT)]],
      ['GET', [REQUEST_HEADERS.activity, makeRequest('activity', randomBytes(32), REPORT)]],
      ['POST', []],
      ['PUT', release],
    ] as const) {
      assert.equal(windowRequest(method, raw, OWN), undefined);
    }
  });

  it('ignores every request if the proxy has no secret', () => {
    assert.equal(windowRequest('POST', release, WITHOUT_SECRET), undefined);
    assert.equal(windowRequest('GET', activity, WITHOUT_SECRET), undefined);
  });
});

describe('isCheck()', () => {
  const check = [REQUEST_HEADERS.check, makeRequest('check', SECRET, REPORT)];

  it('recognizes a check of a window that shares the secret, which is nothing that is asked of the proxy itself', () => {
    assert.ok(isCheck(check, OWN));
    assert.equal(windowRequest('POST', check, OWN), undefined);
  });

  it('does not believe what anyone else says', () => {
    for (const raw of [
      [],
      [...check, ...check],
      [REQUEST_HEADERS.check, '1'],
      [REQUEST_HEADERS.check, makeRequest('check', randomBytes(32), REPORT)],
      [REQUEST_HEADERS.check, makeRequest('activity', SECRET, REPORT)],
    ]) {
      assert.ok(!isCheck(raw, OWN));
    }
    assert.ok(!isCheck(check, WITHOUT_SECRET));
  });
});

describe('proofFor()', () => {
  const challenge = makeChallenge();

  it('answers the challenge of a window that shares the secret with the encrypted report', () => {
    const code = authenticateChallenge(SECRET, challenge, 14114);
    const [name, sealed = ''] = proofFor([CHALLENGE_HEADER, challenge, WINDOW_HEADER, code], OWN);
    assert.equal(name, REPORT_HEADER);
    assert.deepEqual(openReport(SECRET, challenge, 14114, sealed), REPORT);
    assert.ok(!Buffer.from(sealed, 'base64url').toString('latin1').includes(REPORT.backendUrl));
  });

  it('tells any other program nothing', () => {
    for (const code of [
      [],
      [WINDOW_HEADER, 'x'],
      [WINDOW_HEADER, authenticateChallenge(randomBytes(32), challenge, 14114)],
      [WINDOW_HEADER, authenticateChallenge(SECRET, makeChallenge(), 14114)],
      [WINDOW_HEADER, authenticateChallenge(SECRET, challenge, 14115)],
    ]) {
      assert.deepEqual(proofFor([CHALLENGE_HEADER, challenge, ...code], OWN), []);
    }
  });

  it('is empty without a valid challenge or without a secret', () => {
    const codeFor = (text: string) => [WINDOW_HEADER, authenticateChallenge(SECRET, text, 14114)];
    for (const raw of [
      [],
      codeFor(''),
      [CHALLENGE_HEADER, 'x', ...codeFor('x')],
      [CHALLENGE_HEADER, challenge, CHALLENGE_HEADER, challenge, ...codeFor(challenge)],
    ]) {
      assert.deepEqual(proofFor(raw, OWN), []);
    }
    assert.deepEqual(proofFor([CHALLENGE_HEADER, challenge, ...codeFor(challenge)], WITHOUT_SECRET), []);
  });
});
