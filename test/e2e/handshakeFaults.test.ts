// Faults in the handshake: the proxy sends no request, and its log names the cause.
import assert from 'node:assert/strict';
import { chatBody } from '../support/e2e/chat.ts';
import { listFaults } from '../support/e2e/faultList.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { startAll } from '../support/e2e/limiter.ts';
import type { LogLine } from '../support/e2e/process.ts';
import { ERRORS, assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { API_KEY, Scope } from '../support/e2e/scope.ts';

/** The code that the client gets, by the detail or the code in the log. */
const CLIENT: Readonly<Record<string, string>> = {
  malformed_document: 'not_an_enclave',
  handshake_malformed: 'not_an_enclave',
  handshake_status: 'not_an_enclave',
  handshake_unavailable: 'backend_unreachable',
  attestation_refused: 'attestation_failed',
  weak_public_key: 'attestation_failed',
  session_id_mismatch: 'attestation_failed',
  network: 'backend_unreachable',
};

/** What the log has for each fault. */
const EXPECTED: Readonly<Record<string, { code: string; detail?: string | null }>> = {
  'wrong-nonce': { code: 'attestation_refused', detail: 'nonce_mismatch' },
  'wrong-user-data': { code: 'attestation_refused', detail: 'user_data_mismatch' },
  'wrong-public-key': { code: 'session_id_mismatch', detail: null },
  'short-public-key': { code: 'attestation_refused', detail: 'public_key_mismatch' },
  'low-order-key': { code: 'weak_public_key' }, // the detail is OpenSSL's error code
  'garbage-document': { code: 'attestation_refused', detail: 'malformed_document' },
  'bad-base64': { code: 'handshake_malformed', detail: null },
  'wrong-session-id': { code: 'session_id_mismatch', detail: null },
  'wrong-version': { code: 'handshake_malformed', detail: null },
  'wrong-lifetime': { code: 'handshake_malformed', detail: null },
  'extra-field': { code: 'handshake_malformed', detail: null },
  'missing-field': { code: 'handshake_malformed', detail: null },
  'handshake-wrong-type': { code: 'handshake_malformed', detail: null },
  'double-content-type': { code: 'handshake_malformed', detail: null },
  'handshake-redirect': { code: 'handshake_status', detail: null },
  'handshake-500': { code: 'handshake_unavailable', detail: null },
  'handshake-oversize': { code: 'handshake_malformed', detail: null },
  'handshake-hang': { code: 'timeout', detail: null },
  'handshake-reset': { code: 'network', detail: 'UND_ERR_SOCKET' },
  'handshake-cut': { code: 'network', detail: 'UND_ERR_SOCKET' },
};

const WIDTH = 10;
const BODY = chatBody('a text that must not be sent');

interface Observed {
  readonly failure: LogLine;
  readonly requests: number;
  readonly rejections: number;
  readonly sent: Buffer;
}

describe('An enclave with a fault in the handshake', () => {
  const scope = new Scope();
  const faults = listFaults().get('In the handshake') ?? [];
  let observed: ReadonlyMap<string, Promise<Observed>>;

  /** Sends a request while the enclave has the fault, and another one without it. */
  const observe = async (fault: string): Promise<Observed> => {
    const enclave = await scope.enclave({ faults: fault });
    const tap = await scope.recorder(enclave);
    const { code = '', detail } = EXPECTED[fault] ?? {};
    const client = code === 'timeout' ? ERRORS.timeout : backendError(CLIENT[detail ?? ''] ?? CLIENT[code] ?? '');
    const proxy = await scope.proxy(tap, code === 'timeout' ? { PROXY_REQUEST_TIMEOUT_SECS: '4' } : {});
    assertError(await sendRequest(proxy.url, { body: BODY }), client);
    const failure = await proxy.logged('handshake_failed');
    const [requests, rejections, sent] = [enclave.journal.requests.length, enclave.journal.rejections.length, tap.sent];
    assert.equal(
      proxy.log.find(({ event }) => event === 'session'),
      undefined,
    );
    enclave.setFaults('');
    const recovered = await sendRequest(proxy.url, { body: BODY });
    assert.deepEqual([recovered.status, recovered.broken], [200, false]);
    await proxy.logged('session');
    await proxy.kill();
    return { failure, requests, rejections, sent };
  };

  before(() => {
    observed = startAll(faults, WIDTH, observe);
    for (const result of observed.values()) result.catch(() => undefined); // each test checks its own
  });
  after(() => scope.close());

  for (const fault of faults) {
    it(`is rejected and receives no request and no API key: ${fault}`, async () => {
      const expected = EXPECTED[fault];
      assert.ok(expected, 'every fault has an expectation');
      const { failure, requests, rejections, sent } = (await observed.get(fault)) ?? assert.fail();
      const { level, code, detail } = failure;
      assert.deepEqual(
        [level, code, detail],
        ['error', expected.code, 'detail' in expected ? expected.detail : detail],
      );
      assert.deepEqual({ requests, rejections }, { requests: 0, rejections: 0 });
      assert.ok(sent.includes('POST /v2/session'));
      for (const secret of ['/v2/request', API_KEY, 'a text that must not be sent']) assert.ok(!sent.includes(secret));
    });
  }
});
