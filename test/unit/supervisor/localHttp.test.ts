import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { SingleSocketAgent, fetchLocal, openResponse } from '../../../src/supervisor/localHttp.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { listen } from '../../support/fakeProxy.ts';
import { DEADLINE } from '../../support/withTimeout.ts';

describe('localHttp.ts', () => {
  const scope = perTest();

  const serve = async (respond: RequestListener) => {
    const server = await listen(createServer(respond));
    scope.onClose(() => server.close());
    return server.port;
  };

  describe('fetchLocal()', () => {
    it('returns status, headers and body', async () => {
      const port = await serve((req, res) => {
        res.writeHead(201, { 'x-method': String(req.method), 'x-sent': req.headers['x-sent'] }).end('größer');
      });
      const request = { port, method: 'POST', path: '/', headers: { 'x-sent': 'yes' } };
      const { status, headers, body } = await fetchLocal(request, DEADLINE);
      assert.deepEqual([status, headers['x-method'], headers['x-sent'], body], [201, 'POST', 'yes', 'größer']);
    });

    it('fails with ETIMEDOUT at its limit, also in the middle of a body', async () => {
      const port = await serve((req, res) => {
        if (req.url === '/body') res.writeHead(200).write('x');
      });
      for (const path of ['/head', '/body']) {
        await assert.rejects(fetchLocal({ port, path }, 200), { code: 'ETIMEDOUT' }, path);
      }
    });

    it('fails with EMSGSIZE when the body is too long', async () => {
      const port = await serve((_req, res) => res.end('x'.repeat(4 * 1024 * 1024 + 1)));
      await assert.rejects(fetchLocal({ port, path: '/' }, DEADLINE), { code: 'EMSGSIZE' });
    });

    it('fails with ECONNRESET when the body is incomplete', async () => {
      const port = await serve((_req, res) => {
        res.writeHead(200, { 'content-length': 9 });
        res.write('x', () => res.destroy());
      });
      await assert.rejects(fetchLocal({ port, path: '/' }, DEADLINE), { code: 'ECONNRESET' });
    });

    it('is cancelled by its signal', async () => {
      const port = await serve(() => undefined);
      const abort = new AbortController();
      const fetching = fetchLocal({ port, path: '/', signal: abort.signal }, DEADLINE);
      abort.abort();
      await assert.rejects(fetching, { code: 'ABORT_ERR' });
    });
  });

  describe('openResponse()', () => {
    it('sends the body and resolves before the response is complete', async () => {
      const port = await serve((req, res) => {
        res.flushHeaders();
        void req.pipe(res);
      });
      const response = await openResponse({ port, method: 'POST', path: '/', body: '{"größer":1}' });
      let body = '';
      for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
      assert.equal(body, '{"größer":1}');
    });
  });

  describe('SingleSocketAgent', () => {
    it('uses one connection, and no other after that', async () => {
      const sockets = new Set<unknown>();
      const port = await serve((req, res) => {
        sockets.add(req.socket);
        if (req.url === '/last') res.shouldKeepAlive = false;
        res.end();
      });
      const agent = new SingleSocketAgent();
      for (const path of ['/', '/', '/last']) await fetchLocal({ port, path, agent }, DEADLINE);
      await assert.rejects(fetchLocal({ port, path: '/', agent }, DEADLINE), { code: 'ECONNRESET' });
      assert.equal(sockets.size, 1);
      agent.destroy();
    });
  });
});
