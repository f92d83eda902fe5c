// Faults after a correct handshake: no client receives unauthentic or incomplete data as a complete response.
import assert from 'node:assert/strict';
import { chatBody } from '../support/e2e/chat.ts';
import { listFaults } from '../support/e2e/faultList.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { ERRORS, assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { perSuite, serve } from '../support/e2e/scope.ts';

/**
 * The outcome of a request: it fails before the start or after it, or is complete. `requests`: how many requests the
 * enclave decrypted. `handshakes`: how many further ones were made. `retired`: whether the next request needs one.
 */
interface Expected {
  readonly client: 'failed' | 'timeout' | 'broken' | 'complete';
  readonly end: string;
  readonly requests: number;
  readonly handshakes: number;
  readonly retired: boolean;
  /** How many chunks of the model a broken response contains at most. */
  readonly chunks?: number;
}

const failed = (end: string, requests = 1): Expected => ({
  client: 'failed',
  end,
  requests,
  handshakes: 0,
  retired: true,
});
const broken = (end: string, chunks: number): Expected => ({ ...failed(end), client: 'broken', chunks });
const kept = (outcome: Expected): Expected => ({ ...outcome, retired: false });
const COMPLETE: Expected = { ...kept(failed('complete')), client: 'complete' };
/** The one resend, in a fresh session, is rejected too. */
const REJECTED_TWICE: Expected = { ...failed('session_rejected', 0), handshakes: 1 };
const ALL = Infinity;
/** Shortens the time limits, and the pause between two handshakes, which almost every fault would take. */
const QUICK_TIMERS = ['--import', new URL('../support/quickTimers.mjs', import.meta.url).href];

const EXPECTED: Readonly<Record<string, Expected>> = {
  'marked-session-not-found': REJECTED_TWICE,
  'marked-decryption-failed': REJECTED_TWICE,
  'answer-before-body': REJECTED_TWICE,
  'unmarked-400': failed('response_status', 0),
  'double-marked': failed('response_status', 0),
  'double-code': failed('response_status', 0),
  'marked-unknown-code': failed('response_status', 0),
  'marked-contract-2': failed('response_status', 0),
  'marked-503': failed('response_status', 0),
  'outer-413': failed('response_status', 0),
  'outer-415': failed('response_status', 0),
  'outer-503': failed('response_status', 0),
  redirect: failed('response_status', 0),
  'wrong-outer-status': failed('response_status'),
  'wrong-outer-type': failed('response_content_type'),
  'parameter-outer-type': failed('response_content_type'),
  'no-outer-type': failed('response_content_type'),
  'double-outer-type': failed('response_content_type'),
  'reset-before-response': kept(failed('network', 0)),
  'close-before-response': kept(failed('network', 0)),
  'hang-before-response': kept({ ...failed('timeout', 0), client: 'timeout' }),
  'tampered-record': broken('record_authentication', 0),
  'swapped-records': broken('record_authentication', 0),
  'repeated-record': broken('record_authentication', 1),
  'dropped-record': broken('record_authentication', 0),
  'truncated-frame': broken('truncated', 0),
  'early-end': broken('truncated', 1),
  'missing-end': broken('truncated', ALL),
  'bytes-after-end': broken('record_order', ALL),
  'record-after-end': broken('record_order', ALL),
  'second-start': broken('record_order', 0),
  'chunk-before-start': failed('record_order'),
  'no-start': failed('record_order'),
  'malformed-start': failed('record_malformed'),
  'oversize-frame': broken('record_length', 0),
  'huge-frame': broken('record_length', 0),
  'tiny-frame': broken('record_length', 0),
  'unknown-type': broken('record_malformed', 0),
  'end-with-content': broken('record_malformed', ALL),
  'error-record': kept(broken('enclave_error', 1)),
  'error-before-start': failed('record_order'),
  'malformed-error': broken('record_malformed', 1),
  'another-request-id': failed('record_authentication'),
  'reset-mid-response': broken('network', 1),
  'close-mid-response': broken('network', 1),
  'hang-mid-response': broken('timeout', 1),
  'byte-by-byte': COMPLETE,
  'one-write': COMPLETE,
};

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`An enclave with faults in its responses, to a proxy with ${runtime}`, () => {
    const model = recordedModel();
    const served = serve(perSuite(), {
      enclave: { handler: model.handler },
      settings: { PROXY_REQUEST_TIMEOUT_SECS: '40', PROXY_STREAM_IDLE_TIMEOUT_SECS: '40' },
      process: { nodeArgs: [...nodeArgs, ...QUICK_TIMERS] },
    });

    /** Sends a request and waits for its line in the log. */
    const sendLogged = async (body: string) => {
      const logged = served.proxy.stderr.items.length;
      const response = await sendRequest(served.proxy.url, { body });
      return { response, line: await served.proxy.logged('request', {}, logged) };
    };

    const assertRecovered = async () => {
      const { response } = await sendLogged(chatBody('Hello', { stream: true }));
      assert.deepEqual([response.status, response.broken], [200, false]);
      assert.ok(response.body.equals(Buffer.concat(model.responses.at(-1)?.chunks ?? [])));
    };

    const groups = ['Outside of the records', 'In the records', 'Unusual deliveries of correct records'];
    const faults = groups.flatMap((group) => listFaults().get(group) ?? []);

    for (const fault of faults) {
      for (const stream of [true, false]) {
        it(`is handled correctly: ${fault}, ${stream ? 'streaming' : 'not streaming'}`, async () => {
          const expected = EXPECTED[fault];
          assert.ok(expected, 'every fault has an expectation');
          const [requests, handshakes] = [served.enclave.journal.requests.length, served.enclave.journal.handshakes];
          served.enclave.setFaults(fault);
          const { response, line } = await sendLogged(chatBody('/repeat 5', { stream }));
          served.enclave.setFaults('');
          const chunks = model.responses.at(-1)?.chunks ?? [];
          switch (expected.client) {
            case 'failed':
              assertError(
                response,
                backendError(expected.end === 'network' ? 'backend_unreachable' : 'response_invalid', 'maybe sent'),
              );
              break;
            case 'timeout':
              assertError(response, ERRORS.timeout);
              break;
            case 'broken':
              assert.deepEqual([response.status, response.broken], [200, true]);
              assert.ok(
                response.body.equals(Buffer.concat(chunks.slice(0, expected.chunks))),
                response.body.toString(),
              );
              break;
            case 'complete':
              assert.deepEqual([response.status, response.broken], [200, false]);
              assert.ok(response.body.equals(Buffer.concat(chunks)));
          }
          assert.deepEqual([line['status'], line['end']], [response.status, expected.end]);
          assert.equal(served.enclave.journal.requests.length - requests, expected.requests);
          assert.equal(served.enclave.journal.handshakes - handshakes, expected.handshakes);
          await assertRecovered();
          assert.equal(served.enclave.journal.handshakes - handshakes, expected.handshakes + Number(expected.retired));
        });
      }
    }
  });
}

describe('The faults of the development enclave', () => {
  it('belong to the tested groups', () => {
    assert.deepEqual(
      [...listFaults().keys()],
      [
        'In the handshake',
        'In the handshake of an enclave that signs its documents',
        'Outside of the records',
        'In the records',
        'Unusual deliveries of correct records',
      ],
    );
    for (const names of listFaults().values()) assert.ok(names.length > 0);
  });
});
