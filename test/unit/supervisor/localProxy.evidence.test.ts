import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import {
  CHALLENGE_HEADER,
  REPORT_HEADER,
  REQUEST_HEADERS,
  isRequest,
  sealReport,
} from '../../../src/shared/ownership.ts';
import { VerifiedConnection } from '../../../src/supervisor/localProxy.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { EVIDENCE_FOLDER } from '../../support/evidenceFixtures.ts';
import { listen } from '../../support/fakeProxy.ts';
import { aReport } from '../../support/reports.ts';

const SECRET = randomBytes(32);
const EVIDENCE = readFileSync(new URL('pin.json', EVIDENCE_FOLDER), 'utf8');
const HEALTH = '{"status":"ok","service":"sealed-proxy","version":"0.6.0"}';

describe('VerifiedConnection.evidence()', () => {
  const scope = perTest();

  /** A connection to an own proxy that answers requests for evidence so. */
  const connect = async (answer: string) => {
    const server = createServer((req, res) => {
      const challenge = req.headers[CHALLENGE_HEADER];
      if (typeof challenge === 'string') {
        res.setHeader(REPORT_HEADER, sealReport(SECRET, challenge, aReport(port)));
        res.end(HEALTH);
        return;
      }
      const request = String(req.headers[REQUEST_HEADERS.evidence]);
      res.end(isRequest('evidence', SECRET, aReport(port), request) ? answer : 'not authenticated');
    });
    const { port, close } = await listen(server);
    scope.onClose(close);
    const connection = new VerifiedConnection(port, SECRET);
    scope.onClose(async () => {
      connection.end();
      await Promise.resolve();
    });
    return connection;
  };

  it('is what the proxy sends, or null if it has none', async () => {
    for (const answer of [EVIDENCE, 'null']) {
      const connection = await connect(answer);
      assert.equal((await connection.probe()).kind, 'own');
      assert.deepEqual(await connection.evidence(), JSON.parse(answer));
    }
  });

  it('does not take anything else for evidence, such as the health of an older proxy', async () => {
    const altered = JSON.stringify({ ...(JSON.parse(EVIDENCE) as object), formatVersion: 2 });
    for (const answer of [HEALTH, '{}', '[]', '', 'no JSON', altered]) {
      const connection = await connect(answer);
      await connection.probe();
      await assert.rejects(connection.evidence(), { message: 'The proxy did not send evidence' }, answer);
    }
  });

  it('asks nothing of a proxy that has not been authenticated', async () => {
    await assert.rejects((await connect(EVIDENCE)).evidence(), { message: 'The proxy has not been authenticated' });
  });

  it('is null from a real proxy of a development backend', async () => {
    const proxy = await scope.internalProxy(await scope.enclave(), {}, { ownership: SECRET });
    const connection = new VerifiedConnection(proxy.port, SECRET);
    await connection.probe();
    assert.equal(await connection.evidence(), null);
    connection.end();
  });
});
