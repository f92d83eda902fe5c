import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { VerifiedConnection, modelIds, probe } from '../../../src/supervisor/localProxy.ts';
import { CHALLENGE_HEADER, PROOF_HEADER, RELEASE_HEADER, makeRelease, prove } from '../../../src/shared/ownership.ts';
import type { AttestationSummary } from '../../../src/shared/messages.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { timed } from '../../support/e2e/stopwatch.ts';
import { ACCESS_KEY, perTest } from '../../support/e2e/scope.ts';
import { RawServer } from '../../support/rawServer.ts';
import { aReport } from '../../support/reports.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';
import { listen } from '../../support/fakeProxy.ts';

const SECRET = randomBytes(32);
const FOREIGN = { kind: 'foreign' };

describe('probe()', () => {
  const scope = perTest();

  const foreign = async () => {
    const server = await RawServer.listen();
    scope.onClose(() => server.close());
    return server;
  };
  const serve = async (answer: RequestListener) => {
    const server = await listen(createServer(answer));
    scope.onClose(() => server.close());
    return server.port;
  };

  it('finds a free port', async () => {
    assert.deepEqual(await probe(await freePort(), SECRET), { kind: 'free' });
  });

  it('finds an own proxy, with its report', async () => {
    const enclave = await scope.enclave();
    const { port } = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const found = await probe(port, SECRET);
    assert.ok(found.kind === 'own');
    assert.deepEqual([found.report.version, found.report.port], [VERSION, port]);
  });

  it('takes a proxy with another secret or without one for foreign', async () => {
    const enclave = await scope.enclave();
    for (const options of [{ ownership: randomBytes(32) }, {}]) {
      const { port } = await scope.internalProxy(enclave, {}, options);
      assert.deepEqual(await probe(port, SECRET), FOREIGN);
    }
  });

  it('sends a foreign program the challenge and nothing else', async () => {
    const server = await foreign();
    const probing = probe(server.port, SECRET);
    const connection = await server.next();
    const text = await connection.takeHead();
    connection.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    assert.deepEqual(await probing, FOREIGN);
    const pattern = `^GET /health HTTP/1\\.1\\r\\n${CHALLENGE_HEADER}: [A-Za-z0-9_-]{43}\\r\\nHost: 127\\.0\\.0\\.1:${server.port}\\r\\nConnection: (close|keep-alive)\\r\\n\\r\\n$`;
    assert.match(text, new RegExp(pattern));
    assert.equal(connection.received, '');
  });

  it('generates a new challenge each time', async () => {
    const server = await foreign();
    const heads = new Set<string>();
    for (let count = 0; count < 3; count++) {
      const probing = probe(server.port, SECRET);
      const connection = await server.next();
      heads.add(await connection.takeHead());
      connection.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      assert.deepEqual(await probing, FOREIGN);
    }
    assert.equal(heads.size, 3);
  });

  it('takes a program that switches protocols for foreign', async () => {
    const server = await foreign();
    const probing = probe(server.port, SECRET);
    const connection = await server.next();
    await connection.takeHead();
    connection.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    assert.deepEqual(await withTimeout('the result', DEADLINE, probing), FOREIGN);
  });

  it('waits three seconds for an unresponsive program, and no longer', async () => {
    const { port } = await foreign();
    const { result, milliseconds } = await timed(() => probe(port, SECRET));
    assert.deepEqual(result, { kind: 'unresponsive' });
    assert.ok(milliseconds > 2500 && milliseconds < 4500, `${milliseconds} ms`);
  });

  for (const [what, answer] of [
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an endless head', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`],
    ['an invalid proof', `HTTP/1.1 200 OK\r\n${PROOF_HEADER}: x.y\r\ncontent-length: 0\r\n\r\n`],
    ['two proofs', `HTTP/1.1 200 OK\r\n${`${PROOF_HEADER}: x\r\n`.repeat(2)}content-length: 0\r\n\r\n`],
    ['an incomplete body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'],
  ] as const) {
    it(`takes for foreign a program that responds with ${what}`, async () => {
      const server = await foreign();
      const probing = probe(server.port, SECRET);
      for (let count = 0; count < 3; count++) {
        const next = server.next().then((connection) => {
          connection.end(answer);
        });
        if ((await Promise.race([probing, next])) !== undefined) break;
      }
      assert.deepEqual(await probing, FOREIGN);
    });
  }

  it('does not read an endless body', async () => {
    let sent = 0;
    const port = await serve((_req, res) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const write = () => {
        while (!res.destroyed && res.write(chunk)) sent += chunk.length;
        sent += chunk.length;
      };
      res.on('drain', write);
      write();
    });
    assert.deepEqual(await withTimeout('the result', 2500, probe(port, SECRET)), FOREIGN);
    assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes`);
  });

  it('tries again when the connection is reset, as by a proxy that is ending', async () => {
    const server = await foreign();
    const probing = probe(server.port, SECRET);
    const connection = await server.next();
    await connection.takeHead();
    connection.reset();
    await server.close();
    assert.deepEqual(await probing, { kind: 'free' });
  });

  it('takes a program that always resets the connection for foreign', async () => {
    const server = await foreign();
    const probing = probe(server.port, SECRET);
    for (let count = 0; count < 3; count++) (await server.next(`attempt ${count}`)).reset();
    assert.deepEqual(await probing, FOREIGN);
    assert.equal(server.connections.length, 3);
  });

  it('accepts a proof that is as long as the longest attestation makes it', async () => {
    const verified: AttestationSummary = {
      kind: 'verified',
      environment: 'production',
      pcr0: 'ab'.repeat(48),
      approvedBy: 'history',
      moduleId: 'i-1',
      timestamp: 1,
      certificateNotBefore: 1,
      certificateNotAfter: 1,
      document: 'A'.repeat(60_000),
    };
    const port = await serve((req, res) => {
      const report = aReport(port, { verified, establishedAt: 1 });
      res.setHeader(PROOF_HEADER, prove(SECRET, String(req.headers[CHALLENGE_HEADER]), report));
      res.end();
    });
    const found = await probe(port, SECRET);
    assert.ok(found.kind === 'own');
    assert.deepEqual(found.report.verified, verified);
  });

  it('does not accept a proof relayed from an own proxy on another port', async () => {
    const enclave = await scope.enclave();
    const real = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const relay = await serve((req, res) => {
      const challenge = String(req.headers[CHALLENGE_HEADER]);
      void fetch(`${real.url}/health`, { headers: { [CHALLENGE_HEADER]: challenge } }).then((answer) => {
        res.setHeader(PROOF_HEADER, answer.headers.get(PROOF_HEADER) ?? '');
        res.end();
      });
    });
    assert.equal((await probe(real.port, SECRET)).kind, 'own');
    assert.deepEqual(await probe(relay, SECRET), FOREIGN);
  });

  it('does not accept a replayed proof', async () => {
    let proof: string | undefined;
    const port = await serve((req, res) => {
      proof ??= prove(SECRET, String(req.headers[CHALLENGE_HEADER]), aReport(port));
      res.setHeader(PROOF_HEADER, proof);
      res.end();
    });
    assert.equal((await probe(port, SECRET)).kind, 'own');
    assert.deepEqual(await probe(port, SECRET), FOREIGN);
  });
});

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
        res.setHeader(PROOF_HEADER, prove(SECRET, String(req.headers[CHALLENGE_HEADER]), aReport(server.port)));
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
    await assert.rejects(connection.chat(ACCESS_KEY, '{}', never), /has not been authenticated/);
    await connection.probe();
    const answer = await connection.chat(ACCESS_KEY, chatBody('/repeat 3 x', { stream: true }), never);
    assert.equal(answer.statusCode, 200);
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
    assert.match(text, /\[DONE\]/);
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
      { ownership: SECRET, events: { releaseAsked: () => asked++ } },
    );
    return { port: proxy.port, asked: () => asked };
  };
  const release = (port: number, value: string, method = 'POST') =>
    fetch(`http://127.0.0.1:${port}/health`, { method, headers: { [RELEASE_HEADER]: value } });

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
    const good = makeRelease(SECRET, found.report);
    const other = { ...found.report, instance: 'A'.repeat(43) };
    for (const bad of [makeRelease(randomBytes(32), found.report), makeRelease(SECRET, other), '', 'x']) {
      assert.equal((await release(port, bad)).status, 405);
    }
    assert.equal((await release(port, good, 'GET')).status, 200);
    assert.equal(asked(), 0);
    assert.equal((await release(port, good)).status, 202);
    assert.equal(asked(), 1);
  });
});
