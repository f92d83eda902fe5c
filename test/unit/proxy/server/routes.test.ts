import assert from 'node:assert/strict';
import { DIALECT_ERRORS, PROXY_ERRORS, noDialectPath } from '../../../../src/proxy/http/openaiErrors.ts';
import { OTHER_PATH, findRoute } from '../../../../src/proxy/server/routes.ts';

const routeOf = (path: string) => findRoute(path).route;

describe('findRoute()', () => {
  it('finds the served paths with their methods', () => {
    for (const path of ['/', '/health']) assert.deepEqual(routeOf(path), { kind: 'health', allow: 'GET, HEAD' });
    assert.deepEqual(routeOf('/ready'), { kind: 'ready', allow: 'GET, HEAD' });
    assert.deepEqual(routeOf('/v1/models'), { kind: 'relayed', allow: 'GET', isChat: false });
    assert.deepEqual(routeOf('/v1/chat/completions'), { kind: 'relayed', allow: 'POST', isChat: true });
    assert.deepEqual(routeOf('/v1/embeddings'), { kind: 'relayed', allow: 'POST', isChat: false });
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
      assert.deepEqual(routeOf(path), { kind: 'dialect', allow, isChat: task.name === 'reply', dialect, task }, path);
    }
  });

  it('gives the error for all other paths of the dialects', () => {
    assert.equal(routeOf('/responses/v1/responses/compact'), DIALECT_ERRORS.noCompaction);
    for (const path of [
      '/anthropic/',
      '/anthropic/v1/models/',
      '/anthropic/v1/responses',
      '/anthropic/v1/constructor',
    ]) {
      assert.deepEqual(routeOf(path), noDialectPath('messages'), path);
    }
    assert.deepEqual(routeOf('/anthropic'), noDialectPath('messages'));
    for (const path of ['/responses', '/responses/v1/messages'])
      assert.deepEqual(routeOf(path), noDialectPath('responses'), path);
    for (const path of ['/anthropics', '/responses.json']) assert.equal(routeOf(path), PROXY_ERRORS.noSuchPath, path);
  });

  it('names the base URL for Messages if a client uses another one', () => {
    for (const path of ['/v1/messages', '/v1/messages/count_tokens', '/v1/v1/messages']) {
      assert.equal(routeOf(path), DIALECT_ERRORS.messagesElsewhere, path);
    }
    for (const path of ['/v1/messagesx', '/v1/v1/v1/messages', '/v1/responsesx', '/messages', '/responses.json']) {
      assert.equal(routeOf(path), PROXY_ERRORS.noSuchPath, path);
    }
  });

  it('names the base URL for Responses if a client uses another one', () => {
    for (const path of ['/v1/responses', '/v1/responses/input_tokens', '/v1/v1/responses']) {
      assert.equal(routeOf(path), DIALECT_ERRORS.responsesElsewhere, path);
    }
    assert.match(DIALECT_ERRORS.responsesElsewhere.message, /must end with \/responses\/v1\.$/);
  });

  it('names both base URLs for Messages, because not every client adds /v1', () => {
    for (const path of ['/anthropic/messages', '/anthropic/v1/v1/messages', '/v1/messages']) {
      const route = routeOf(path);
      assert.ok('message' in route, path);
      assert.match(
        route.message,
        /must end with \/anthropic, or with \/anthropic\/v1 if the client does not add \/v1 itself/,
      );
    }
  });

  it('gives the error for single models and for all other paths', () => {
    for (const path of ['/v1/models/', '/v1/models/x']) assert.equal(routeOf(path), PROXY_ERRORS.noSuchModelRoute);
    for (const path of ['', '/v1', '/health/', '/V1/models', '/v1/chat/completions/', 'constructor']) {
      assert.equal(routeOf(path), PROXY_ERRORS.noSuchPath, path);
    }
  });

  it('ignores the query', () => {
    assert.deepEqual(findRoute('/v1/models?a=1?b'), findRoute('/v1/models'));
    assert.equal(findRoute('?').label, OTHER_PATH);
  });

  it('finds the dialect of all paths in its folder', () => {
    for (const [dialect, paths] of [
      ['messages', ['/anthropic', '/anthropic/x', '/anthropic/v1/messages']],
      ['responses', ['/responses', '/responses/', '/responses/v1/models/x']],
      [undefined, ['', '/v1/responses', '/anthropics']],
    ] as const) {
      for (const path of paths) assert.equal(findRoute(path).dialect, dialect, path);
    }
  });

  it('shows served paths in the log, without the ID of a model, and no others', () => {
    for (const path of ['/v1/models', '/anthropic/v1/messages', '/responses/v1/responses/compact']) {
      assert.equal(findRoute(path).label, path);
    }
    assert.equal(findRoute('/anthropic/v1/models/sk-secret').label, '/anthropic/v1/models/{id}');
    for (const path of ['/sk-secret', '/v1/models/x', '/anthropic/v1/sk-secret', '']) {
      assert.equal(findRoute(path).label, OTHER_PATH);
    }
  });
});
