import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { mock } from 'node:test';
import type { AttestationSummary } from '../../../src/shared/messages.ts';
import { CHALLENGE_HEADER, REPORT_HEADER, WINDOW_HEADER, sealReport } from '../../../src/shared/ownership.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { confirmFree, probe, probeKeys, probeSteadily } from '../../../src/supervisor/portProbe.ts';
import type { Probe } from '../../../src/supervisor/portProbe.ts';
import { bindPort } from '../../support/boundPort.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { listen } from '../../support/fakeProxy.ts';
import { RawServer } from '../../support/rawServer.ts';
import { aReport } from '../../support/reports.ts';
import { FOREIGN, KEY_SET_DIGEST, SECRET, readSecrets, startFake, twoMoreProbes } from '../../support/supervisors.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../support/withTimeout.ts';

const OTHER_EDITOR = { kind: 'foreign', isSealedProxy: true };

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
      assert.deepEqual(await probe(port, SECRET), OTHER_EDITOR);
    }
  });

  it('takes a program that says that it is a Sealed Proxy for foreign, whatever else it says', async () => {
    const port = await serve((_req, res) => {
      res.setHeader(REPORT_HEADER, 'A'.repeat(200));
      res.end('{"status":"ok","service":"sealed-proxy","version":"9.9.9"}');
    });
    assert.deepEqual(await probe(port, SECRET), OTHER_EDITOR);
  });

  it('sends a foreign program the challenge, its code and nothing else', async () => {
    const server = await foreign();
    const probing = probe(server.port, SECRET);
    const connection = await server.next();
    const text = await connection.takeHead();
    connection.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    assert.deepEqual(await probing, FOREIGN);
    const pattern = `^GET /health HTTP/1\\.1\\r\\n${CHALLENGE_HEADER}: [A-Za-z0-9_-]{43}\\r\\n${WINDOW_HEADER}: [A-Za-z0-9_-]{43}\\r\\nHost: 127\\.0\\.0\\.1:${server.port}\\r\\nConnection: (close|keep-alive)\\r\\n\\r\\n$`;
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
    const server = await foreign();
    mock.timers.enable({ apis: ['setTimeout'] });
    let result: Probe | undefined;
    const probing = probe(server.port, SECRET).then((found) => (result = found));
    await (await server.next()).takeHead();
    mock.timers.tick(2999);
    await flushEventLoop();
    assert.equal(result, undefined);
    mock.timers.tick(1);
    assert.deepEqual(await withTimeout('the result', DEADLINE, probing), { kind: 'unresponsive' });
  });

  for (const [what, answer] of [
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an endless head', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`],
    ['an invalid proof', `HTTP/1.1 200 OK\r\n${REPORT_HEADER}: x.y\r\ncontent-length: 0\r\n\r\n`],
    ['two proofs', `HTTP/1.1 200 OK\r\n${`${REPORT_HEADER}: x\r\n`.repeat(2)}content-length: 0\r\n\r\n`],
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
    assert.deepEqual(await withTimeout('the result', DEADLINE, probe(port, SECRET)), FOREIGN);
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
      res.setHeader(REPORT_HEADER, sealReport(SECRET, String(req.headers[CHALLENGE_HEADER]), report));
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
      const headers = [CHALLENGE_HEADER, WINDOW_HEADER].map((name): [string, string] => [
        name,
        String(req.headers[name]),
      ]);
      void fetch(`${real.url}/health`, { headers }).then((answer) => {
        assert.equal(answer.headers.has(REPORT_HEADER), false);
        res.end();
      });
    });
    assert.equal((await probe(real.port, SECRET)).kind, 'own');
    assert.deepEqual(await probe(relay, SECRET), FOREIGN);
  });

  it('does not accept a replayed proof', async () => {
    let proof: string | undefined;
    const port = await serve((req, res) => {
      proof ??= sealReport(SECRET, String(req.headers[CHALLENGE_HEADER]), aReport(port));
      res.setHeader(REPORT_HEADER, proof);
      res.end();
    });
    assert.equal((await probe(port, SECRET)).kind, 'own');
    assert.deepEqual(await probe(port, SECRET), FOREIGN);
  });
});

describe('probeSteadily()', () => {
  const scope = perTest();

  it('probes a Sealed Proxy again that proves nothing, because it may be ending', async () => {
    const server = createServer((_req, res) => {
      server.close();
      res.writeHead(200, { connection: 'close' }).end('{"service":"sealed-proxy"}');
    });
    const { port, close } = await listen(server);
    scope.onClose(close);
    assert.deepEqual(await probeSteadily(port, readSecrets), { kind: 'free' });
  });

  it('takes one that stays for foreign', async () => {
    const fake = await startFake(scope);
    fake.proves = false;
    assert.deepEqual(await probeSteadily(fake.port, readSecrets), OTHER_EDITOR);
    assert.equal(fake.requests.items.length, 3);
  });
});

describe('probeKeys()', () => {
  const scope = perTest();

  const never = () => false;

  it('waits until the proxy uses the current keys', async () => {
    const fake = await startFake(scope);
    let readings = 0;
    const { found, isCurrent } = await probeKeys(
      fake.port,
      () => {
        if (++readings === 3) fake.report = { keySetDigest: KEY_SET_DIGEST };
        return readSecrets();
      },
      never,
    );
    assert.deepEqual([found.kind, isCurrent, readings], ['own', true, 3]);
  });

  it('gives up after a second', async () => {
    const fake = await startFake(scope);
    mock.timers.enable({ apis: ['Date'] });
    const probing = probeKeys(fake.port, readSecrets, never);
    await twoMoreProbes(fake);
    mock.timers.setTime(1000);
    await twoMoreProbes(fake);
    mock.timers.setTime(1001);
    const { found, isCurrent } = await withTimeout('the result', DEADLINE, probing);
    assert.deepEqual([found.kind, isCurrent], ['own', false]);
  });

  it('ends with the first final result', async () => {
    const fake = await startFake(scope);
    fake.proves = false;
    const { found, isCurrent } = await probeKeys(fake.port, readSecrets, ({ kind }) => kind === 'foreign');
    assert.deepEqual([found.kind, isCurrent, fake.requests.items.length], ['foreign', false, 1]);
  });
});

describe('confirmFree()', () => {
  const scope = perTest();

  it('finds that a proxy can listen', async () => {
    assert.deepEqual(await confirmFree(await freePort(), readSecrets), { kind: 'free' });
  });

  it('finds the proxy of another window that has just taken the port', async () => {
    const { port } = await startFake(scope);
    assert.equal((await confirmFree(port, readSecrets)).kind, 'own');
  });

  it('finds the port free when another window listened only to try it', async () => {
    const port = await freePort();
    const other = createTcpServer((socket) => {
      other.close();
      socket.destroy();
    });
    await once(other.listen(port, '127.0.0.1').unref(), 'listening');
    assert.deepEqual(await confirmFree(port, readSecrets), { kind: 'free' });
  });

  it('finds a program that keeps the port without listening', async () => {
    const { port } = await bindPort(scope);
    assert.deepEqual(await confirmFree(port, readSecrets), { kind: 'held', by: 'program' });
  });
});
