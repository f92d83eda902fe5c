import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { answerJson } from '../../../src/devEnclave/model/apiHandler.ts';
import {
  CHALLENGE_HEADER,
  REPORT_HEADER,
  REQUEST_HEADERS,
  makeRequest,
  sealReport,
} from '../../../src/shared/ownership.ts';
import { VerifiedConnection, modelIds } from '../../../src/supervisor/localProxy.ts';
import { probe } from '../../../src/supervisor/portProbe.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { ACCESS_KEY, perTest } from '../../support/e2e/scope.ts';
import { listen } from '../../support/fakeProxy.ts';
import { aReport } from '../../support/reports.ts';
import { DEADLINE, eventually, withTimeout } from '../../support/withTimeout.ts';

const SECRET = randomBytes(32);
const FOREIGN = { kind: 'foreign', isSealedProxy: false };

describe('VerifiedConnection', () => {
  const scope = perTest();

  /** A connection to a fake own proxy, which then responds as the test wants. */
  const verified = async (answer: RequestListener) => {
    const server = await listen(
      createServer((req, res) => {
        if (req.url !== '/health') {
          answer(req, res);
          return;
        }
        res.setHeader(REPORT_HEADER, sealReport(SECRET, String(req.headers[CHALLENGE_HEADER]), aReport(server.port)));
        res.end();
      }),
    );
    scope.onClose(() => server.close());
    const connection = connect(server.port);
    assert.equal((await connection.probe()).kind, 'own');
    return { connection, port: server.port };
  };
  const connect = (port: number) => {
    const connection = new VerifiedConnection(port, SECRET);
    scope.onClose(() => {
      connection.end();
      return Promise.resolve();
    });
    return connection;
  };
  const never = new AbortController().signal;

  it('sends the access key, and returns the backend’s response', async () => {
    const enclave = await scope.enclave();
    const { port } = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const connection = connect(port);
    await connection.probe();
    const answer = await connection.askModels(ACCESS_KEY, DEADLINE, never);
    assert.equal(answer.status, 200);
    assert.ok((modelIds(answer.body)?.length ?? 0) > 3);
  });

  it('sends no key before a successful probe, nor after a failed one', async () => {
    let asked = 0;
    const server = await listen(
      createServer((_req, res) => {
        asked++;
        res.end();
      }),
    );
    scope.onClose(() => server.close());
    const connection = connect(server.port);
    await assert.rejects(connection.askModels(ACCESS_KEY, DEADLINE, never), /has not been authenticated/);
    assert.deepEqual(await connection.probe(), FOREIGN);
    await assert.rejects(connection.askModels(ACCESS_KEY, DEADLINE, never), /has not been authenticated/);
    assert.equal(asked, 1);
  });

  it('sends no key over another connection than the one with the proof', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const connection = connect(proxy.port);
    assert.equal((await connection.probe()).kind, 'own');
    await proxy.stop(0);
    let connections = 0;
    const successor = createServer().on('connection', () => connections++);
    const listening = await listen(successor, proxy.port);
    scope.onClose(() => listening.close());
    await assert.rejects(connection.askModels(ACCESS_KEY, DEADLINE, never), { code: 'ECONNRESET' });
    assert.equal((await connection.probe()).kind, 'foreign');
    assert.equal(connections, 0);
  });

  it('sends a chat request over the same connection, after the same proof', async () => {
    const enclave = await scope.enclave();
    const { port } = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const connection = connect(port);
    await assert.rejects(
      connection.post('/v1/chat/completions', ACCESS_KEY, '{}', never),
      /has not been authenticated/,
    );
    await connection.probe();
    const answer = await connection.post(
      '/v1/chat/completions',
      ACCESS_KEY,
      chatBody('/repeat 3 x', { stream: true }),
      never,
    );
    assert.equal(answer.statusCode, 200);
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
    assert.match(text, /\[DONE\]/);
  });

  it('sends a check, which the proxy lists as one, and tells the backend nothing of it', async () => {
    const targets: string[][] = [];
    const enclave = await scope.enclave({
      handler: ({ headers }, response) => {
        targets.push(headers.map(({ name }) => name).filter((name) => name.startsWith('x-')));
        answerJson(response, 200, {});
        return Promise.resolve();
      },
    });
    const { port } = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const connection = connect(port);
    await connection.probe();
    for (const send of ['check', 'post'] as const) {
      const answer = await connection[send]('/v1/chat/completions', ACCESS_KEY, '{}', never);
      answer.resume();
      await once(answer, 'end');
    }
    for (const key of [ACCESS_KEY, 'dev-a-new-key']) await connection.askModels(key, DEADLINE, never);
    const isOver = async () => (await connection.activity(0)).finished.length === 4;
    await eventually('the records', isOver);
    const { finished } = await connection.activity(0);
    assert.deepEqual(
      finished.map(({ isCheck }) => isCheck),
      [true, false, true, true],
    );
    assert.deepEqual(targets, [[], [], [], []]);
  });

  it('fails with ETIMEDOUT when there is no response in time', async () => {
    const { connection } = await verified(() => undefined);
    await assert.rejects(connection.askModels(ACCESS_KEY, 50, never), { code: 'ETIMEDOUT' });
  });

  it('fails with ETIMEDOUT when a response does not end in time', async () => {
    const { connection } = await verified((_req, res) => {
      res.writeHead(200, { 'content-length': 9 }).write('x');
    });
    await assert.rejects(connection.askModels(ACCESS_KEY, 300, never), { code: 'ETIMEDOUT' });
  });

  it('closes the connection when the request is cancelled', async () => {
    const abort = new AbortController();
    let closed: Promise<unknown> | undefined;
    const { connection } = await verified((req) => {
      closed = once(req.socket, 'close');
      abort.abort();
    });
    await assert.rejects(connection.askModels(ACCESS_KEY, DEADLINE, abort.signal), { code: 'ABORT_ERR' });
    await withTimeout(
      'the end of the connection',
      DEADLINE,
      closed ?? Promise.reject(new Error('There was no request')),
    );
  });
});

describe('modelIds()', () => {
  for (const [body, ids] of [
    ['{"object":"list","data":[{"id":"a"},{"id":"b"}]}', ['a', 'b']],
    ['{"data":[]}', []],
    ['{"data":[{"id":"a"},{"id":7},{},"x"]}', ['a']],
    ['{"data":[null,{"id":"a"}]}', ['a']],
    ['{"data":{}}', undefined],
    ['{}', undefined],
    ['null', undefined],
    ['7', undefined],
    ['', undefined],
    ['<html>', undefined],
  ] as const) {
    it(`finds ${ids === undefined ? 'no list' : JSON.stringify(ids)} in ${body === '' ? 'an empty body' : body}`, () => {
      assert.deepEqual(modelIds(body), ids);
    });
  }
});

describe('VerifiedConnection.askForPort()', () => {
  const scope = perTest();
  const start = async () => {
    let asked = 0;
    const proxy = await scope.internalProxy(
      await scope.enclave(),
      {},
      {
        ownership: SECRET,
        onEvent: ({ type }) => {
          if (type === 'releaseRequested') asked++;
        },
      },
    );
    return { port: proxy.port, asked: () => asked };
  };
  const release = (port: number, value: string, method = 'POST') =>
    fetch(`http://127.0.0.1:${port}/health`, { method, headers: { [REQUEST_HEADERS.release]: value } });

  it('asks the proxy for its port', async () => {
    const { port, asked } = await start();
    const connection = new VerifiedConnection(port, SECRET);
    await connection.probe();
    await connection.askForPort();
    connection.end();
    assert.equal(asked(), 1);
  });

  it('is accepted only with the right secret, and only by the process it is addressed to', async () => {
    const { port, asked } = await start();
    const found = await probe(port, SECRET);
    assert.ok(found.kind === 'own');
    const good = makeRequest('release', SECRET, found.report);
    const other = { ...found.report, instance: 'A'.repeat(43) };
    for (const bad of [
      makeRequest('release', randomBytes(32), found.report),
      makeRequest('release', SECRET, other),
      '',
      'x',
    ]) {
      assert.equal((await release(port, bad)).status, 405);
    }
    assert.equal((await release(port, good, 'GET')).status, 200);
    assert.equal(asked(), 0);
    assert.equal((await release(port, good)).status, 202);
    assert.equal(asked(), 1);
  });
});
