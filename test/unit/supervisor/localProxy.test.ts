import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { VerifiedConnection, OwnerWatch, modelIds, probe } from '../../../src/supervisor/localProxy.ts';
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
const STRANGER = { kind: 'stranger' };

describe('The question whose proxy is on the port', () => {
  const scope = perTest();

  const stranger = async () => {
    const server = await RawServer.listen();
    scope.onClose(() => server.close());
    return server;
  };
  const serve = async (answer: RequestListener) => {
    const server = await listen(createServer(answer));
    scope.onClose(() => server.close());
    return server.port;
  };

  it('is answered by nobody where nobody listens', async () => {
    assert.deepEqual(await probe(await freePort(), SECRET), { kind: 'free' });
  });

  it('is answered by a proxy of ours with what it reports', async () => {
    const enclave = await scope.enclave();
    const { port } = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const found = await probe(port, SECRET);
    assert.ok(found.kind === 'ours');
    assert.deepEqual([found.report.version, found.report.port], [VERSION, port]);
  });

  it('is answered wrongly by a proxy of another secret, and by one of none', async () => {
    const enclave = await scope.enclave();
    for (const options of [{ ownership: randomBytes(32) }, {}]) {
      const { port } = await scope.internalProxy(enclave, {}, options);
      assert.deepEqual(await probe(port, SECRET), STRANGER);
    }
  });

  it('tells a stranger the challenge and nothing else', async () => {
    const server = await stranger();
    const asking = probe(server.port, SECRET);
    const connection = await server.next();
    const text = await connection.takeHead();
    connection.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    assert.deepEqual(await asking, STRANGER);
    const pattern = `^GET /health HTTP/1\\.1\\r\\n${CHALLENGE_HEADER}: [A-Za-z0-9_-]{43}\\r\\nHost: 127\\.0\\.0\\.1:${server.port}\\r\\nConnection: (close|keep-alive)\\r\\n\\r\\n$`;
    assert.match(text, new RegExp(pattern));
    assert.equal(connection.received, '');
  });

  it('draws another challenge each time', async () => {
    const server = await stranger();
    const heads = new Set<string>();
    for (let count = 0; count < 3; count++) {
      const asking = probe(server.port, SECRET);
      const connection = await server.next();
      heads.add(await connection.takeHead());
      connection.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      assert.deepEqual(await asking, STRANGER);
    }
    assert.equal(heads.size, 3);
  });

  it('is answered by a stranger who wants to speak something else than HTTP', async () => {
    const server = await stranger();
    const asking = probe(server.port, SECRET);
    const connection = await server.next();
    await connection.takeHead();
    connection.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    assert.deepEqual(await withTimeout('an answer', DEADLINE, asking), STRANGER);
  });

  it('waits three seconds for one who is silent, and no longer', async () => {
    const { port } = await stranger();
    const { result, milliseconds } = await timed(() => probe(port, SECRET));
    assert.deepEqual(result, { kind: 'silent' });
    assert.ok(milliseconds > 2500 && milliseconds < 4500, `${milliseconds} ms`);
  });

  for (const [what, answer] of [
    ['something that is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a head without an end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`],
    ['a proof that is none', `HTTP/1.1 200 OK\r\n${PROOF_HEADER}: x.y\r\ncontent-length: 0\r\n\r\n`],
    ['two proofs', `HTTP/1.1 200 OK\r\n${`${PROOF_HEADER}: x\r\n`.repeat(2)}content-length: 0\r\n\r\n`],
    ['a body that breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'],
  ] as const) {
    it(`takes for a stranger one who answers with ${what}`, async () => {
      const server = await stranger();
      const asking = probe(server.port, SECRET);
      for (let count = 0; count < 3; count++) {
        const next = server.next().then((connection) => {
          connection.end(answer);
        });
        if ((await Promise.race([asking, next])) !== undefined) break;
      }
      assert.deepEqual(await asking, STRANGER);
    });
  }

  it('reads no body without an end', async () => {
    let sent = 0;
    const port = await serve((_req, res) => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const write = () => {
        while (!res.destroyed && res.write(piece)) sent += piece.length;
        sent += piece.length;
      };
      res.on('drain', write);
      write();
    });
    assert.deepEqual(await withTimeout('an answer', 2500, probe(port, SECRET)), STRANGER);
    assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes`);
  });

  it('asks again where it is cut off: the proxy of a window that closes goes, and the next one comes', async () => {
    const server = await stranger();
    const asking = probe(server.port, SECRET);
    const connection = await server.next();
    await connection.takeHead();
    connection.reset();
    await server.close();
    assert.deepEqual(await asking, { kind: 'free' });
  });

  it('takes for a stranger one who always cuts it off', async () => {
    const server = await stranger();
    const asking = probe(server.port, SECRET);
    for (let count = 0; count < 3; count++) (await server.next(`attempt ${count}`)).reset();
    assert.deepEqual(await asking, STRANGER);
    assert.equal(server.connections.length, 3);
  });

  it('takes a proof as long as the longest attestation makes it', async () => {
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
    assert.ok(found.kind === 'ours');
    assert.deepEqual(found.report.verified, verified);
  });

  it('does not fall for one who asks a real proxy on another port', async () => {
    const enclave = await scope.enclave();
    const real = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const relay = await serve((req, res) => {
      const challenge = String(req.headers[CHALLENGE_HEADER]);
      void fetch(`${real.url}/health`, { headers: { [CHALLENGE_HEADER]: challenge } }).then((answer) => {
        res.setHeader(PROOF_HEADER, answer.headers.get(PROOF_HEADER) ?? '');
        res.end();
      });
    });
    assert.equal((await probe(real.port, SECRET)).kind, 'ours');
    assert.deepEqual(await probe(relay, SECRET), STRANGER);
  });

  it('does not fall for one who repeats an answer of before', async () => {
    let proof: string | undefined;
    const port = await serve((req, res) => {
      proof ??= prove(SECRET, String(req.headers[CHALLENGE_HEADER]), aReport(port));
      res.setHeader(PROOF_HEADER, proof);
      res.end();
    });
    assert.equal((await probe(port, SECRET)).kind, 'ours');
    assert.deepEqual(await probe(port, SECRET), STRANGER);
  });
});

describe('The question which models there are', () => {
  const scope = perTest();

  /** A line to something that proves to be ours, and then answers the question as a test says. */
  const proven = async (answer: RequestListener) => {
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
    const line = aLine(server.port);
    assert.equal((await line.probe()).kind, 'ours');
    return { line, port: server.port };
  };
  const aLine = (port: number) => {
    const line = new VerifiedConnection(port, SECRET);
    scope.onClose(() => {
      line.end();
      return Promise.resolve();
    });
    return line;
  };
  const never = new AbortController().signal;

  it('carries the access key, and yields what the backend says', async () => {
    const enclave = await scope.enclave();
    const { port } = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const line = aLine(port);
    await line.probe();
    const answer = await line.askModels(ACCESS_KEY, DEADLINE, never);
    assert.equal(answer.status, 200);
    assert.ok((modelIds(answer.body)?.length ?? 0) > 3);
  });

  it('is not asked before the proof, nor where there was none', async () => {
    let asked = 0;
    const server = await listen(
      createServer((_req, res) => {
        asked++;
        res.end();
      }),
    );
    scope.onClose(() => server.close());
    const line = aLine(server.port);
    await assert.rejects(line.askModels(ACCESS_KEY, DEADLINE, never), /has not been proved/);
    assert.deepEqual(await line.probe(), STRANGER);
    await assert.rejects(line.askModels(ACCESS_KEY, DEADLINE, never), /has not been proved/);
    assert.equal(asked, 1);
  });

  it('goes over the connection of the proof, and over no other: one who comes to the port after it hears no key', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const line = aLine(proxy.port);
    assert.equal((await line.probe()).kind, 'ours');
    await proxy.stop(0);
    let connections = 0;
    const successor = createServer().on('connection', () => connections++);
    const listening = await listen(successor, proxy.port);
    scope.onClose(() => listening.close());
    await assert.rejects(line.askModels(ACCESS_KEY, DEADLINE, never), { code: 'ECONNRESET' });
    assert.equal((await line.probe()).kind, 'stranger');
    assert.equal(connections, 0);
  });

  it('may be a chat as well, over the same connection and after the same proof', async () => {
    const enclave = await scope.enclave();
    const { port } = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const line = aLine(port);
    await assert.rejects(line.chat(ACCESS_KEY, '{}', never), /has not been proved/);
    await line.probe();
    const answer = await line.chat(ACCESS_KEY, chatBody('/repeat 3 x', { stream: true }), never);
    assert.equal(answer.statusCode, 200);
    let text = '';
    for await (const piece of answer.setEncoding('utf8')) text += piece as string;
    assert.match(text, /\[DONE\]/);
  });

  it('fails by its own code when there is no answer in time', async () => {
    const { line } = await proven(() => undefined);
    await assert.rejects(line.askModels(ACCESS_KEY, 50, never), { code: 'ETIMEDOUT' });
  });

  it('fails by its own code when an answer begins and does not end in time', async () => {
    const { line } = await proven((_req, res) => {
      res.writeHead(200, { 'content-length': 9 }).write('x');
    });
    await assert.rejects(line.askModels(ACCESS_KEY, 300, never), { code: 'ETIMEDOUT' });
  });

  it('ends when nobody wants to know any more', async () => {
    const abort = new AbortController();
    let closed: Promise<unknown> | undefined;
    const { line } = await proven((req) => {
      closed = once(req.socket, 'close');
      abort.abort();
    });
    await assert.rejects(line.askModels(ACCESS_KEY, DEADLINE, abort.signal), { code: 'ABORT_ERR' });
    await withTimeout('the end of the connection', DEADLINE, closed ?? Promise.reject(new Error('It was not asked')));
  });

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
    it(`finds in ${body === '' ? 'nothing' : body}: ${ids === undefined ? 'no list' : JSON.stringify(ids)}`, () => {
      assert.deepEqual(modelIds(body), ids);
    });
  }
});

describe('The request to give up the port', () => {
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

  it('is heard from a window of ours', async () => {
    const { port, asked } = await start();
    const line = new VerifiedConnection(port, SECRET);
    await line.probe();
    await line.askForPort();
    line.end();
    assert.equal(asked(), 1);
  });

  it('is heard from nobody else, nor by another process than the one that was asked', async () => {
    const { port, asked } = await start();
    const found = await probe(port, SECRET);
    assert.ok(found.kind === 'ours');
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

describe('The watch over a proxy of another window', () => {
  const scope = perTest();

  it('asks over one connection, and tells at once when it ends', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    let gone = 0;
    const told = new Promise<void>((resolve) => {
      const watch = new OwnerWatch(() => {
        gone++;
        resolve();
      });
      scope.onClose(async () => {
        watch.end();
        return Promise.resolve();
      });
      void (async () => {
        for (let count = 0; count < 3; count++) assert.equal((await watch.probe(proxy.port, SECRET)).kind, 'ours');
        assert.equal(gone, 0);
        await proxy.stop(0);
      })();
    });
    await withTimeout('the news', DEADLINE, told);
    assert.equal(gone, 1);
  });

  it('tells nothing after its own end', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const watch = new OwnerWatch(() => assert.fail('told'));
    assert.equal((await watch.probe(proxy.port, SECRET)).kind, 'ours');
    watch.end();
    await proxy.stop(0);
  });
});
