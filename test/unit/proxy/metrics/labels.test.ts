import assert from 'node:assert/strict';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import {
  HANDSHAKE_RESULTS,
  clientLabel,
  errorLabel,
  handshakeResult,
  modelLabel,
  operationOf,
  statusLabel,
} from '../../../../src/proxy/metrics/labels.ts';

const KEY = `sealed-${'A'.repeat(43)}`;

describe('clientLabel()', () => {
  it('knows the clients with a name, those with a key of their own, and those without a key', () => {
    const names = new Set(['alice']);
    for (const known of ['alice', 'direct', 'none']) assert.equal(clientLabel(known, names), known);
    for (const other of ['bob', 'Alice', '', KEY, '0123456789abcdef']) assert.equal(clientLabel(other, names), 'other');
  });
});

describe('modelLabel()', () => {
  const isKnown = (model: string) => ['glm-5-2', 'a\nb', 'gemma4-31b'].includes(model);
  const label = (model: string | null, requestedModel: string | null) => modelLabel({ model, requestedModel }, isKnown);

  it('is the model of the response, or else that of the request, if the backend offers it', () => {
    assert.equal(label('glm-5-2', 'gemma4-31b'), 'glm-5-2');
    assert.equal(label('glm-5-2', 'claude'), 'glm-5-2');
    assert.equal(label('glm-5-2-0815', 'glm-5-2'), 'glm-5-2');
    assert.equal(label(null, 'glm-5-2'), 'glm-5-2');
  });

  it('is "other" for a name that the backend does not offer, and "none" without a name', () => {
    assert.equal(label('claude', 'claude'), 'other');
    assert.equal(label(null, KEY), 'other');
    assert.equal(label(null, 'a\nb'), 'other', 'not the ID of a model');
    assert.equal(label(null, null), 'none');
  });
});

describe('statusLabel()', () => {
  it('is a status of HTTP, or nothing without a response', () => {
    assert.deepEqual([100, 200, 503, 599].map(statusLabel), ['100', '200', '503', '599']);
    assert.deepEqual([0, 99, 600, 1.5].map(statusLabel), [undefined, 'other', 'other', 'other']);
  });
});

describe('errorLabel()', () => {
  const label = (facts: Partial<Parameters<typeof errorLabel>[0]>) =>
    errorLabel({ outcome: 'broken', reason: null, end: 'complete', status: 0, ...facts });

  it('is left out for a success, and for a client that has gone', () => {
    assert.equal(label({ outcome: 'answered', status: 200 }), undefined);
    assert.equal(label({ outcome: 'cancelled', end: 'client-gone' }), undefined);
  });

  it('is the status that the backend sent', () => {
    assert.equal(label({ outcome: 'failed', status: 429 }), '429');
  });

  it('is the code of what broke the response', () => {
    for (const code of ['truncated', 'network', 'timeout', 'shutdown', 'read_timeout']) {
      assert.equal(label({ end: code, status: 200 }), code);
    }
    assert.equal(label({ end: KEY }), 'other');
    assert.equal(label({ end: 'toString' }), 'other');
  });

  it('is why the proxy refused the request', () => {
    for (const error of Object.values(PROXY_ERRORS)) {
      if ('reason' in error)
        assert.equal(label({ outcome: 'refused', reason: error.reason, status: 401 }), error.reason);
    }
    for (const reason of ['expired_access_key', 'requests_limit', 'tokens_limit']) {
      assert.equal(label({ outcome: 'refused', reason, status: 429 }), reason);
    }
    assert.equal(label({ outcome: 'refused', end: 'model_not_allowed', status: 403 }), 'model_not_allowed');
    assert.equal(label({ outcome: 'refused', end: 'body_too_large', status: 413 }), 'body_too_large');
    assert.equal(label({ outcome: 'refused', status: 403 }), '403');
    assert.equal(label({ outcome: 'refused', reason: KEY, status: 401 }), '401');
  });
});

describe('handshakeResult()', () => {
  it('is a known code', () => {
    assert.equal(handshakeResult('attestation_refused'), 'attestation_refused');
    assert.equal(handshakeResult('something'), 'other');
    assert.equal(new Set(HANDSHAKE_RESULTS).size, HANDSHAKE_RESULTS.length);
    assert.ok(HANDSHAKE_RESULTS.includes('success'));
  });
});

describe('operationOf()', () => {
  it('knows the routes that ask a model', () => {
    for (const route of ['/v1/chat/completions', '/anthropic/v1/messages', '/responses/v1/responses']) {
      assert.equal(operationOf(route), 'chat');
    }
    assert.equal(operationOf('/v1/embeddings'), 'embeddings');
    for (const route of [
      '/v1/models',
      '/anthropic/v1/messages/count_tokens',
      '/anthropic/v1/models/{id}',
      'other',
      '*',
    ]) {
      assert.equal(operationOf(route), undefined);
    }
  });
});
