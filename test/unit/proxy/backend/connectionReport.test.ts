import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { AttestationError } from '../../../../src/attestation/errors.ts';
import { watchConnection } from '../../../../src/proxy/backend/connectionReport.ts';
import type { ConnectionWatch } from '../../../../src/proxy/backend/connectionReport.ts';
import { SessionError } from '../../../../src/session/errors.ts';
import type { AttestationSummary } from '../../../../src/shared/messages.ts';

const FIRST: AttestationSummary = { kind: 'development', moduleId: 'i-1' };
const SECOND: AttestationSummary = { kind: 'development', moduleId: 'i-2' };
const NETWORK = new SessionError('network', 'It broke', { cause: { code: 'ECONNRESET' } });
const CLOCK = new SessionError('attestation_refused', 'It was refused', {
  cause: new AttestationError('certificate_expired', 'x', { clockSkewMs: 90_000 }),
});
const TROUBLE = { code: 'truncated', detail: null, message: 'It ended' };
const KEY_REFUSED = { code: 'key_refused', detail: null, message: 'It does not count' };

describe('How the connection stands', () => {
  let told: unknown[];
  let watched: ConnectionWatch;

  beforeEach(() => {
    mock.timers.enable({ apis: ['Date'], now: 1000 });
    told = [];
    watched = watchConnection({
      verified: (verified) => told.push(['verified', verified]),
      sessionLost: (reason) => told.push(['sessionLost', reason]),
      handshakeFailed: (error) => told.push(['handshakeFailed', error]),
      outcomeChanged: (well) => told.push(['outcomeChanged', well]),
    });
  });

  afterEach(() => {
    mock.timers.reset();
  });

  const later = () => {
    mock.timers.tick(1000);
  };
  const verified = (what: AttestationSummary) => watched.events.verified?.(what);
  const lost = () => watched.events.sessionLost?.('rejected');
  const failed = (error: SessionError) => watched.events.handshakeFailed?.(error);

  /** That of the handshakes alone. */
  const handshakes = () => {
    const { verified, establishedAt, failure } = watched.current();
    return { verified, establishedAt, failure };
  };

  it('is unknown before anything has come', () => {
    const { instance, ...rest } = watched.current();
    assert.match(instance, /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(rest, { verified: null, establishedAt: null, failure: null, requestFailure: null, servedAt: null });
  });

  it('is of one instance for as long as it is watched, and of another for each watch', () => {
    const { instance } = watched.current();
    verified(FIRST);
    lost();
    failed(NETWORK);
    watched.outcome(TROUBLE);
    watched.outcome(null);
    assert.equal(watched.current().instance, instance);
    assert.notEqual(watchConnection({}).current().instance, instance);
  });

  it('is what the last handshake proved, and since when', () => {
    verified(FIRST);
    assert.deepEqual(handshakes(), { verified: FIRST, establishedAt: 1000, failure: null });
    later();
    verified(SECOND);
    assert.deepEqual(handshakes(), { verified: SECOND, establishedAt: 2000, failure: null });
  });

  it('is why the last handshake failed, as the log says it, until one succeeds', () => {
    failed(NETWORK);
    const first = { at: 1000, code: 'network', detail: 'ECONNRESET', message: 'It broke' };
    assert.deepEqual(handshakes(), { verified: null, establishedAt: null, failure: first });
    later();
    failed(CLOCK);
    const second = { at: 2000, code: 'attestation_refused', detail: 'clock', message: 'It was refused' };
    assert.deepEqual(handshakes(), { verified: null, establishedAt: null, failure: second });
    later();
    verified(FIRST);
    assert.deepEqual(handshakes(), { verified: FIRST, establishedAt: 3000, failure: null });
  });

  it('keeps what was proved while a session stands and its renewal fails, again and again', () => {
    verified(FIRST);
    for (const at of [2000, 3000]) {
      later();
      failed(NETWORK);
      const failure = { at, code: 'network', detail: 'ECONNRESET', message: 'It broke' };
      assert.deepEqual(handshakes(), { verified: FIRST, establishedAt: 1000, failure });
    }
  });

  it('keeps what was proved when the session is lost, and nothing of it when the next handshake fails', () => {
    verified(FIRST);
    lost();
    assert.deepEqual(handshakes(), { verified: FIRST, establishedAt: 1000, failure: null });
    later();
    failed(NETWORK);
    const { verified: proved, establishedAt, failure } = handshakes();
    assert.deepEqual([proved, establishedAt, failure?.at], [null, null, 2000]);
    verified(SECOND);
    failed(NETWORK);
    assert.equal(handshakes().verified, SECOND); // a session stands again
  });

  it('takes nothing back when a session is lost after its renewal has failed, until the next failure', () => {
    verified(FIRST);
    failed(NETWORK);
    lost();
    assert.equal(handshakes().verified, FIRST);
    failed(NETWORK);
    assert.equal(handshakes().verified, null);
  });

  it('is when a relayed request last went well and why one last did not, neither undoing the other', () => {
    const exchanges = () => {
      const { requestFailure: trouble, servedAt } = watched.current();
      return { trouble, servedAt };
    };
    watched.outcome(null);
    assert.deepEqual(exchanges(), { trouble: null, servedAt: 1000 });
    later();
    watched.outcome(TROUBLE);
    assert.deepEqual(exchanges(), { trouble: { at: 2000, ...TROUBLE }, servedAt: 1000 });
    later();
    watched.outcome(KEY_REFUSED);
    assert.deepEqual(exchanges(), { trouble: { at: 3000, ...KEY_REFUSED }, servedAt: 1000 });
    later();
    watched.outcome(null);
    assert.deepEqual(exchanges(), { trouble: { at: 3000, ...KEY_REFUSED }, servedAt: 4000 });
  });

  it('has handshakes and relayed requests apart', () => {
    verified(FIRST);
    failed(NETWORK);
    const before = handshakes();
    watched.outcome(TROUBLE);
    watched.outcome(null);
    assert.deepEqual(handshakes(), before);
    const { requestFailure: trouble, servedAt } = watched.current();
    later();
    lost();
    failed(CLOCK);
    verified(SECOND);
    assert.deepEqual([watched.current().requestFailure, watched.current().servedAt], [trouble, servedAt]);
  });

  it('was handed out as it stood: what comes later does not change it', () => {
    const before = watched.current();
    verified(FIRST);
    watched.outcome(TROUBLE);
    assert.deepEqual([before.verified, before.requestFailure], [null, null]);
  });

  it('is passed on event by event', () => {
    verified(FIRST);
    failed(NETWORK);
    lost();
    assert.deepEqual(told, [
      ['verified', FIRST],
      ['handshakeFailed', NETWORK],
      ['sessionLost', 'rejected'],
    ]);
  });

  it('is passed on after it has changed, so that who hears of it reads what it has become', () => {
    const seen: unknown[] = [];
    const other = watchConnection({
      verified: () => seen.push(other.current().verified),
      handshakeFailed: () => seen.push(other.current().failure?.code),
      outcomeChanged: () => seen.push(other.current().requestFailure?.code),
    });
    other.events.verified?.(FIRST);
    other.events.handshakeFailed?.(NETWORK);
    other.outcome(TROUBLE);
    assert.deepEqual(seen, [FIRST, 'network', 'truncated']);
  });

  it('is told when requests begin to fail and when they go well again, and not in between', () => {
    for (const trouble of [null, null, TROUBLE, KEY_REFUSED, TROUBLE, null, null, TROUBLE]) watched.outcome(trouble);
    assert.deepEqual(told, [
      ['outcomeChanged', false],
      ['outcomeChanged', true],
      ['outcomeChanged', false],
    ]);
  });

  it('is watched for nobody as well', () => {
    const alone = watchConnection({});
    alone.events.verified?.(FIRST);
    alone.events.handshakeFailed?.(NETWORK);
    alone.events.sessionLost?.('expired');
    alone.outcome(TROUBLE);
    assert.deepEqual([alone.current().verified, alone.current().requestFailure?.code], [FIRST, 'truncated']);
  });
});
