import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { freePort } from '../../src/extension/freePort.ts';
import { OwnerWatch, askModels, modelIds, probe } from '../../src/extension/localProxy.ts';
import { CHALLENGE_HEADER, PROOF_HEADER, prove } from '../../src/shared/ownership.ts';
import type { ProxyReport } from '../../src/shared/ownership.ts';
import type { Verified } from '../../src/shared/messages.ts';
import { VERSION } from '../../src/shared/version.ts';
import { timed } from '../e2e/support/stopwatch.ts';
import { ACCESS_KEY, perTest } from '../e2e/support/scope.ts';
import { RawServer } from '../support/rawServer.ts';
import { DEADLINE, within } from '../support/within.ts';
import { listen } from './fakeProxy.ts';

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

  it('waits three seconds for one who is silent, and no longer', async () => {
    const { port } = await stranger();
    const { result, milliseconds } = await timed(() => probe(port, SECRET));
    assert.deepEqual(result, STRANGER);
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
    assert.deepEqual(await within('an answer', 2500, probe(port, SECRET)), STRANGER);
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
    const verified: Verified = {
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
      const report: ProxyReport = { version: 'v', port, verified, establishedAt: 1, failure: null };
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
      const report: ProxyReport = { version: 'v', port, verified: null, establishedAt: null, failure: null };
      proof ??= prove(SECRET, String(req.headers[CHALLENGE_HEADER]), report);
      res.setHeader(PROOF_HEADER, proof);
      res.end();
    });
    assert.equal((await probe(port, SECRET)).kind, 'ours');
    assert.deepEqual(await probe(port, SECRET), STRANGER);
  });
});

describe('The question which models there are', () => {
  const scope = perTest();
  const silent = async () => {
    const server = await RawServer.listen();
    scope.onClose(() => server.close());
    return server;
  };

  it('carries the access key, and yields what the backend says', async () => {
    const enclave = await scope.enclave();
    const { port } = await scope.internalProxy(enclave);
    const answer = await askModels(port, ACCESS_KEY, DEADLINE, new AbortController().signal);
    assert.equal(answer.status, 200);
    assert.ok((modelIds(answer.body)?.length ?? 0) > 3);
  });

  it('fails by its own code when there is no answer in time', async () => {
    const { port } = await silent();
    const asking = askModels(port, ACCESS_KEY, 50, new AbortController().signal);
    await assert.rejects(asking, { code: 'ETIMEDOUT' });
  });

  it('fails by its own code when an answer begins and does not end in time', async () => {
    const server = await silent();
    const asking = askModels(server.port, ACCESS_KEY, 300, new AbortController().signal);
    const rejected = assert.rejects(asking, { code: 'ETIMEDOUT' });
    (await server.next()).write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx');
    await rejected;
  });

  it('ends when nobody wants to know any more', async () => {
    const server = await silent();
    const abort = new AbortController();
    const asking = askModels(server.port, ACCESS_KEY, DEADLINE, abort.signal);
    const rejected = assert.rejects(asking, { code: 'ABORT_ERR' });
    const connection = await server.next();
    await connection.takeHead();
    abort.abort();
    await rejected;
    await within('the end of the connection', DEADLINE, connection.closed);
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
    await within('the news', DEADLINE, told);
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
