import assert from 'node:assert/strict';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import { OTHER_PATH, findRoute, loggedPath, pathOf } from '../../../../src/proxy/server/routes.ts';

describe('pathOf()', () => {
  it('cuts the query off', () => {
    assert.deepEqual(['/v1/models', '/v1/models?', '/x?a=1?b', '?', ''].map(pathOf), [
      '/v1/models',
      '/v1/models',
      '/x',
      '',
      '',
    ]);
  });
});

describe('findRoute()', () => {
  it('finds the served paths with their methods', () => {
    for (const path of ['/', '/health']) assert.deepEqual(findRoute(path), { kind: 'health', allow: 'GET, HEAD' });
    assert.deepEqual(findRoute('/v1/models'), { kind: 'relayed', allow: 'GET' });
    for (const path of ['/v1/chat/completions', '/v1/embeddings']) {
      assert.deepEqual(findRoute(path), { kind: 'relayed', allow: 'POST' });
    }
  });

  it('gives the error for single models and for all other paths', () => {
    for (const path of ['/v1/models/', '/v1/models/x']) assert.equal(findRoute(path), PROXY_ERRORS.noSuchModelRoute);
    for (const path of ['', '/v1', '/health/', '/V1/models', '/v1/chat/completions/', 'constructor']) {
      assert.equal(findRoute(path), PROXY_ERRORS.noSuchPath, path);
    }
  });
});

describe('loggedPath()', () => {
  it('shows served paths only', () => {
    assert.equal(loggedPath('/v1/models'), '/v1/models');
    for (const path of ['/sk-secret', '/v1/models/x', '']) assert.equal(loggedPath(path), OTHER_PATH);
  });
});
