import assert from 'node:assert/strict';
import { DIALECT_ERRORS, PROXY_ERRORS, noDialectPath } from '../../../../src/proxy/http/openaiErrors.ts';
import { OTHER_PATH, findDialect, findRoute, loggedPath, pathOf } from '../../../../src/proxy/server/routes.ts';

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

  it('finds the paths of the dialects with their tasks', () => {
    for (const [path, allow, dialect, task] of [
      ['/anthropic/v1/messages', 'POST', 'messages', { name: 'reply' }],
      ['/anthropic/v1/messages/count_tokens', 'POST', 'messages', { name: 'count' }],
      ['/anthropic/v1/models', 'GET', 'messages', { name: 'listModels' }],
      ['/anthropic/v1/models/openai%2Fgpt', 'GET', 'messages', { name: 'describeModel', model: 'openai/gpt' }],
      ['/anthropic/v1/models/100%', 'GET', 'messages', { name: 'describeModel', model: '100%' }],
      ['/responses/v1/responses', 'POST', 'responses', { name: 'reply' }],
      ['/responses/v1/responses/input_tokens', 'POST', 'responses', { name: 'count' }],
      ['/responses/v1/models', 'GET', 'responses', { name: 'listModels' }],
      ['/responses/v1/models/a/b', 'GET', 'responses', { name: 'describeModel', model: 'a/b' }],
    ] as const) {
      assert.deepEqual(findRoute(path), { kind: 'dialect', allow, dialect, task }, path);
    }
  });

  it('gives the error for all other paths of the dialects', () => {
    assert.equal(findRoute('/responses/v1/responses/compact'), DIALECT_ERRORS.noCompaction);
    for (const path of [
      '/anthropic/',
      '/anthropic/v1/models/',
      '/anthropic/v1/responses',
      '/anthropic/v1/constructor',
    ]) {
      assert.deepEqual(findRoute(path), noDialectPath('messages'), path);
    }
    assert.deepEqual(findRoute('/anthropic'), noDialectPath('messages'));
    for (const path of ['/responses', '/responses/v1/messages'])
      assert.deepEqual(findRoute(path), noDialectPath('responses'), path);
    for (const path of ['/anthropics', '/responses.json']) assert.equal(findRoute(path), PROXY_ERRORS.noSuchPath, path);
  });

  it('names the base URL for Messages if a client uses another one', () => {
    for (const path of ['/v1/messages', '/v1/messages/count_tokens', '/v1/v1/messages']) {
      assert.equal(findRoute(path), DIALECT_ERRORS.messagesElsewhere, path);
    }
    for (const path of ['/v1/messagesx', '/v1/v1/v1/messages', '/v1/responses', '/messages']) {
      assert.equal(findRoute(path), PROXY_ERRORS.noSuchPath, path);
    }
  });

  it('names both base URLs for Messages, because not every client adds /v1', () => {
    for (const path of ['/anthropic/messages', '/anthropic/v1/v1/messages', '/v1/messages']) {
      const route = findRoute(path);
      assert.ok('message' in route, path);
      assert.match(
        route.message,
        /must end with \/anthropic, or with \/anthropic\/v1 if the client does not add \/v1 itself/,
      );
    }
  });

  it('gives the error for single models and for all other paths', () => {
    for (const path of ['/v1/models/', '/v1/models/x']) assert.equal(findRoute(path), PROXY_ERRORS.noSuchModelRoute);
    for (const path of ['', '/v1', '/health/', '/V1/models', '/v1/chat/completions/', 'constructor']) {
      assert.equal(findRoute(path), PROXY_ERRORS.noSuchPath, path);
    }
  });
});

describe('findDialect()', () => {
  it('finds the dialect of all paths in its folder', () => {
    const paths = ['/anthropic/x', '/anthropic/v1/messages', '/responses/', '/anthropic', '/v1/responses', ''];
    const [messages, responses] = ['messages', 'responses'];
    assert.deepEqual(paths.map(findDialect), [messages, messages, responses, messages, undefined, undefined]);
  });
});

describe('loggedPath()', () => {
  it('hides the ID of a model', () => {
    for (const path of ['/anthropic/v1/messages', '/responses/v1/models', '/responses/v1/responses/compact']) {
      assert.equal(loggedPath(path), path);
    }
    assert.equal(loggedPath('/anthropic/v1/models/sk-secret'), '/anthropic/v1/models/{id}');
    assert.equal(loggedPath('/anthropic/v1/sk-secret'), OTHER_PATH);
  });

  it('shows served paths only', () => {
    assert.equal(loggedPath('/v1/models'), '/v1/models');
    for (const path of ['/sk-secret', '/v1/models/x', '']) assert.equal(loggedPath(path), OTHER_PATH);
  });
});
