import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { watchConnection } from '../../../../src/proxy/backend/connectionReport.ts';
import type { ConnectionWatch } from '../../../../src/proxy/backend/connectionReport.ts';
import type { AttestationSummary } from '../../../../src/shared/messages.ts';

const FIRST: AttestationSummary = { kind: 'development', moduleId: 'i-1' };
const SECOND: AttestationSummary = { kind: 'development', moduleId: 'i-2' };
const NETWORK = { code: 'network', detail: 'ECONNRESET', message: 'It broke' };
const CLOCK = { code: 'attestation_refused', detail: 'clock', message: 'It was refused' };
const BROKEN = { code: 'truncated', detail: null, message: 'It ended' };
const KEY_REFUSED = { code: 'key_refused', detail: null, message: 'Refused' };

describe('watchConnection()', () => {
  let events: unknown[];
  let watched: ConnectionWatch;

  beforeEach(() => {
    mock.timers.enable({ apis: ['Date'], now: 1000 });
    events = [];
    watched = watchConnection((event) => events.push(event));
  });

  const later = () => {
    mock.timers.tick(1000);
  };
  const verified = (summary: AttestationSummary) => {
    watched.onEvent({ type: 'verified', verified: summary, establishedAt: Date.now() });
  };
  const lost = () => {
    watched.onEvent({ type: 'sessionLost', reason: 'rejected' });
  };
  const failed = (failure: typeof NETWORK) => {
    watched.onEvent({ type: 'handshakeFailed', ...failure });
  };

  /** The part of the state that comes from handshakes. */
  const handshakes = () => {
    const { verified, establishedAt, failure } = watched.current();
    return { verified, establishedAt, failure };
  };

  it('begins with an empty state', () => {
    const { instance, ...rest } = watched.current();
    assert.match(instance, /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(rest, {
      verified: null,
      establishedAt: null,
      newImage: null,
      failure: null,
      requestFailure: null,
      servedAt: null,
    });
  });

  it('keeps its random instance id, and has another for each watch', () => {
    const { instance } = watched.current();
    verified(FIRST);
    lost();
    failed(NETWORK);
    watched.outcome(BROKEN);
    watched.outcome(null);
    assert.equal(watched.current().instance, instance);
    assert.notEqual(watchConnection(() => undefined).current().instance, instance);
  });

  it('keeps the result and the time of the last handshake', () => {
    verified(FIRST);
    assert.deepEqual(handshakes(), { verified: FIRST, establishedAt: 1000, failure: null });
    later();
    verified(SECOND);
    assert.deepEqual(handshakes(), { verified: SECOND, establishedAt: 2000, failure: null });
  });

  it('keeps the failure of the last handshake until one succeeds', () => {
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

  it('keeps the result of a live session while renewals fail', () => {
    verified(FIRST);
    for (const at of [2000, 3000]) {
      later();
      failed(NETWORK);
      const failure = { at, code: 'network', detail: 'ECONNRESET', message: 'It broke' };
      assert.deepEqual(handshakes(), { verified: FIRST, establishedAt: 1000, failure });
    }
  });

  it('keeps the result of a lost session until the next handshake fails', () => {
    verified(FIRST);
    lost();
    assert.deepEqual(handshakes(), { verified: FIRST, establishedAt: 1000, failure: null });
    later();
    failed(NETWORK);
    const { verified: summary, establishedAt, failure } = handshakes();
    assert.deepEqual([summary, establishedAt, failure?.at], [null, null, 2000]);
    verified(SECOND);
    failed(NETWORK);
    assert.equal(handshakes().verified, SECOND); // a session is live again
  });

  it('keeps the result of a session that is lost after a failed renewal, until the next failure', () => {
    verified(FIRST);
    failed(NETWORK);
    lost();
    assert.equal(handshakes().verified, FIRST);
    failed(NETWORK);
    assert.equal(handshakes().verified, null);
  });

  it('keeps the last success and the last failure of requests independently', () => {
    const requests = () => {
      const { requestFailure, servedAt } = watched.current();
      return { requestFailure, servedAt };
    };
    watched.outcome(null);
    assert.deepEqual(requests(), { requestFailure: null, servedAt: 1000 });
    later();
    watched.outcome(BROKEN);
    assert.deepEqual(requests(), { requestFailure: { at: 2000, ...BROKEN }, servedAt: 1000 });
    later();
    watched.outcome(KEY_REFUSED);
    assert.deepEqual(requests(), { requestFailure: { at: 3000, ...KEY_REFUSED }, servedAt: 1000 });
    later();
    watched.outcome(null);
    assert.deepEqual(requests(), { requestFailure: { at: 3000, ...KEY_REFUSED }, servedAt: 4000 });
  });

  it('does not mix handshakes with relayed requests', () => {
    verified(FIRST);
    failed(NETWORK);
    const before = handshakes();
    watched.outcome(BROKEN);
    watched.outcome(null);
    assert.deepEqual(handshakes(), before);
    const { requestFailure, servedAt } = watched.current();
    later();
    lost();
    failed(CLOCK);
    verified(SECOND);
    assert.deepEqual([watched.current().requestFailure, watched.current().servedAt], [requestFailure, servedAt]);
  });

  it('returns a state that later events do not change', () => {
    const before = watched.current();
    verified(FIRST);
    watched.outcome(BROKEN);
    assert.deepEqual([before.verified, before.requestFailure], [null, null]);
  });

  it('passes every event on', () => {
    verified(FIRST);
    failed(NETWORK);
    lost();
    assert.deepEqual(events, [
      { type: 'verified', verified: FIRST, establishedAt: 1000 },
      { type: 'handshakeFailed', ...NETWORK },
      { type: 'sessionLost', reason: 'rejected' },
    ]);
  });

  it('changes the state before it passes the event on', () => {
    const seen: unknown[] = [];
    watched = watchConnection(() => {
      const { verified: summary, failure, requestFailure } = watched.current();
      seen.push([summary, failure?.code, requestFailure?.code]);
    });
    verified(FIRST);
    failed(NETWORK);
    watched.outcome(BROKEN);
    assert.deepEqual(seen, [
      [FIRST, undefined, undefined],
      [FIRST, 'network', undefined],
      [FIRST, 'network', 'truncated'],
    ]);
  });

  it('reports when requests begin to fail and when they succeed again, and nothing in between', () => {
    for (const failure of [null, null, BROKEN, KEY_REFUSED, BROKEN, null, null, BROKEN]) watched.outcome(failure);
    assert.deepEqual(events, [
      { type: 'outcomeChanged', success: false },
      { type: 'outcomeChanged', success: true },
      { type: 'outcomeChanged', success: false },
    ]);
  });

  it('names an image that needs consent, until a session is made', () => {
    const image = { pcr0: 'ab'.repeat(48), approvedBy: 'history', listedSince: 7, refused: false } as const;
    verified(FIRST);
    watched.onEvent({ type: 'confirmImage', image });
    assert.deepEqual(watched.current().newImage, image);
    failed({ ...NETWORK, code: 'image_unconfirmed' });
    assert.deepEqual(watched.current().newImage, image);
    verified(SECOND);
    assert.equal(watched.current().newImage, null);
    assert.deepEqual(events[1], { type: 'confirmImage', image });
  });
});
